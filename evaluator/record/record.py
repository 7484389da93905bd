"""What the bus carried in one episode, and ways to look at it.

A record keeps raw bytes: every view is worked out when it is asked for, from a fresh recording and
from a stored one alike. Order is read from the numbers in the payloads, never from arrival.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError

from assistant_gateway.session.logged_frame import LoggedFrame, logged_frames
from evaluator.record.faults import HELD_UP, FaultSeen, faults_seen
from vehicle_bus.car.state import NEWER_VARIABLES
from vehicle_bus.contract import (
    CarEvent,
    Command,
    Control,
    Payload,
    Reply,
    SessionEnd,
    Snapshot,
    Stamped,
    TurnFinished,
    apart,
    decode,
)

MOST_SHARED = 256
State = dict[str, Any]


class Stamps(NamedTuple):
    """Who sent a message, its numbers and its session time; 0 where there is none."""

    src: str
    seq: int
    n: int
    t_ns: int

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Stamps":
        src = fields.get("src")
        seq, n, t_ns = fields.get("seq"), fields.get("n"), fields.get("t_ns")
        name = src if isinstance(src, str) else "anonymous"
        return cls(name, _whole(seq), _whole(n), _whole(t_ns))


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _object(payload: bytes) -> dict[str, Any]:
    try:
        fields = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


_shared = lru_cache(maxsize=MOST_SHARED)(_object)  # never changed


@dataclass(frozen=True)
class Entry:
    """One message: its topic after `PREFIX/VIN/`, its bytes, and when they arrived here."""

    rest: str
    payload: bytes
    mono_ns: int = 0

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The payload as a JSON object; empty if it is none.

        Capabilities are large, and those with the same tools share them.
        """
        if self.kind == "capabilities":
            stamps, rest = apart(self.payload)
            if (numbers := _object(stamps)) and (tools := _shared(rest)):
                return {**numbers, **tools}
        return _object(self.payload)

    @cached_property
    def stamps(self) -> "Stamps":
        """What orders it."""
        return Stamps.of(self.fields)

    @cached_property
    def kind(self) -> str:
        """`snapshot`, `command`, `reply`, …; inside a session `frame`, `turn`, `control`, `end`."""
        levels = self.rest.split("/")
        return levels[2] if levels[0] == "session" and len(levels) > 2 else levels[0]

    @property
    def src(self) -> str:
        return self.stamps.src

    @property
    def seq(self) -> int:
        return self.stamps.seq

    @property
    def n(self) -> int:
        return self.stamps.n

    @property
    def t_ns(self) -> int:
        return self.stamps.t_ns

    @property
    def order(self) -> tuple[int, str, int]:
        """Where this message belongs among the others of its episode."""
        src, seq, n, _ = self.stamps
        return n, src, seq

    def read(self, model: type[Payload]) -> Payload | None:
        """The payload as its model, or None if it does not fit."""
        try:
            return decode(model, self.payload)
        except ValidationError:
            return None


@dataclass(frozen=True)
class Call:
    """A command and what the car answered; `reply` is None if no answer was recorded.

    `fault` is the injected fault that hit it. `repeats_unheard`: it repeats, without effect, a call
    that was carried out while its reply was lost.
    """

    tool: str
    command: Command
    reply: Reply | None
    fault: FaultSeen | None = None
    repeats_unheard: bool = False

    @property
    def call_id(self) -> str:
        return self.command.call_id

    @property
    def arguments(self) -> dict[str, Any]:
        return self.command.arguments

    @property
    def succeeded(self) -> bool:
        return self.reply is not None and self.reply.status == "SUCCESS"

    @property
    def changed(self) -> bool:
        """Whether the car is another one since."""
        before, after = self.revision_before, self.revision_after
        return before is not None and after is not None and after > before

    @property
    def answered_ns(self) -> int | None:
        """When the reply came, if one did."""
        return self.reply.t_ns if self.reply else None

    @property
    def took_effect(self) -> bool:
        """Whether the car carried it out, with or without a reply."""
        return self.succeeded or (self.fault is not None and self.fault.unheard)

    @property
    def spoilt(self) -> bool:
        """Whether a fault prevented the call, or falsified or lost its reply."""
        if self.fault is None:
            return False
        return not self.fault.answered or (self.reply is not None and self.reply.fault is not None)

    @property
    def revision_before(self) -> int | None:
        source = self.reply or self.fault
        return source.revision_before if source else None

    @property
    def revision_after(self) -> int | None:
        source = self.reply or self.fault
        return source.revision_after if source else None


@dataclass(frozen=True)
class Record:
    """Everything the bus carried for one vin; `entries` in arrival order, without duplicates."""

    vin: str
    entries: tuple[Entry, ...]

    # --- completeness

    @cached_property
    def end(self) -> SessionEnd | None:
        return next(self._payloads("end", SessionEnd), None)

    def missing(self) -> dict[str, tuple[int, ...]]:
        """Per source the numbers announced in `end` that are not here; empty is complete."""
        return missing_numbers(self.end.counts, self._numbers) if self.end else {}

    @property
    def gap(self) -> str | None:
        """Why this record cannot be scored, in one sentence; None if it is complete."""
        if self.end is None:
            return "the end of the session was never recorded"
        for src, numbers in self.missing().items():
            of = self.end.counts[src]
            return f"{len(numbers)} of {of} messages of {src} are missing, first {numbers[0]}"
        return None

    def fenced(self) -> list[Entry]:
        """The numbered messages that `end` announced, in order: what every recording agrees on."""
        counts: Mapping[str, int] = self.end.counts if self.end else {}
        entries = [entry for entry in self.entries if 1 <= entry.seq <= counts.get(entry.src, 0)]
        return sorted(entries, key=lambda entry: entry.order)

    @cached_property
    def _numbers(self) -> dict[str, set[int]]:
        numbers: dict[str, set[int]] = defaultdict(set)
        for entry in self.entries:
            if entry.seq:
                numbers[entry.src].add(entry.seq)
        return numbers

    # --- the car

    @cached_property
    def states(self) -> dict[int, State]:
        """The variables at each revision that was recorded."""
        snapshots = self._payloads("snapshot", Snapshot)
        return {
            snapshot.revision: {**NEWER_VARIABLES, **snapshot.state}
            for snapshot in snapshots
            if snapshot.cause is not None or not snapshot.revision or self._in_time(snapshot)
        }

    def _in_time(self, payload: Stamped) -> bool:
        """Whether a message came before the session ended."""
        announced = self.end.counts if self.end else {}
        return payload.seq <= announced.get(payload.src, payload.seq)

    @cached_property
    def faults(self) -> tuple[FaultSeen, ...]:
        """The injected faults, in order."""
        return tuple(faults_seen(filter(self._in_time, self._payloads("event", CarEvent))))

    @cached_property
    def manual_changes(self) -> tuple[CarEvent, ...]:
        """Events by which somebody in the car, or the road, set values, in order."""
        events = filter(self._in_time, self._payloads("event", CarEvent))
        return tuple(event for event in events if isinstance(event.detail.get("set"), dict))

    @property
    def by_hand(self) -> tuple[State, ...]:
        """The values that were set so."""
        return tuple(event.detail["set"] for event in self.manual_changes)

    def state_at(self, revision: int) -> State | None:
        """The state at a revision: the newest snapshot that is not younger."""
        known = [number for number in self.states if number <= revision]
        return self.states[max(known)] if known else None

    @property
    def initial_state(self) -> State | None:
        return self.state_at(0)

    @property
    def final_state(self) -> State | None:
        return self.states[max(self.states)] if self.states else None

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every command with its reply, in the order the car worked on them.

        Commands without a reply come last, in the order they were given.
        """
        replies: dict[str, list[Reply]] = defaultdict(list)
        for reply in self._payloads("reply", Reply):
            replies[reply.call_id].append(reply)
        faults = {fault.call_id: fault for fault in self.faults}
        calls: list[Call] = []
        for entry in self._ordered("command"):
            command = entry.read(Command)
            if command is not None:
                waiting = replies[command.call_id]
                answer = waiting.pop(0) if waiting else None
                tool, fault = entry.rest.removeprefix("command/"), faults.get(command.call_id)
                calls.append(Call(tool, command, answer, fault))
        return tuple(_with_repetitions(sorted(calls, key=_answered_at)))

    @cached_property
    def held_up_turns(self) -> frozenset[int]:
        """Turns in which a fault made somebody wait for the car."""
        slow = (c for c in self.calls if c.fault is not None and c.fault.kind in HELD_UP)
        return frozenset(call.command.turn for call in slow if call.command.turn is not None)

    # --- the conversation

    @cached_property
    def turns(self) -> tuple[TurnFinished, ...]:
        turns = self._payloads("turn", TurnFinished)
        return tuple(sorted(turns, key=lambda turn: turn.turn))

    @cached_property
    def controls(self) -> tuple[Control, ...]:
        """The driver's control words, oldest first."""
        return tuple(self._payloads("control", Control))

    @cached_property
    def logged_frames(self) -> tuple[LoggedFrame, ...]:
        """Frames of both sockets in order, with those that the gateway ignored."""
        batches = self._ordered("frame")
        return tuple(frame for batch in batches for frame in logged_frames(batch.fields))

    @cached_property
    def frames(self) -> tuple[LoggedFrame, ...]:
        """The frames of the conversation, in order."""
        return tuple(frame for frame in self.logged_frames if frame.way != "ignored")

    def _ordered(self, kind: str) -> list[Entry]:
        entries = [entry for entry in self.entries if entry.kind == kind]
        return sorted(entries, key=lambda entry: entry.order)

    def _payloads(self, kind: str, model: type[Payload]) -> Iterator[Payload]:
        for entry in self._ordered(kind):
            payload = entry.read(model)
            if payload is not None:
                yield payload


def _answered_at(call: Call) -> tuple[bool, int, int]:
    if call.reply is None and call.fault is not None:
        return False, call.fault.n, 0
    stamps: Stamped = call.reply or call.command
    return call.reply is None, stamps.n, stamps.seq


def _with_repetitions(calls: Sequence[Call]) -> Iterator[Call]:
    done = [(call, call.answered_ns) for call in calls if call.fault is not None and call.changed]
    for call in calls:
        again = not (call.succeeded or call.changed) and any(
            (call.tool, call.arguments) == (earlier.tool, earlier.arguments)
            and earlier.command.n < call.command.n
            and (answered_ns is None or answered_ns > call.command.t_ns)
            for earlier, answered_ns in done
        )
        yield replace(call, repeats_unheard=True) if again else call


def missing_numbers(
    counts: Mapping[str, int], numbers: Mapping[str, set[int]]
) -> dict[str, tuple[int, ...]]:
    """Per source the numbers from 1 to its announced last one that are not in `numbers`."""
    missing: dict[str, tuple[int, ...]] = {}
    for src in sorted(counts):
        here = numbers.get(src, set())
        if len(here) < counts[src] or not here.issuperset(range(1, counts[src] + 1)):
            missing[src] = tuple(n for n in range(1, counts[src] + 1) if n not in here)
    return missing


def without_duplicates(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Drop what a broker delivered twice: same source, same number, same bytes.

    Two different messages under one number are both kept, so that nobody can push a message out of
    the record by using its number first. Sources that do not number are kept as they come.
    """
    seen: set[tuple[str, int, str, bytes]] = set()
    for entry in entries:
        if entry.seq:
            identity = (entry.src, entry.seq, entry.rest, entry.payload)
            if identity in seen:
                continue
            seen.add(identity)
        yield entry
