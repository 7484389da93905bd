"""The result of one turn, and what a test may expect of it."""

import re
from dataclasses import dataclass

from assistant_gateway.protocol import ToolResult
from assistant_gateway.session.logged_frame import LoggedFrame
from assistant_gateway.timing.timeline import MS
from evaluator.live.wording import conversation_lines, failed, spans_line, turn_lines
from evaluator.record.record import Call, Record, State
from vehicle_bus.contract import TurnFinished


@dataclass(frozen=True)
class Reply:
    """One turn: words, calls, changes in the car, and how long it took.

    `turn` holds spans in ns (`upl`, `upl_content`, `effect_latency`, …) and the budget verdict.
    `ended` is the end reason of the conversation, if it is over. `earlier` are the turns before.
    """

    driver: str
    turn: TurnFinished
    calls: tuple[Call, ...]
    before: State
    after: State
    ended: str | None = None
    earlier: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The words of the car; empty if it said nothing."""
        return self.turn.heard_agent

    @property
    def changed(self) -> State:
        """Values of the car that this turn changed, by short name."""
        return {name: now for name, now in self.after.items() if now != self.before.get(name)}

    def span_ms(self, span: str) -> float | None:
        """How long a span took; None if it never ended. Raises `ValueError` for unknown names."""
        if span not in self.turn.spans:
            raise ValueError(f"there is no span {span!r}; known are {', '.join(self.turn.spans)}")
        took_ns = self.turn.spans[span]
        return None if took_ns is None else took_ns / MS

    def within_ms(self, limit_ms: float, span: str = "upl") -> "Reply":
        """Expect that a span took no longer; `upl` ends when the driver hears the first word."""
        __tracebackhide__ = True
        took_ms = self.span_ms(span)
        if took_ms is not None and took_ms <= limit_ms:
            return self
        took = "never ended" if took_ms is None else f"took {took_ms:.0f} ms"
        raise failed(f"{span} {took}, expected within {limit_ms:g} ms", *self._lines)

    def says(self, pattern: str) -> "Reply":
        """Expect words of the car that match a regular expression, in upper or lower case."""
        __tracebackhide__ = True
        if re.search(pattern, self.text, re.IGNORECASE):
            return self
        raise failed(f"expected words like {pattern!r} in the reply", *self._lines)

    def does_not_say(self, pattern: str) -> "Reply":
        """Expect no words of the car that match a regular expression."""
        __tracebackhide__ = True
        if found := re.search(pattern, self.text, re.IGNORECASE):
            what = f"expected no words like {pattern!r} in the reply, found {found[0]!r}"
            raise failed(what, *self._lines)
        return self

    @property
    def lines(self) -> tuple[str, ...]:
        """This turn as text."""
        return turn_lines(self.driver, self.calls, self.text)

    @property
    def _lines(self) -> tuple[str, ...]:
        return spans_line(self.turn.spans), *conversation_lines((*self.earlier, self.lines))


@dataclass(frozen=True)
class OpenTurn:
    """A turn that is not finished, and the state before the driver spoke."""

    driver: str
    sid: str
    number: int
    gateway_seq: int
    state: State
    revision: int

    def finished(self, seen: Record) -> TurnFinished | None:
        """The turn, once it is over and all its messages were seen."""
        turn = self._turn(seen)
        if turn is None:
            return None
        numbers = {entry.seq for entry in seen.entries if entry.src == turn.src}
        complete = numbers.issuperset(range(self.gateway_seq + 1, turn.seq + 1))
        answered = [frame for frame in seen.frames if self._is_answer(frame)]
        replies = [call for call in self.calls(seen) if call.reply is not None]
        up_to_date = max(seen.states, default=self.revision) >= turn.revision
        return turn if complete and up_to_date and len(replies) >= len(answered) else None

    def calls(self, seen: Record) -> tuple[Call, ...]:
        """The calls of this turn."""
        mine = self.sid, self.number
        return tuple(
            call for call in seen.calls if (call.command.session, call.command.turn) == mine
        )

    def _turn(self, seen: Record) -> TurnFinished | None:
        for entry in seen.entries:
            if entry.rest == f"session/{self.sid}/turn":
                turn = entry.read(TurnFinished)
                if turn is not None and turn.turn == self.number:
                    return turn
        return None

    def _is_answer(self, frame: LoggedFrame) -> bool:
        """Whether a frame is a result from the car, not the gateway's for a lost one."""
        body = frame.body
        return isinstance(body, ToolResult) and frame.turn == self.number and body.error is None
