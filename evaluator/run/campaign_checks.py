"""What no run can be: values nobody knows, and options that do not go together."""

from importlib.util import find_spec
from typing import get_args

from assistant_gateway.conversation.turn_timeouts import OnHardLimit
from assistant_gateway.protocol import Pace
from assistant_gateway.timing.budgets import budget_profile
from assistant_gateway.timing.latency import latency_profile
from assistant_gateway.timing.speech import speech_profile
from evaluator.option_values import one_of, profile_of
from evaluator.problems import UsageProblem
from evaluator.run.agents import WITH_URL, AgentChoice
from evaluator.run.campaign import RunOptions
from evaluator.run.drivers import SCRIPTED
from evaluator.run_async import check_uvloop
from evaluator.scoring.scores import Profile
from evaluator.task.fault_sets import fault_set
from evaluator.task.selection import SPLITS, TASK_TYPES


def check(campaign: RunOptions) -> None:
    """Raises `UsageProblem` for what no run can be."""
    _agent(campaign)
    _values(campaign)
    _lockstep(campaign)
    if campaign.uvloop:
        check_uvloop()
    if campaign.resume and campaign.out is None:
        raise UsageProblem("--resume needs --out, the folder of the run to finish")


def _values(campaign: RunOptions) -> None:
    if campaign.user_model is None:
        one_of("--user", campaign.user, [SCRIPTED, "llm:MODEL"])
    one_of("--pace", campaign.pace, get_args(Pace))
    profile_of("--latency-profile", campaign.latency_profile, latency_profile)
    profile_of("--speech-profile", campaign.speech_profile, speech_profile)
    profile_of("--budget-profile", campaign.budget_profile, budget_profile)
    one_of("--on-hard-limit", campaign.on_hard_limit, get_args(OnHardLimit))
    fault_set(campaign.faults)
    one_of("--profile", campaign.profile, get_args(Profile))
    one_of("--task-type", campaign.task_type, TASK_TYPES)
    one_of("--task-split", campaign.task_split, SPLITS)
    one_of("--signals", campaign.signals, ["changes", "all"])


def _lockstep(campaign: RunOptions) -> None:
    if campaign.pace != "virtual":
        return
    kind = campaign.agent_kind
    if not AgentChoice(kind).in_process:
        raise UsageProblem(
            f"--pace virtual needs an agent that keeps lockstep, and {kind} may not; "
            "use --pace fast or live"
        )
    if campaign.user_model is not None:
        raise UsageProblem(
            f"--pace virtual needs a driver that keeps lockstep, and {campaign.user} cannot; "
            "use --pace fast or live"
        )


def _agent(campaign: RunOptions) -> None:
    kind = campaign.agent_kind
    campaign.models.check_options(campaign.agent)
    if kind in WITH_URL:
        campaign.agent_choice()
        if find_spec("a2a") is None:
            raise UsageProblem(f"--agent {kind}:URL needs an extra: pip install 'codriver[a2a]'")
