"""The car that a test asks for: marker over option over environment over ini file."""

import os
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluator.allowed_values import one_of
from evaluator.live import CarRequest, LiveSettings
from evaluator.live.settings import TOOL_TIMEOUT_S, task_named
from evaluator.problems import Problem, UsageProblem
from evaluator.run.agents import with_command
from evaluator.run.settings import check_session, settings_of
from evaluator.testing.options import MARKER, NAMES, PluginOptions

OF_THE_CAR = ("start", "task", "vin", "turn_class")
PACES = ("fast", "live")
OPTION = re.compile(r"--(?=[a-z])")
CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "agent_wait": float,
    "tool_timeout": float,
    "gateway_port": int,
    "world": Path,
}


@dataclass(frozen=True, slots=True)
class RequestedCar:
    """The bench, the car on it, and how to start the agent if it is the user's own."""

    settings: LiveSettings
    car: CarRequest
    world: Path | None
    agent_command: str


def requested_car(request: pytest.FixtureRequest) -> RequestedCar:
    """What marker, options, environment and ini file ask for; a bad value fails the test."""
    marked: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        marked |= _marked(marker)
    try:
        return _read([marked, *_layers(request.config)])
    except Problem as problem:
        text = OPTION.sub("--codriver-", str(problem))
    pytest.fail(text, pytrace=False)


def _layers(config: pytest.Config) -> Iterator[dict[str, str]]:
    """What is given by option, in the environment and in the ini file, the strongest first."""
    for source in (
        lambda name: config.getoption(f"codriver_{name}"),
        lambda name: os.environ.get(f"CODRIVER_{name.upper()}"),
        lambda name: config.getini(f"codriver_{name}"),
    ):
        yield {name: value for name in NAMES if (value := source(name))}


def _marked(marker: pytest.Mark) -> dict[str, Any]:
    known = [*OF_THE_CAR, *NAMES]
    unknown = sorted(marker.kwargs.keys() - set(known))
    if marker.args or unknown:
        what = ", ".join(unknown) or "positional arguments"
        pytest.fail(
            f"the marker {MARKER} does not take {what}; it takes {', '.join(known)}", pytrace=False
        )
    return dict(marker.kwargs)


def _read(layers: Sequence[Mapping[str, Any]]) -> RequestedCar:
    given = dict(ChainMap(*map(dict, layers))) | with_command(layers)
    options = _options({name: value for name, value in given.items() if name in NAMES})
    task = given.get("task")
    car = CarRequest(
        task=task_named(task, options.world) if task else None,
        start=given.get("start", {}),
        turn_classes=(given.get("turn_class", "A"),),
        vin=given.get("vin"),
    )
    _ = car.setup
    if options.agent == "reference" and task is None:
        raise UsageProblem("--agent reference follows the plan of a task; name one in the marker")
    settings = settings_of(
        options, LiveSettings, tool_timeout_s=options.tool_timeout_s or TOOL_TIMEOUT_S
    )
    return RequestedCar(settings, car, options.world, options.agent_command)


def _options(given: Mapping[str, Any]) -> PluginOptions:
    values = {NAMES[name]: _converted(name, value) for name, value in given.items()}
    options = PluginOptions(agent_token=os.environ.get("CODRIVER_AGENT_TOKEN"), **values)
    check_session(options)
    one_of("--pace", options.pace, PACES)
    return options


def _converted(name: str, value: Any) -> Any:
    try:
        return CONVERSIONS.get(name, lambda same: same)(value)
    except ValueError as error:
        raise UsageProblem(f"--{name.replace('_', '-')} is a number, not {value!r}") from error
