"""A run file of the public competition: which agent is tested, how it is started, which tasks."""

import logging
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluator.options import RunOptions
from evaluator.problems import UsageProblem
from evaluator.task.selection import TypeSelection
from vehicle_bus.validation_problem import first_problem

log = logging.getLogger(__name__)

MAIN_TYPES = ("base", "hallucination", "disambiguation")


class _Section(BaseModel):
    """A table of the file; unknown keys are kept, to warn about them."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Served(_Section):
    """A server at an address; without a command it runs already. Images are not run."""

    endpoint: str = ""
    cmd: str = ""
    image: str = ""


class Config(_Section):
    """What is played; what is left out is as on the command line."""

    num_trials: int | None = Field(default=None, ge=1)
    max_steps: int | None = Field(default=None, ge=1)
    task_split: str | None = None
    tasks_base_num_tasks: int = Field(default=-1, ge=-1)
    tasks_hallucination_num_tasks: int = Field(default=-1, ge=-1)
    tasks_disambiguation_num_tasks: int = Field(default=-1, ge=-1)
    tasks_base_task_id_filter: tuple[str, ...] | None = None
    tasks_hallucination_task_id_filter: tuple[str, ...] | None = None
    tasks_disambiguation_task_id_filter: tuple[str, ...] | None = None

    @property
    def shares(self) -> dict[str, TypeSelection]:
        found = {
            main_type: TypeSelection(
                getattr(self, f"tasks_{main_type}_num_tasks"),
                getattr(self, f"tasks_{main_type}_task_id_filter"),
            )
            for main_type in MAIN_TYPES
        }
        return {main_type: share for main_type, share in found.items() if share != TypeSelection()}


class ScenarioFile(_Section):
    """The whole file. The evaluator that it names is ignored: it is codriver itself."""

    evaluator: Served = Served()
    agent_under_test: Served = Served()
    config: Config = Config()


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a file asks for, by the names of our own options, and the keys that are unknown."""

    options: Mapping[str, Any]
    agent_command: str
    shares: Mapping[str, TypeSelection]
    unknown: tuple[str, ...]


def with_scenario(options: RunOptions, file: Path, given: Collection[str]) -> RunOptions:
    """The options with what the file asks for, except where an option was `given`.

    Another agent's command is not run, and tasks named or counted on the command line are not
    counted again.
    """
    own = bool({"agent", "agent_command"} & set(given))
    scenario = read_scenario(file, other_agent=own)
    if scenario.unknown:
        log.warning("%s: codriver does not read %s", file, ", ".join(scenario.unknown))
    asked = {name: value for name, value in scenario.options.items() if name not in given}
    if own:
        asked.pop("agent", None)
    return replace(
        options,
        **asked,
        agent_command=options.agent_command if own else scenario.agent_command,
        shares={} if {"num_tasks", "task_ids"} & set(given) else scenario.shares,
    )


def read_scenario(path: Path, *, other_agent: bool = False) -> Scenario:
    """Raises `UsageProblem` with what was expected; the agent of the file may not be needed."""
    file = _file(path)
    endpoint = file.agent_under_test.endpoint
    if not (endpoint or other_agent):
        raise UsageProblem(f"{path}: {_without_endpoint(file.agent_under_test)}")
    config = file.config
    # One session at a time, as the public evaluator does: its agents may take no more.
    asked = {
        "agent": f"a2a:{endpoint}" if endpoint else None,
        "max_concurrency": 1,
        "num_trials": config.num_trials,
        "max_steps": config.max_steps,
        "task_split": config.task_split,
    }
    return Scenario(
        options={name: value for name, value in asked.items() if value is not None},
        agent_command=file.agent_under_test.cmd.strip(),
        shares=config.shares,
        unknown=tuple(_unknown(file)),
    )


def _without_endpoint(agent: Served) -> str:
    if not agent.image:
        return "agent_under_test.endpoint: expected http://HOST:PORT"
    return (
        "agent_under_test names an image, and codriver starts no containers; "
        f"run {agent.image} yourself and name its address: --agent a2a:http://HOST:PORT"
    )


def _file(path: Path) -> ScenarioFile:
    try:
        return ScenarioFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path} is no TOML: {error}") from error
    except ValidationError as error:
        raise UsageProblem(f"{path}: {first_problem(error)}") from error


def _unknown(section: _Section, inside: str = "") -> Iterator[str]:
    yield from (f"{inside}{name}" for name in section.model_extra or {})
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, _Section):
            yield from _unknown(value, f"{inside}{name}.")
