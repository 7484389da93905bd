"""What a run was made of: enough to repeat it, to resume it, and to know which runs compare."""

import hashlib
import os
import platform
import shlex
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict

from assistant_gateway.agents.agent import IN_PROCESS
from assistant_gateway.timing.latency import LATENCY_PROFILES
from evaluator.adversaries.courses import KINDS
from evaluator.scoring.imported_runs import RECORDED
from evaluator.task.task import Task

DEPENDENCIES = ("aiomqtt", "mqtt5", "websockets", "pydantic", "openai", "aiosqlite", "orjson")
CONTENT = (
    "codriver",
    "agent",
    "agent_options",
    "user",
    "pace",
    "latency_profile",
    "conditions",
    "profile",
    "compat",
    "seed",
    "max_steps",
    "num_trials",
    "tasks",
    "unsupported",
    "world",
)


OPTIONS = {
    "agent": "--agent",
    "user": "--user",
    "pace": "--pace",
    "latency_profile": "--latency-profile",
    "profile": "--profile",
    "seed": "--seed",
    "max_steps": "--max-steps",
    "num_trials": "--num-trials",
}
OFF = "off"  # for `judge`: nobody judged
SCRIPTED = "scripted"  # for `user`: the script of each task
HUMAN = "human"  # for `user`: a person
WIZARD = "wizard"  # for `agent`: a person
VOICE = "voice:"  # before the name of an agent: a front speaks for it
FEW_TASKS = 5  # whose ids can be typed


class Invocation(BaseModel):
    """One call of `codriver run` that played so many `units`: the first one, or a resume.

    `hosts` are the nodes of the cluster it was played `on` whose workers came up.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    began_at: str
    units: int
    workers: int
    on: str = ""
    hosts: tuple[str, ...] = ()


class Manifest(BaseModel):
    """Written when a run begins; each call that goes on with it is added to `invocations`.

    `tasks` maps each planned task id to the checksum of the task, in planning order. The fields in
    `CONTENT` decide what the results are, the others say where and when. `prompts` are checksums
    of texts, `agent_options` settings of the agent's model, `options` all others worth noting.
    `conditions` are those of the sessions: how speech sounds, what may take how long; `world` is
    the checksum of what the world holds, empty where it was not noted.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    run_id: str
    created_at: str
    codriver: str
    python: str
    dependencies: dict[str, str] = {}
    agent: str
    agent_options: dict[str, Any] = {}
    user: str
    pace: str
    latency_profile: Annotated[str, AfterValidator(LATENCY_PROFILES.current)]
    conditions: dict[str, Any] = {}
    profile: str
    compat: str
    seed: int
    max_steps: int = 40
    num_trials: int
    tasks: dict[str, str]
    unsupported: tuple[str, ...] = ()
    world: str = ""
    broker: str = ""
    client: str = ""
    prompts: dict[str, str] = {}
    host: dict[str, Any] = {}
    options: dict[str, Any] = {}
    invocations: tuple[Invocation, ...] = ()

    @property
    def label(self) -> str:
        """What its user calls this run; empty without --label."""
        return self.options.get("label") or ""

    @property
    def model_place(self) -> str:
        """Where the agent's model is; empty if that is as usual, or there is none."""
        place = self.options.get("models_at", {}).get("agent", "default")
        return "" if place == "default" else str(place)

    @property
    def described_agent(self) -> str:
        """The agent with what makes it this one: where its model is, or how fast it answers."""
        parts = [self.agent]
        if self.model_place:
            parts.append(f"at {self.model_place}")
        if paced(self.agent):
            parts.append(f"with {self.latency_profile} latency")
        return " ".join(parts)

    @property
    def resumed(self) -> int:
        """How often; a run that was merged began once for each of its parts."""
        begun = len(self.options.get("merged_from", ())) or 1
        return max(0, len(self.invocations) - begun)

    @property
    def by_person(self) -> bool:
        """Whether a person played the assistant, so that its latencies are those of a person."""
        return self.agent == WIZARD

    @property
    def patience_s(self) -> float | None:
        """How long each answer was waited for; None if nobody waited longer than usual."""
        return self.conditions.get("patience_s")

    @property
    def latencies_judged(self) -> bool:
        """Whether it counts how long answers took."""
        return self.pace != RECORDED and self.patience_s is None

    @property
    def planned(self) -> int:
        return len(self.tasks) * self.num_trials

    def sources(
        self, tasks_from: Path | None, world: Path | None
    ) -> tuple[Path | None, Path | None]:
        """Where tasks and world of the run lie: as given here, else as noted; None is our own."""
        tasks_noted, world_noted = self.options.get("tasks_from"), self.options.get("world")
        if tasks_from is None and tasks_noted not in (None, "shipped"):
            tasks_from = Path(tasks_noted)
        if world is None and world_noted:
            world = Path(world_noted)
        return tasks_from, world


def paced(agent: str) -> bool:
    """Whether a latency profile says how fast an agent answers."""
    return agent.removeprefix(VOICE).partition(":")[0] in IN_PROCESS | KINDS


def origin() -> dict[str, Any]:
    """The fields of a manifest that say when, where and with what a run begins: now and here."""
    return {
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "codriver": _version("codriver"),
        "python": platform.python_version(),
        "dependencies": {name: _version(name) for name in DEPENDENCIES},
        "host": {
            "cores": os.cpu_count(),
            "platform": platform.platform(),
            "machine": platform.machine(),
        },
    }


def content(manifest: Manifest) -> dict[str, Any]:
    """What must be the same for two parts of a run, or two runs, to be one result.

    A world that was not noted is left out: such runs keep the key they had.
    """
    return {name: getattr(manifest, name) for name in CONTENT if name != "world" or manifest.world}


def manifest_key(manifest: Manifest) -> str:
    """The checksum of the content: seeds the intervals, never depends on run id, time or host."""
    return checksum(content(manifest))


def options_of(kept: Manifest, other: Manifest) -> list[str]:
    """The options a run was begun with where another differs, as far as options tell them."""
    options = [
        f"{option} {shlex.quote(str(getattr(kept, name)))}"
        for name, option in OPTIONS.items()
        if getattr(kept, name) != getattr(other, name)
    ]
    if kept.tasks.keys() != other.tasks.keys() and len(kept.tasks) <= FEW_TASKS:
        options.append(f"--task-ids {','.join(kept.tasks)}")
    return options


def is_part(asked: Manifest, whole: Manifest) -> bool:
    """Whether fewer tasks were asked for than a run has, and no others."""
    return asked.tasks.items() < whole.tasks.items() and {*asked.unsupported} <= {
        *whole.unsupported
    }


def differing_fields(one: Manifest, other: Manifest) -> list[str]:
    """Per content field that differs a phrase such as `seed (10, now 11)`."""
    here, there = content(one), content(other)
    return [
        f"{name} ({_difference(here[name], there[name], shown=name != 'tasks')})"
        for name in CONTENT
        if name in here and name in there and here[name] != there[name]
    ]


def task_checksums(tasks: Iterable[Task]) -> dict[str, str]:
    """By task id."""
    return {task.task_id: task_checksum(task) for task in tasks}


def task_checksum(task: Task) -> str:
    """What is only reported is left out: noting it makes no other task."""
    only_reported = {"settled_by": True, "says": {"__all__": {"called"}}}
    noted: dict[str, Any] = {"family": True, "twin": True, "expect": only_reported}
    script = task.driver.script
    if script is not None and not script.speakers:
        noted["driver"] = {"script": {"speakers"}}
    task = task if task.source == "public" else task.model_copy(update={"split": None})
    return checksum(task.model_dump(mode="json", exclude=noted))


def checksum(value: Any) -> str:
    """sha256 of a JSON value; the order of keys does not matter."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _difference(before: Any, now: Any, *, shown: bool) -> str:
    """In words; of two mappings with their values if those are to be `shown` and short."""
    if isinstance(before, dict) and isinstance(now, dict):
        if new := sorted(now.keys() - before.keys()):
            return f"not in it: {_first_of(new)}"
        names = sorted(name for name in before if before[name] != now.get(name))
        if shown:
            names = [f"{name}{_values(before[name], now.get(name))}" for name in names]
        return f"{len(names)} differ: {_first_of(names)}" if names else "order"
    if isinstance(before, tuple) and isinstance(now, tuple):
        return f"{len(before)} entries, now {len(now)}"
    return f"{before}, now {now}"


def _values(before: Any, now: Any) -> str:
    """The values of one key, if they say more than that they differ."""
    plain = all(value is None or isinstance(value, str | int | float) for value in (before, now))
    return f" ({before}, now {now})" if plain else ""


def _first_of(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"
