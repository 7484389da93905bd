"""What came of one thing the driver said, and what a test may expect of it."""

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
    """One turn: what was said and heard, called and changed, and how long it took.

    `turn` holds spans in ns (`upl`, `upl_content`, `effect_latency`, …) and the budget verdict.
    `ended` says why the conversation is over, if it is. `earlier` tells the turns before this one.
    """

    said: str
    turn: TurnFinished
    calls: tuple[Call, ...]
    before: State
    after: State
    ended: str | None = None
    earlier: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """What the driver heard; empty if the car said nothing."""
        return self.turn.heard_agent

    @property
    def changed(self) -> State:
        """What is different in the car after this turn, by short name."""
        return {name: now for name, now in self.after.items() if now != self.before.get(name)}

    def span_ms(self, span: str) -> float | None:
        """How long a span took; None if it never ended. Raises `ValueError` for unknown names."""
        if span not in self.turn.spans:
            raise ValueError(f"there is no span {span!r}; known are {', '.join(self.turn.spans)}")
        took_ns = self.turn.spans[span]
        return None if took_ns is None else took_ns / MS

    def within_ms(self, limit_ms: float, span: str = "upl") -> "Reply":
        """Expect that a span took no longer; `upl` is until the driver heard the first word."""
        __tracebackhide__ = True
        took_ms = self.span_ms(span)
        if took_ms is not None and took_ms <= limit_ms:
            return self
        took = "never ended" if took_ms is None else f"took {took_ms:.0f} ms"
        raise failed(f"{span} {took}, expected within {limit_ms:g} ms", *self._told)

    def says(self, pattern: str) -> "Reply":
        """Expect that a regular expression is found in what was heard, in any case."""
        __tracebackhide__ = True
        if re.search(pattern, self.text, re.IGNORECASE):
            return self
        raise failed(f"expected words like {pattern!r} in the reply", *self._told)

    def does_not_say(self, pattern: str) -> "Reply":
        """Expect that a regular expression is not found in what was heard."""
        __tracebackhide__ = True
        if found := re.search(pattern, self.text, re.IGNORECASE):
            raise failed(f"{found[0]!r} was said, and nothing like {pattern!r} should", *self._told)
        return self

    @property
    def told(self) -> tuple[str, ...]:
        """This turn for people to read."""
        return turn_lines(self.said, self.calls, self.text)

    @property
    def _told(self) -> tuple[str, ...]:
        return spans_line(self.turn.spans), *conversation_lines((*self.earlier, self.told))


@dataclass(frozen=True)
class Asked:
    """A turn that is under way: how things stood before the driver spoke."""

    said: str
    sid: str
    number: int
    gateway_seq: int
    state: State
    revision: int

    def finished(self, seen: Record) -> TurnFinished | None:
        """The turn, once it is over and everything that belongs to it was seen."""
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
        """A result the car gave; not one the gateway made up because there was none."""
        body = frame.body
        return isinstance(body, ToolResult) and frame.turn == self.number and body.error is None
