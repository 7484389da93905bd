"""The car: a command in, an answer and the changes out. No socket, no clock, no logger."""

from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from vehicle_bus.car.car import Car
from vehicle_bus.car.compat import QUIRKS
from vehicle_bus.car.event import Event
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
    UnderWay,
    context_at_start,
    state_at_start,
)
from vehicle_bus.car.tool import Answer, Refused, failure, success
from vehicle_bus.contract import Command
from vehicle_bus.motion.motion import SECOND_NS, Motion
from vehicle_bus.tools import BY_NAME, HEAVY, NOT_PUBLIC, TOOLS
from vehicle_bus.world.world import World, place

DECLINED = "NOT_AVAILABLE"
UNKNOWN = "UNKNOWN_TOOL"
NAVIGATION = ("navigation_active", "waypoints_id")
# Events that give away a signal: where it is hidden, so are they.
SIGNALS_OF_EVENT = {
    "battery_low": {CONTEXT_BY_NAME["state_of_charge"].path},
    "battery_empty": {CONTEXT_BY_NAME["state_of_charge"].path},
    "range_low": {CONTEXT_BY_NAME["remaining_range_km"].path},
}


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
        self._planned: list[PlannedEvent] = []
        self.plan(*setup.happenings)
        self._step_ns = SECOND_NS // motion_hz
        self._motion = self._new_motion(setup.motion) if setup.motion else None
        self._shown = self._measured()

    @property
    def state(self) -> CarState:
        return self._car.state

    @property
    def context(self) -> FixedContext:
        return self._car.context

    @property
    def now_ns(self) -> int:
        """How far time has passed."""
        return self._now_ns

    @property
    def changes_by_itself(self) -> bool:
        """Whether it moves or has planned events, which need no command."""
        return self._motion is not None or bool(self._planned)

    def declarations(self) -> list[dict[str, Any]]:
        """The tools offered now, OpenAI style with `ends_conversation`; not to be changed."""
        return list(_declarations(self.setup.removed, self.setup.public_tools_only))

    def snapshot(self) -> dict[str, Any]:
        """The 32 state variables by short name, as JSON values."""
        return _plain(self.state.__dict__)

    def signals(self) -> dict[str, Any]:
        """VSS path to value, without those that a removed result would give."""
        every = {
            **state_signals(_plain(self.state.__dict__)),
            **destination_signals(self._destination(self.state)),
        }
        return {
            **{path: value for path, value in every.items() if path not in self._hidden},
            **self._measured(),
        }

    def handle(self, tool: str, command: Command) -> Answer:
        """Run one tool; whatever the caller did wrong is in the answer."""
        before, revision = self.state, self.revision
        answer = self._answer(tool, command.arguments)
        if self.state is before or self.state == before:
            return self._without_change(answer)
        self.revision += 1
        self.last_state = before
        return replace(
            answer,
            changes=self._changes(before),
            revision_before=revision,
            revision_after=self.revision,
        )

    def after(self, state: CarState, tool: str, arguments: dict[str, Any]) -> CarState | None:
        """The state after a call in another state, None if it fails; this car stays as it is.

        It must not be one that moves.
        """
        kept, self._car = self._car, replace(self._car, state=state, notes={})
        try:
            answer = self._answer(tool, arguments)
            return self.state if answer.status == "SUCCESS" else None
        finally:
            self._car = kept

    def in_state(self, state: CarState) -> "Vehicle":
        """Another car like this one, which must not move, nor have planned events."""
        other = Vehicle.__new__(Vehicle)
        other.__dict__ |= self.__dict__
        other._car = replace(self._car, state=state, notes={})
        other.last_state, other.revision = state, 0
        return other

    def offers(self, tool: str) -> bool:
        """Whether this car has a tool at all."""
        return tool in BY_NAME and tool not in self._removal.tools and not self._lacks(tool)

    def decline(self, reason: str) -> Answer:
        """The answer to a command that the car does not even look at."""
        return self._without_change(failure(Refused(DECLINED, reason, logged=False)))

    def look_up_in(self, state: CarState, tool: str, command: Command) -> Answer:
        """What a look-up would answer in another state; this car stays as it is."""
        kept, self._car.state = self._car.state, state
        try:
            answer = self._answer(tool, command.arguments)
        finally:
            self._car.state = kept
        return self._without_change(answer)

    def _without_change(self, answer: Answer) -> Answer:
        return replace(answer, revision_before=self.revision, revision_after=self.revision)

    def plan(self, *events: PlannedEvent) -> None:
        """Let these happen when their time comes."""
        self._planned = sorted([*self._planned, *events], key=lambda one: one.at_ns)

    def forget(self, *events: PlannedEvent) -> None:
        """Events that shall not happen any more, as far as they are still planned."""
        self._planned = [each for each in self._planned if all(each is not one for one in events)]

    def advance(self, to_ns: int) -> list[Event]:
        """Let session time pass; returns what happened on the way, in order.

        The signals of a moving car change once, in the last event.
        """
        events = []
        while (due_ns := self._due_ns(to_ns)) is not None:
            if self._planned and self._planned[0].at_ns == due_ns:
                each = self._planned.pop(0)
                detail = {"by": each.by, "set": each.set}
                events.append(self.happens(each.kind, each.set, detail, at_ns=each.at_ns))
            elif self._motion is not None:
                events += self._drive(self._motion)
        self._now_ns = max(self._now_ns, to_ns)
        if self._motion is not None:
            events += self._new_readings(self._motion)
        return events

    def _due_ns(self, until_ns: int) -> int | None:
        """The next moment up to a time at which anything happens."""
        due = [event.at_ns for event in self._planned[:1]]
        if self._motion is not None:
            due.append(self._motion.due_ns)
        due_ns = min(due, default=until_ns + 1)
        return due_ns if due_ns <= until_ns else None

    def let_drive(self, on: bool, speed_factor: float = 1.0) -> None:
        """From now on it drives along its trip, or brakes and stands."""
        if self._motion is None and on:
            self._motion = self._new_motion(True)
        if self._motion is not None:
            self._motion.is_held, self._motion.speed_factor = not on, speed_factor

    @property
    def driving_rate(self) -> float:
        """The speed factor while the car moves, else 1."""
        motion = self._motion
        return motion.speed_factor if motion is not None and motion.speed > 0 else 1.0

    def _new_motion(self, motion: Literal[True] | UnderWay) -> Motion:
        at_kilometer = 0.0 if motion is True else motion.at_kilometer
        return Motion(self._car, f"{self.seed}", at_kilometer, self._step_ns, self._now_ns)

    def _drive(self, motion: Motion) -> list[Event]:
        event = motion.go()
        if event is None or SIGNALS_OF_EVENT.get(event.kind or "", set()) & self._hidden:
            return []
        return [replace(event, revision=self.revision)]

    def _new_readings(self, motion: Motion) -> list[Event]:
        motion.show()
        shown, self._shown = self._shown, self._measured()
        changes = tuple(item for item in self._shown.items() if item[1] != shown.get(item[0], ...))
        return [Event(self._now_ns, None, {}, self.revision, changes)] if changes else []

    def happens(
        self, kind: str, values: dict[str, Any], detail: dict[str, Any], *, at_ns: int | None = None
    ) -> Event:
        """Set `values` without a command, now or at `at_ns`; returns the event."""
        before = self.signals()
        state, car = self.state, self._car
        car.set(**{name: v for name, v in values.items() if name in STATE_NAMES})
        fixed = {name: v for name, v in values.items() if name in CONTEXT_NAMES}
        if fixed:
            valid = FixedContext.model_validate(fixed)
            car.context = car.context.model_copy(
                update={name: getattr(valid, name) for name in fixed}
            )
        if self._motion is not None and "state_of_charge" in fixed:
            self._motion.charge(car.context.state_of_charge)
        if self.state != state:
            self.revision += 1
            self.last_state = state
        after = self.signals()
        self._shown = self._measured()
        return Event(
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
            return success(self._removal.masked(answer.result))
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
        if "Q68" in self._car.compat:
            return Answer("FAILURE", f"Unknown action {name}", error=UNKNOWN)
        return failure(Refused(UNKNOWN, f"this car has no tool {name}", logged=False))

    def _changes(self, before: CarState) -> tuple[tuple[str, Any], ...]:
        old, new = before.__dict__, self.state.__dict__
        changed = {name: value for name, value in new.items() if value != old[name]}
        signals = state_signals(_plain(changed))
        if not changed.keys().isdisjoint(NAVIGATION):
            signals |= destination_signals(self._destination(self.state))
        return tuple(item for item in signals.items() if item[0] not in self._hidden)


def is_heavy(tool: str) -> bool:
    """Whether a tool may take so long that other cars should not wait for it."""
    return tool in HEAVY


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


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
    return hidden_paths((*gone.results, *map(_getter_and_fields, sorted(gone.tools))))


def _getter_and_fields(name: str) -> tuple[str, ...]:
    """A removed tool and, if it looks up values, their names: no signal may show them instead."""
    tool = BY_NAME.get(name)
    if tool is None or tool.kind != "get" or tool.parameters.get("required"):
        return (name,)
    result = tool.call(Car(CarState(), FixedContext(), World(), frozenset()), {}).result
    return (name, *(result or ()))
