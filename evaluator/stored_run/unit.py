"""One unit of a stored run: a task, played once, with its verdict and what is on record of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from assistant_gateway.protocol import InputTranscriptFinal, SessionReady, ToolCall
from assistant_gateway.session.trace_context import TraceContext
from evaluator.record import record as recorded
from evaluator.record.record import Record
from evaluator.record.stored_form import BlobError, decode_record
from evaluator.results.store import StoreError, UnitResult
from evaluator.scoring.turn_score import TurnScore
from evaluator.stored_run.parts import Span, StoredCall, StoredTurn
from evaluator.views.captions import JUDGED
from vehicle_bus.contract import TurnFinished

TRACED = b'"traceparent"'
MARKED = {span: limit for limit, span in JUDGED.items()}  # a latency to its field in a verdict


@dataclass(frozen=True)
class StoredUnit:
    """What was saved last for one trial of a task.

    `result` has everything that was stored with the verdict; the properties here are what most
    people ask for. Conversation and calls are read from the record when they are first asked for.
    """

    result: UnitResult
    stored_record: bytes | None

    # --- the verdict

    @property
    def name(self) -> str:
        """TASK:TRIAL, as all commands call it."""
        return self.result.name

    @property
    def task_id(self) -> str:
        return self.result.task_id

    @property
    def trial(self) -> int:
        return self.result.trial

    @property
    def attempt(self) -> int:
        return self.result.attempt

    @property
    def task_type(self) -> str:
        return self.result.task_type

    @property
    def title(self) -> str:
        return self.result.title

    @property
    def outcome(self) -> str:
        """`success` or `failure` of the agent; `user_error` and `infra_error` are not its own."""
        return self.result.score.outcome

    @property
    def counts(self) -> bool:
        """Whether the unit says something about the agent."""
        return self.result.score.evaluated

    @property
    def solved(self) -> bool:
        return self.outcome == "success"

    @property
    def in_time(self) -> bool:
        """Solved, and no hard limit was missed."""
        return self.result.score.in_time

    @property
    def reward(self) -> float | None:
        """1 or 0; null if the unit does not count, or a judge has still to decide."""
        return self.result.score.reward

    @property
    def reason(self) -> str:
        """Why the unit is no success; empty if it is."""
        return self.result.score.reason

    @property
    def failure(self) -> str | None:
        """The kind of failure, such as `policy_violation`; null for a success."""
        failure = self.result.score.failure
        return failure.kind if failure else None

    @property
    def components(self) -> Mapping[str, float | None]:
        """The parts of the reward by name: 1, 0, or null where a part does not apply."""
        return self.result.score.components

    @property
    def started_at(self) -> datetime:
        return datetime.fromisoformat(self.result.started_at)

    @property
    def finished_at(self) -> datetime:
        return datetime.fromisoformat(self.result.finished_at)

    @property
    def cost_usd(self) -> Mapping[str, float | None]:
        """By who was paid: `agent`, `user`, `judge`; null if it is not known."""
        return self.result.cost

    # --- what happened

    @cached_property
    def record(self) -> Record | None:
        """Everything that the bus carried; null if it was not kept. `StoreError` if damaged."""
        if self.stored_record is None:
            return None
        try:
            return decode_record(self.stored_record)
        except BlobError as error:
            raise StoreError(f"{self.name}: {error}") from error

    @cached_property
    def calls(self) -> tuple[StoredCall, ...]:
        """All calls of tools, in the order in which the car worked on them."""
        return tuple(_calls(self.record)) if self.record else ()

    @cached_property
    def turns(self) -> tuple[StoredTurn, ...]:
        """The turns of the agent, in order."""
        finished = {turn.turn: turn for turn in self.record.turns} if self.record else {}
        asked = _speech_ends(self.record) if self.record else {}
        return tuple(
            self._turn(score, finished.get(score.turn), asked.get(score.turn))
            for score in self.result.score.turns
        )

    @property
    def spans(self) -> Iterator[tuple[StoredTurn, Span]]:
        """All latencies with the turn that each belongs to."""
        return ((turn, span) for turn in self.turns for span in turn.spans)

    @cached_property
    def ended_ns(self) -> int | None:
        """When the session ended, in ns since it began."""
        end = self.record.end if self.record else None
        return end.t_ns if end else None

    @cached_property
    def traceparent(self) -> str | None:
        """The span of the agent's own trace that the session belongs to, if it said so."""
        frames = self.record.frames if self.record else ()
        traced = (frame.traceparent for frame in frames if isinstance(frame.body, SessionReady))
        return next(traced, None)

    def _turn(
        self, score: TurnScore, turn: TurnFinished | None, asked_ns: int | None
    ) -> StoredTurn:
        return StoredTurn(
            number=score.turn,
            turn_class=score.turn_class,
            driver=turn.heard_user if turn else "",
            agent=turn.heard_agent if turn else "",
            asked_ns=asked_ns,
            ended_ns=turn.t_ns if turn else None,
            spans=tuple(Span(name, ns, _mark(score, name)) for name, ns in score.spans.items()),
            calls=tuple(call for call in self.calls if call.turn == score.turn),
            too_late=score.hard_miss,
            slow=score.verdict.soft_miss,
            score=score.credit,
            counts=score.counts_for_latency,
        )


def _mark(score: TurnScore, span: str) -> str:
    mark: str = getattr(score.verdict, MARKED[span]) if span in MARKED else "n/a"
    return mark


def _speech_ends(record: Record) -> dict[int, int]:
    """By the number of the turn: when the driver had finished."""
    finals = (frame.body for frame in record.frames)
    ends = [body.user_speech_end_ns for body in finals if isinstance(body, InputTranscriptFinal)]
    return dict(enumerate(ends, 1))


def _calls(record: Record) -> Iterator[StoredCall]:
    traced = _traced_calls(record)
    for call in record.calls:
        reply = call.reply
        yield StoredCall(
            call_id=call.call_id,
            tool=call.tool,
            arguments=call.arguments,
            turn=call.command.turn,
            asked_ns=call.command.t_ns or call.command.at_ns,
            answered_ns=call.answered_ns,
            status=reply.status if reply else None,
            output=reply.output if reply else "",
            error=reply.error if reply else None,
            changed=call.changed,
            fault=call.fault.kind if call.fault else None,
            traceparent=_traced(call, traced),
        )


def _traced_calls(record: Record) -> list[tuple[str, Any, str | None]]:
    """Tool, arguments and span of the agent's trace of all its calls, in order."""
    if not any(TRACED in entry.payload for entry in record.entries):
        return []  # frames are slow to decode
    found = []
    context = TraceContext()
    for frame in record.frames:
        match frame.body:
            case InputTranscriptFinal():
                context.new_turn()
            case body if frame.way == "in" and frame.peer == "agent":
                context.take(frame)
                if isinstance(body, ToolCall):
                    found.append((body.name, body.arguments, context.of(frame.cid)))
    return found


def _traced(call: recorded.Call, asked: list[tuple[str, Any, str | None]]) -> str | None:
    """The span of a call, which is taken from those that were asked."""
    for index, (tool, arguments, traceparent) in enumerate(asked):
        if (tool, arguments) == (call.tool, call.arguments):
            del asked[index]
            return traceparent
    return None
