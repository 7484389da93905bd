"""What a run notes about itself: its manifest."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from assistant_gateway.hearing.recogniser import RECOGNISER_PROFILES
from assistant_gateway.timing.budgets import BUDGET_PROFILES
from assistant_gateway.timing.latency import LATENCY_PROFILES
from assistant_gateway.timing.speech import SPEECH_PROFILES
from evaluator.judge.question import template as judge_template
from evaluator.options import RunOptions
from evaluator.results.manifest import OFF, SCRIPTED, Manifest, checksum, origin, task_checksums
from evaluator.run.agents import WITH_URL, is_spoken, named
from evaluator.run.models import hears, request_options
from evaluator.run.settings import models_at, sessions_at_a_time
from evaluator.run.sound import RunSound
from evaluator.scoring.policies.instructions import policy_text
from evaluator.secret_options import may_be_secret
from evaluator.task.fault_sets import fault_set
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from user_sim.by_model.briefing import prompts as driver_prompts
from vehicle_bus.broker.mosquitto import find_mosquitto

OF_THE_COMMAND = ("out", "resume")
SAME = ("num_trials", "seed", "agent", "user", "pace", "latency_profile", "profile", "max_steps")


def manifest_of(
    options: RunOptions,
    run_id: str,
    tasks: Sequence[Task],
    unsupported: Sequence[str],
    sound: RunSound | None = None,
) -> Manifest:
    """Everything the results of a run depend on, before it begins."""
    compat = {task.car.compat for task in tasks}
    has_url = named(options.agent)[0] in WITH_URL
    return Manifest(
        **origin(),
        run_id=run_id,
        tasks=task_checksums(tasks),
        **{name: getattr(options, name) for name in SAME},
        agent_options={
            **request_options(options).fields,
            **({"lead_in_ms": options.lead_in_ms} if is_spoken(options.agent) else {}),
            **({"backend_model": options.backend_model} if options.backend_model else {}),
            **({"turn_detection": options.turn_detection} if sound and hears(options) else {}),
        },
        conditions={**_conditions(options), **_heard(options, sound)},
        compat="/".join(sorted(compat)),
        unsupported=tuple(unsupported),
        world=world_checksum(options.tasks_from, options.world),
        broker=_broker(options),
        client="aiomqtt" if "://" in options.broker else "codec",
        prompts={name: checksum(text) for name, text in _prompts(options).items()},
        options={
            **({"label": options.label} if options.label else {}),
            "tasks_from": str(options.tasks_from or "shipped"),
            "world": str(options.world) if options.world else None,
            "max_concurrency": sessions_at_a_time(options),
            "agent_timeout_s": options.agent_timeout_s if has_url else None,
            "judge": options.judge,
            "models_at": models_at(options),
            "given": kept_options(options),
            **_left_out(options, tasks),
        },
    )


def kept_options(options: RunOptions) -> dict[str, Any]:
    """What was given as it can be read again; what may hold a secret is kept as None."""
    return {
        name: None
        if may_be_secret(name, value)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in options.given.items()
        if name not in OF_THE_COMMAND
    }


def _left_out(options: RunOptions, tasks: Sequence[Task]) -> dict[str, list[str]]:
    """The tasks with interjections, which only a scripted driver makes."""
    scripts = {task.task_id: task.driver.script for task in tasks}
    found = [name for name, script in scripts.items() if script and script.interrupts]
    return {"interjections_left_out": found} if found and options.user != SCRIPTED else {}


def _conditions(options: RunOptions) -> dict[str, Any]:
    """Those of the sessions; a profile of one's own is more than its name."""
    own: dict[str, BaseModel] = {
        **LATENCY_PROFILES.own(options.latency_profile),
        **SPEECH_PROFILES.own(options.speech_profile),
        **RECOGNISER_PROFILES.own(options.recogniser),
        **BUDGET_PROFILES.own(options.budget_profile),
    }
    files = {name: checksum(profile.model_dump(mode="json")) for name, profile in own.items()}
    return {
        "speech_profile": options.speech_profile,
        "budget_profile": options.budget_profile,
        "on_hard_limit": options.on_hard_limit,
        "motion": options.motion,
        "faults": [fault.model_dump(mode="json") for fault in fault_set(options.faults)],
        **({"own_profiles": files} if files else {}),
        **({"patience_s": options.patience_s} if options.patience_s is not None else {}),
    }


def _heard(options: RunOptions, sound: RunSound | None) -> dict[str, Any]:
    """What speaks for the drivers, and the noise around them; nothing of a run in text."""
    if sound is None:
        return {}
    of_file = sound.noise.recording is not None
    return {
        "speech": options.speech,
        "synthesiser": sound.synthesiser.name,
        "noise": sound.noise.name,
        **({"snr_db": sound.noise.snr_db} if of_file else {}),
        **({"echo_db": options.echo} if options.echo is not None else {}),
        **({"recogniser": options.recogniser} if options.recogniser != OFF else {}),
    }


def _broker(options: RunOptions) -> str:
    """The kind of broker; never its address, which may hold a password."""
    if "://" in options.broker:
        return "external"
    if options.broker == "auto":
        return "mosquitto" if find_mosquitto() else "embedded"
    return options.broker


def _prompts(options: RunOptions) -> dict[str, str]:
    """Every text that models get in this run; the manifest keeps their checksums."""
    prompts = {"instructions": policy_text(options.profile)}
    if options.user_model is not None:
        prompts |= {f"driver/{name}": text for name, text in driver_prompts().items()}
    if options.judge != OFF:
        prompts["judge"] = judge_template()
    return prompts
