"""What a test asks for: marker over option over environment over ini file."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.server import AccessTokens
from evaluator.live import CarRequest, LiveSettings
from evaluator.live.settings import TOOL_TIMEOUT_S, task_named
from evaluator.problems import Problem, UsageProblem
from evaluator.run.campaign import RunOptions
from evaluator.run.campaign_checks import check
from evaluator.run.models import ModelOptions
from evaluator.testing.options import MARKER, OPTIONS

OF_THE_CAR = ("start", "task", "vin", "turn_class")
PACES = ("fast", "live")


@dataclass(frozen=True, slots=True)
class CarOptions:
    """The bench, the car on it, and how to start the agent if it is the user's own."""

    settings: LiveSettings
    car: CarRequest
    world: Path | None
    agent_command: str | None


def wishes(request: pytest.FixtureRequest) -> CarOptions:
    """Everything that was said about the car of one test; a bad value fails the test."""
    given = {name.replace("-", "_"): _option(request.config, name) for name in OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        given |= _marked(marker)
    try:
        return _read(given)
    except Problem as problem:
        told = str(problem)
    if told.startswith("--"):
        told = told.replace("--", "--codriver-", 1)
    pytest.fail(told, pytrace=False)


def _option(config: pytest.Config, name: str) -> str | None:
    setting = name.replace("-", "_")
    given = config.getoption(f"codriver_{setting}")
    return (
        given
        or os.environ.get(f"CODRIVER_{setting.upper()}")
        or config.getini(f"codriver_{setting}")
    )


def _marked(marker: pytest.Mark) -> dict[str, Any]:
    known = [*OF_THE_CAR, *(name.replace("-", "_") for name in OPTIONS)]
    unknown = sorted(marker.kwargs.keys() - set(known))
    if marker.args or unknown:
        what = ", ".join(unknown) or "positional arguments"
        told = f"the marker {MARKER} does not take {what}; it takes {', '.join(known)}"
        pytest.fail(told, pytrace=False)
    return dict(marker.kwargs)


def _read(given: dict[str, Any]) -> CarOptions:
    command = given.get("agent_command")
    if command is not None and given.setdefault("agent", "ws") != "ws":
        raise UsageProblem("--agent-command starts an agent of your own, so --agent must be ws")
    token = os.environ.get("CODRIVER_AGENT_TOKEN")
    campaign = RunOptions(
        agent=given.get("agent", "rules"),
        broker=given.get("broker", "auto"),
        pace=given.get("pace", "fast"),
        latency_profile=given.get("latency_profile", "zero"),
        agent_wait_s=_number(given, "agent_wait", 60.0),
        gateway_port=int(_number(given, "gateway_port", 0)),
        agent_token=token,
        models=ModelOptions(agent_base_url=given.get("base_url")),
    )
    check(campaign)
    if campaign.pace not in PACES:
        raise UsageProblem(f"--pace is one of {', '.join(PACES)}, not {campaign.pace!r}")
    run = campaign.settings("live")
    settings = LiveSettings(
        agent=run.agent,
        pace="live" if campaign.pace == "live" else "fast",
        latency_profile=run.latency_profile,
        tool_timeout_s=_number(given, "tool_timeout", TOOL_TIMEOUT_S),
        agent_wait_s=run.agent_wait_s,
        broker_url=run.broker_url,
        broker_kind=run.broker_kind,
        gateway_port=run.gateway_port,
        tokens=AccessTokens(agent=token) if token else AccessTokens(),
    )
    task = given.get("task")
    world = Path(given["world"]) if given.get("world") else None
    car = CarRequest(
        task=task_named(task, world) if task else None,
        start=given.get("start", {}),
        turn_classes=(given.get("turn_class", "A"),),
        vin=given.get("vin"),
    )
    _ = car.setup
    if run.agent.kind == "reference" and task is None:
        raise UsageProblem("--agent reference follows the plan of a task; name one in the marker")
    return CarOptions(settings, car, world, command)


def _number(given: dict[str, Any], name: str, default: float) -> float:
    try:
        return float(given.get(name, default))
    except ValueError as error:
        option = name.replace("_", "-")
        raise UsageProblem(f"--{option} is a number, not {given[name]!r}") from error
