"""The car: a command in, an answer and the changes out. No socket, no clock, no logger."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.compat import QUIRKS
from vehicle_bus.car.event import Happened
from vehicle_bus.car.removal import removal
from vehicle_bus.car.signals import (
    CONTEXT_BY_NAME,
    context_signals,
    destination_signals,
    hidden_paths,
    motion_signals,
    state_signals,
)
from vehicle_bus.car.state import (
    CONTEXT_NAMES,
    STATE_NAMES,
    CarSetup,
    CarState,
    FixedContext,
    PlannedEvent,
    context_at_start,
    state_at_start,
)
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command, Status
from vehicle_bus.motion.motion import SECOND_NS, Motion
from vehicle_bus.tools import BY_NAME, HEAVY, NOT_PUBLIC, TOOLS
from vehicle_bus.world.world import FileWorld, World, place

DECLINED = "NOT_AVAILABLE"
LEADING = ("navigation_active", "waypoints_id")
# Events say what a signal says: where it is hidden, so are they.
TOLD_BY_EVENT = {
    "battery_low": {CONTEXT_BY_NAME["state_of_charge"].path},
    "range_low": {CONTEXT_BY_NAME["remaining_range_km"].path},
}


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
    """One simulated car, set up by a task, in a world. If it moves, in so many steps per second."""

    def __init__(
        self, setup: CarSetup, world: World, *, seed: int | str = 0, motion_hz: int = 1
    ) -> None:
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
        self.last_state = self._car.state  # before the last change
        self._now_ns = 0
        self._to_happen: list[PlannedEvent] = []
        self.plan(*setup.happenings)
        self._motion = self._underway(f"{seed}", SECOND_NS // motion_hz)
        self._shown = self._measured()

    @property
    def state(self) -> CarState:
        return self._car.state

    @property
    def context(self) -> FixedContext:
        return self._car.context

    @property
    def now_ns(self) -> int:
        """Up to when time has passed."""
        return self._now_ns

    @property
    def stirs(self) -> bool:
        """Whether anything is still to happen to it without a command."""
        return self._motion is not None or bool(self._to_happen)

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
            **destination_signals(self._destination(self.state)),
        }
        return {
            **{path: value for path, value in every.items() if path not in self._hidden},
            **self._measured(),
        }

    def handle(self, tool: str, command: Command) -> Handled:
        """Run one tool; whatever the caller did wrong is in the answer."""
        before, revision = self.state, self.revision
        answer = self._answer(tool, command.arguments)
        changes: tuple[tuple[str, Any], ...] = ()
        if self.state != before:
            self.revision += 1
            self.last_state = before
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

    def offers(self, tool: str) -> bool:
        """Whether this car has a tool at all."""
        return tool in BY_NAME and tool not in self._removal.tools and not self._lacks(tool)

    def decline(self, reason: str) -> Handled:
        """What a command comes to that the car does not even look at."""
        text = json.dumps({"status": "FAILURE", "errors": {DECLINED: reason}})
        return Handled("FAILURE", text, DECLINED, False, (), self.revision, self.revision)

    def look_up_in(self, state: CarState, tool: str, command: Command) -> Handled:
        """What a look-up would answer in another state; this car stays as it is."""
        kept, self._car.state = self._car.state, state
        try:
            answer = self._answer(tool, command.arguments)
        finally:
            self._car.state = kept
        revision = self.revision
        return Handled(
            answer.status, answer.output, answer.error, answer.logged, (), revision, revision
        )

    def plan(self, *happenings: PlannedEvent) -> None:
        """These will happen when their time comes."""
        self._to_happen = sorted([*self._to_happen, *happenings], key=lambda one: one.at_ns)

    def advance(self, to_ns: int) -> list[Happened]:
        """Let session time pass; returns what happened on the way, in order.

        What a moving car shows by then is told once, as the last of all.
        """
        happened = []
        while (due_ns := self._due_ns(to_ns)) is not None:
            if self._to_happen and self._to_happen[0].at_ns == due_ns:
                each = self._to_happen.pop(0)
                told = {"by": each.by, "set": each.set}
                happened.append(self.happens(each.kind, each.set, told, at_ns=each.at_ns))
            elif self._motion is not None:
                happened += self._drives(self._motion)
        self._now_ns = max(self._now_ns, to_ns)
        if self._motion is not None:
            happened += self._moved(self._motion)
        return happened

    def _due_ns(self, until_ns: int) -> int | None:
        """The next moment up to a time at which anything comes about."""
        due = [happening.at_ns for happening in self._to_happen[:1]]
        if self._motion is not None:
            due.append(self._motion.due_ns)
        due_ns = min(due, default=until_ns + 1)
        return due_ns if due_ns <= until_ns else None

    def _underway(self, seed: str, step_ns: int) -> Motion | None:
        motion = self.setup.motion
        if not motion:
            return None
        at_kilometer = 0.0 if motion is True else motion.at_kilometer
        return Motion(self._car, seed, at_kilometer, step_ns)

    def _drives(self, motion: Motion) -> list[Happened]:
        event = motion.go()
        if event is None or not self._hidden.isdisjoint(TOLD_BY_EVENT.get(event.kind, ())):
            return []
        return [Happened(event.at_ns, event.kind, self.revision, event.detail)]

    def _moved(self, motion: Motion) -> list[Happened]:
        motion.show()
        shown, self._shown = self._shown, self._measured()
        changes = tuple(item for item in self._shown.items() if item[1] != shown[item[0]])
        return [Happened(self._now_ns, None, self.revision, changes=changes)] if changes else []

    def happens(
        self, kind: str, values: dict[str, Any], detail: dict[str, Any], *, at_ns: int | None = None
    ) -> Happened:
        """Something happens without a command, now or at `at_ns`, and sets `values`."""
        before = self.signals()
        state, car = self.state, self._car
        car.set(**{name: v for name, v in values.items() if name in STATE_NAMES})
        fixed = {name: v for name, v in values.items() if name in CONTEXT_NAMES}
        if fixed:
            told = FixedContext.model_validate(fixed)
            car.context = car.context.model_copy(
                update={name: getattr(told, name) for name in fixed}
            )
        if self._motion is not None and "state_of_charge" in fixed:
            self._motion.charge(car.context.state_of_charge)
        if self.state != state:
            self.revision += 1
            self.last_state = state
        after = self.signals()
        self._shown = self._measured()
        return Happened(
            at_ns=self._now_ns if at_ns is None else at_ns,
            kind=kind,
            revision=self.revision,
            detail=detail,
            changes=tuple(item for item in after.items() if item[1] != before.get(item[0], ...)),
            state=self.snapshot() if self.state != state else None,
        )

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

    def _measured(self) -> dict[str, Any]:
        """What no tool changes, as signals; all of it stands still unless the car moves."""
        moving = motion_signals(self._motion.readings()) if self._motion else {}
        every = {**context_signals(self.context), **moving}
        return {path: value for path, value in every.items() if path not in self._hidden}

    def _destination(self, state: CarState) -> dict[str, float] | None:
        """Where the active navigation leads; None if nowhere, or to no known place."""
        if not (state.navigation_active and state.waypoints_id):
            return None
        destination = place(self._car.world, state.waypoints_id[-1])
        return destination["position"] if destination else None

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
