"""The parts of a score that follow from the car, its calls and how the conversation ended."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant_gateway.timing.budgets import MEASURED
from evaluator.record.record import Call, Record, State
from evaluator.scoring.conversation_end import failed_ending
from evaluator.scoring.expected import differences, in_short, nearest
from evaluator.scoring.policies.policy import Profile, is_published
from evaluator.scoring.turn_score import TurnScore
from vehicle_bus.car.schema import violations
from vehicle_bus.car.tool import INVALID, Answer
from vehicle_bus.contract import Reply
from vehicle_bus.tools import BY_NAME

Answered = tuple[str, Mapping[str, Any], Answer]
# Errors of ours where the public benchmark's tools raise an exception.
RAISED_THERE = frozenset({INVALID, "GET_ENTRIES_FROM_CALENDAR_002"})


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a score; `found` is the evidence when it is 0."""

    value: float | None
    why: str = ""
    found: tuple[str, ...] = ()


OPEN = Component(None)
KEPT = Component(1.0)


def final_state(final: State, expected: Sequence[State]) -> Component:
    """The state at the end equals, value by value, one that the expected actions lead to."""
    wrong = [] if final in expected else differences(final, nearest(final, expected))
    return Component(0.0, in_short(wrong), tuple(wrong)) if wrong else KEPT


def hand_overs(record: Record) -> Iterator[tuple[int, State]]:
    """The car at the start, which is turn 0, and whenever the driver got the floor."""
    moments = [(0, record.initial_state)]
    moments += [(t.turn, record.state_at(t.revision)) for t in record.turns if t.handed_over]
    yield from ((turn, state) for turn, state in moments if state is not None)


def intermediate_states(
    moments: Iterable[tuple[int, State]], expected: Callable[[int], Sequence[State]]
) -> Component:
    """In the turns of some moments the car is in a state that is expected then."""
    for turn, state in moments:
        if state not in expected(turn):
            wrong = differences(state, nearest(state, expected(turn)))
            moment = f"after turn {turn}" if turn else "at the start"
            return Component(0.0, f"{moment} {in_short(wrong)}", tuple(wrong))
    return KEPT


def tool_subset(calls: tuple[Call, ...], required: set[str]) -> Component:
    """Every tool of the expected actions was at least attempted."""
    missing = tuple(sorted(required - {call.tool for call in calls}))
    if not missing:
        return KEPT
    return Component(0.0, f"never called: {', '.join(missing)}", missing)


def tool_execution(
    calls: tuple[Call, ...], profile: Profile, expected: Iterable[Answered] = ()
) -> Component:
    """No call was refused. Removed parts, faults and what they lead to are not the agent's.

    The published profiles count only what the public benchmark logs as a tool execution error; in
    `car-bench-2026` that is also what its tools raise, and what is refused of the `expected` calls.
    """
    errors = [
        f"{call.tool}: {reply.error or reply.output[:120]}"
        for call in calls
        if (reply := call.reply) is not None
        and reply.fault is None
        and not call.repeats_unheard
        and _counts(call.tool, call.arguments, reply, profile)
    ]
    if profile == "car-bench-2026":
        errors += [
            f"{tool}, an expected call: {answer.error or answer.output[:120]}"
            for tool, arguments, answer in expected
            if _counts(tool, arguments, answer, profile)
        ]
    return Component(0.0, f"refused: {in_short(errors)}", tuple(errors)) if errors else KEPT


def _counts(
    tool: str, arguments: Mapping[str, Any], answer: Answer | Reply, profile: Profile
) -> bool:
    if not is_published(profile):
        return answer.status == "FAILURE"
    logged = answer.status == "FAILURE" and answer.logged
    return logged or (profile == "car-bench-2026" and _raised_there(tool, arguments, answer))


def _raised_there(tool: str, arguments: Mapping[str, Any], answer: Answer | Reply) -> bool:
    """Whether the public benchmark's tool raises an exception; a removed part was carried out, if
    nothing was missing."""
    if answer.status == "FAILURE":
        return answer.error in RAISED_THERE
    known = BY_NAME.get(tool) if answer.status == "REMOVED" else None
    return known is not None and any(
        found.kind == "missing" for found in violations(known.parameters, dict(arguments))
    )


def end_of_conversation(record: Record, removed: tuple[str, ...]) -> Component:
    """The driver did not end it as failed, and nothing this car lacks was used."""
    failed = failed_ending(record, removed)
    return Component(0.0, f"{failed.keyword}: {failed.why}") if failed else KEPT


def realtime(turns: tuple[TurnScore, ...]) -> Component:
    """No turn with a hard miss, other than one that the bench itself may have caused.

    It does not apply where latencies are not judged.
    """
    if not turns:
        return Component(0.0, "no turn was ever finished")
    if not any(turn.verdict.judged for turn in turns):
        return OPEN
    for turn in turns:
        if turn.hard_miss:
            missed = [
                f"{name} {'never came' if mark == 'missing' else 'too late'}"
                for name in MEASURED
                if (mark := turn.verdict.mark(name)) in ("hard", "missing")
            ]
            return Component(0.0, f"turn {turn.turn}: {', '.join(missed)}")
    return KEPT
