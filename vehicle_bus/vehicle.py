"""The car: a command in, an answer and the changes out. No socket, no clock, no logger."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vehicle_bus.car import Car
from vehicle_bus.compat import QUIRKS
from vehicle_bus.contract import Command, Status
from vehicle_bus.happenings import Happened
from vehicle_bus.removal import removal
from vehicle_bus.signals import (
    context_signals,
    destination_signals,
    hidden_paths,
    state_signals,
)
from vehicle_bus.state import (
    CONTEXT_NAMES,
    STATE_NAMES,
    CarSetup,
    CarState,
    FixedContext,
    context_at_start,
    state_at_start,
)
from vehicle_bus.tool import Answer
from vehicle_bus.tools import BY_NAME, HEAVY, NOT_PUBLIC, TOOLS
from vehicle_bus.world import FileWorld, World

DECLINED = "NOT_AVAILABLE"
LEADING = ("navigation_active", "waypoints_id")


@dataclass(frozen=True, slots=True)
class Handled:
    """What a command came to.

    `output` is the exact text of the tool, `error` the key of a failure, `logged` whether the
    public benchmark counts it as a tool execution error, `changes` pairs of VSS path and value.
    """

    status: Status
    output: str
    error: str | None
    logged: bool
    changes: tuple[tuple[str, Any], ...]
    revision_before: int
    revision_after: int


class Vehicle:
    """One simulated car, set up by a task, in a world."""

    def __init__(self, setup: CarSetup, world: World, *, seed: int = 0) -> None:
        self.setup = setup
        self.seed = seed
        self.revision = 0
        self._removal = removal(setup.removed)
        self._car = Car(
            state=state_at_start(setup.start),
            context=context_at_start(setup.start),
            world=world,
            compat=QUIRKS[setup.compat],
            calendar_id=setup.calendar_id,
        )
        self._hidden = _hidden(setup.removed)
        self._now_ns = 0
        self._to_happen = sorted(setup.happenings, key=lambda happening: happening.at_ns)

    @property
    def state(self) -> CarState:
        return self._car.state

    @property
    def context(self) -> FixedContext:
        return self._car.context

    def declarations(self) -> list[dict[str, Any]]:
        """The tools offered now, OpenAI style with `ends_conversation`; not to be changed."""
        return list(_declarations(self.setup.removed, self.setup.public_tools_only))

    def snapshot(self) -> dict[str, Any]:
        """The 32 state variables by short name, as JSON values."""
        return _plain(self.state)

    def signals(self) -> dict[str, Any]:
        """VSS path to value, without those that a removed result would have told."""
        every = {
            **state_signals(_plain(self.state)),
            **context_signals(self.context),
            **destination_signals(self._destination(self.state)),
        }
        return {path: value for path, value in every.items() if path not in self._hidden}

    def handle(self, tool: str, command: Command) -> Handled:
        """Run one tool; whatever the caller did wrong is in the answer."""
        before, revision = self.state, self.revision
        answer = self._answer(tool, command.arguments)
        changes: tuple[tuple[str, Any], ...] = ()
        if self.state != before:
            self.revision += 1
            changes = self._changes(before)
        return Handled(
            answer.status,
            answer.output,
            answer.error,
            answer.logged,
            changes,
            revision,
            self.revision,
        )

    def advance(self, to_ns: int) -> list[Happened]:
        """Let session time pass; returns what happened on the way, in order."""
        happened = []
        while self._to_happen and self._to_happen[0].at_ns <= to_ns:
            each = self._to_happen.pop(0)
            told = {"by": each.by, "set": each.set}
            happened.append(self.happens(each.kind, each.set, told, at_ns=each.at_ns))
        self._now_ns = max(self._now_ns, to_ns)
        return happened

    def happens(
        self, kind: str, values: dict[str, Any], detail: dict[str, Any], *, at_ns: int | None = None
    ) -> Happened:
        """Something happens without a command, now or at `at_ns`, and sets `values`."""
        before = self.signals()
        state, car = self.state, self._car
        car.set(**{name: v for name, v in values.items() if name in STATE_NAMES})
        fixed = {name: v for name, v in values.items() if name in CONTEXT_NAMES}
        if fixed:
            car.context = FixedContext.model_validate({**car.context.__dict__, **fixed})
        self.revision += self.state != state
        after = self.signals()
        return Happened(
            at_ns=self._now_ns if at_ns is None else at_ns,
            kind=kind,
            revision=self.revision,
            detail=detail,
            changes=tuple(item for item in after.items() if item[1] != before.get(item[0], ...)),
            state=self.snapshot() if self.state != state else None,
        )

    def decline(self, reason: str) -> Handled:
        """What a command comes to that the car does not even look at."""
        text = json.dumps({"status": "FAILURE", "errors": {DECLINED: reason}})
        return Handled("FAILURE", text, DECLINED, False, (), self.revision, self.revision)

    def _answer(self, name: str, arguments: dict[str, Any]) -> Answer:
        tool = None if self._lacks(name) else BY_NAME.get(name)
        if tool is None and name not in self._removal.tools:
            return self._unknown(name)
        refused = self._removal.refusal(name, tool.parameters if tool else {}, arguments)
        if refused is not None or tool is None:
            return Answer("REMOVED", refused or "")
        answer = tool.call(self._car, arguments)
        if answer.result is not None and self._removal.masks(name):
            return _masked(answer, self._removal.masked(answer.result))
        return answer

    def _lacks(self, name: str) -> bool:
        return self.setup.public_tools_only and name in NOT_PUBLIC

    def _destination(self, state: CarState) -> dict[str, float] | None:
        """Where the active navigation leads; None if nowhere, or to no known place."""
        if not (state.navigation_active and state.waypoints_id):
            return None
        place = _place(self._car.world, state.waypoints_id[-1])
        return place["position"] if place else None

    def _unknown(self, name: str) -> Answer:
        text = f"Unknown action {name}"
        if "Q68" not in self._car.compat:
            errors = {"UNKNOWN_TOOL": f"this car has no tool {name}"}
            text = json.dumps({"status": "FAILURE", "errors": errors})
        return Answer("FAILURE", text, error="UNKNOWN_TOOL")

    def _changes(self, before: CarState) -> tuple[tuple[str, Any], ...]:
        old, new = _plain(before), _plain(self.state)
        changed = {name: value for name, value in new.items() if value != old[name]}
        signals = state_signals(changed)
        if not changed.keys().isdisjoint(LEADING):
            signals |= destination_signals(self._destination(self.state))
        return tuple(item for item in signals.items() if item[0] not in self._hidden)


def is_heavy(tool: str) -> bool:
    """Whether a tool may take so long that other cars should not wait for it."""
    return tool in HEAVY


def _place(world: World, place_id: str) -> dict[str, Any] | None:
    return world.location(place_id) if place_id.startswith("loc_") else world.poi(place_id)


def _plain(state: CarState) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in state.__dict__.items()
    }


def _masked(answer: Answer, result: dict[str, Any]) -> Answer:
    output = json.dumps({"status": answer.status, "result": result})
    return Answer(answer.status, output, result=result)


@lru_cache(maxsize=256)
def _declarations(removed: tuple[str, ...], public_only: bool) -> tuple[dict[str, Any], ...]:
    gone = removal(removed)
    return tuple(
        gone.offered(tool.declaration())
        for tool in TOOLS
        if tool.name not in gone.tools and not (public_only and tool.name in NOT_PUBLIC)
    )


@lru_cache(maxsize=256)
def _hidden(removed: tuple[str, ...]) -> frozenset[str]:
    gone = removal(removed)
    return hidden_paths((*gone.results, *map(_told_by, sorted(gone.tools))))


def _told_by(name: str) -> tuple[str, ...]:
    """A removed getter and the fields it would tell: the bus must not tell them in its place."""
    tool = BY_NAME.get(name)
    if tool is None or tool.kind != "get" or tool.parameters.get("required"):
        return (name,)
    told = tool.call(Car(CarState(), FixedContext(), FileWorld(), frozenset()), {}).result
    return (name, *(told or ()))
