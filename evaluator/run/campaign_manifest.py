"""What a run notes about itself: the manifest of a campaign."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from assistant_gateway.timing.budgets import BUDGET_PROFILES
from assistant_gateway.timing.latency import LATENCY_PROFILES
from assistant_gateway.timing.speech import SPEECH_PROFILES
from evaluator.judge.case import template as judge_template
from evaluator.results.manifest import OFF, Manifest, checksum, new_manifest
from evaluator.run.agents import WITH_URL
from evaluator.run.campaign import RunOptions
from evaluator.scoring.policies.instructions import TEXT
from evaluator.task.fault_sets import fault_set
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from user_sim.by_model.briefing import prompts as driver_prompts
from vehicle_bus.broker.mosquitto import find_mosquitto


def manifest_of(
    campaign: RunOptions, run_id: str, tasks: Sequence[Task], unsupported: Sequence[str]
) -> Manifest:
    """Everything the results of a run depend on, before it begins."""
    compat = {task.car.compat for task in tasks}
    return new_manifest(
        run_id=run_id,
        tasks=tasks,
        num_trials=campaign.num_trials,
        seed=campaign.seed,
        agent=campaign.agent,
        agent_options=campaign.models.agent_options.fields,
        user=campaign.user,
        pace=campaign.pace,
        latency_profile=campaign.latency_profile,
        conditions=_conditions(campaign),
        profile=campaign.profile,
        compat="/".join(sorted(compat)),
        max_steps=campaign.max_steps,
        unsupported=unsupported,
        world=world_checksum(campaign.tasks_from, campaign.world),
        broker=_broker(campaign),
        client="aiomqtt" if "://" in campaign.broker else "codec",
        prompts=_prompts(campaign),
        options={
            "tasks_from": str(campaign.tasks_from or "shipped"),
            "world": str(campaign.world) if campaign.world else None,
            "max_concurrency": campaign.max_concurrency,
            "agent_timeout_s": campaign.agent_timeout_s
            if campaign.agent_kind in WITH_URL
            else None,
            "judge": campaign.judge,
            "models_at": campaign.models_at,
        },
    )


def _conditions(campaign: RunOptions) -> dict[str, Any]:
    """Those of the sessions; a profile of one's own is more than its name."""
    latency, speech = campaign.latency_profile, campaign.speech_profile
    own: dict[str, BaseModel] = {
        **LATENCY_PROFILES.own(latency),
        **SPEECH_PROFILES.own(speech),
        **BUDGET_PROFILES.own(campaign.budget_profile),
    }
    files = {name: checksum(profile.model_dump(mode="json")) for name, profile in own.items()}
    return {
        "speech_profile": speech,
        "budget_profile": campaign.budget_profile,
        "on_hard_limit": campaign.on_hard_limit,
        "motion": campaign.motion,
        "faults": [fault.model_dump(mode="json") for fault in fault_set(campaign.faults)],
        **({"own_profiles": files} if files else {}),
    }


def _broker(campaign: RunOptions) -> str:
    """The kind of broker; never its address, which may hold a password."""
    if "://" in campaign.broker:
        return "external"
    if campaign.broker == "auto":
        return "mosquitto" if find_mosquitto() else "embedded"
    return campaign.broker


def _prompts(campaign: RunOptions) -> dict[str, str]:
    """Every text a model is told in this run; the manifest keeps their checksums."""
    prompts = {"instructions": TEXT}
    if campaign.user_model is not None:
        prompts |= {f"driver/{name}": text for name, text in driver_prompts().items()}
    if campaign.judge != OFF:
        prompts["judge"] = judge_template()
    return prompts
