"""An episode in lines for people: who said and did what, in session time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from assistant_gateway.protocol import (
    SEATS,
    AgentSpeechEnd,
    AgentSpeechStart,
    ErrorFrame,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    UserSpeechStart,
)
from assistant_gateway.timing.budgets import TurnVerdict
from assistant_gateway.timing.speech import constant_speech
from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Call, Record
from evaluator.scoring.turn_score import TurnScore
from evaluator.views.sentences import event_sentence, fault_sentence

SHOWN = 200
ASSISTANT_WORD_NS = constant_speech().assistant_word_ns
Who = Literal["driver", "agent", "car", "bench"]
Order = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """One entry, `t_ns` after the session began; speech lasts until `until_ns`.

    `detail` has the values behind `text`:
    said `{kind?, heard_ns?, heard_words?}`: how many words were heard before an interruption;
    of the driver `{recognised?, seat?}`: what the agent was sent instead, and who else said it,
    call `{tool, arguments}`, reply `{status, output, error}`,
    state `{variable: [before, after]}`,
    turn `{turn, turn_class, spans, verdict, held_up, left_out_ms, sound?}`: how late the bench
    itself was, if so late that the turn is left out of all latencies, and how all was heard,
    control `{word, reason}`, fault `{kind, tool}`, by_hand `{by, set}`.
    """

    t_ns: int
    who: Who
    what: str
    text: str
    until_ns: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def transcript(record: Record) -> list[Line]:
    """Speech, calls, replies, changes and measured turns, in order.

    `what` is said, error, call, reply, state, turn, control, fault, by_hand or end. A message that
    cannot be decoded is `unreadable`. For equal stamps the order on the bus decides.
    """
    lines = [
        *_spoken(record),
        *(line for call in record.calls for line in _called(record, call)),
        *_measured(record),
        *_events(record),
        *_unreadable(record),
    ]
    return [line for _, line in sorted(lines, key=lambda line: (line[1].t_ns, *line[0]))]


@dataclass(slots=True)
class _Message:
    """A message of the agent, between two calls or hand-overs; `cut` if it was interrupted."""

    order: Order
    began_ns: int
    kind: str
    rid: str | None = None
    text: str = ""
    cut: bool = True

    @property
    def words(self) -> int:
        return len(self.text.split())

    def line(self, heard_ns: int | None, sound: "_Sound | None") -> Line:
        """`heard_ns` is when its first word is heard, in a sound that ends by itself or is cut."""
        heard: dict[str, Any] = {"kind": self.kind, "heard_ns": heard_ns}
        until_ns = None
        if heard_ns is not None:
            until_ns = heard_ns + self.words * ASSISTANT_WORD_NS
            if sound is not None:
                until_ns = min(until_ns, sound.until_ns)
                if sound.words_left is not None:
                    heard["heard_words"] = sound.take(self.words)
        text = self.text + (" …" if self.cut else "")
        return Line(self.began_ns, "agent", "said", text, until_ns=until_ns, detail=heard)


@dataclass(slots=True)
class _Sound:
    """What is heard without a pause, until when; `words_left` if the driver interrupted it."""

    until_ns: int
    words_left: int | None

    def take(self, words: int) -> int:
        """How many words of the next message are heard."""
        heard = min(words, self.words_left or 0)
        self.words_left = (self.words_left or 0) - heard
        return heard


def _spoken(record: Record) -> Iterator[tuple[Order, Line]]:
    """Both sides as seen on the agent's socket: the driver's transcript, the agent's text."""
    began_ns: int | None = None
    turn = 0
    changed = {each.turn: each for each in record.turns if (each.sound or {}).get("word_errors")}
    saying: dict[str | None, _Message] = {}
    said: list[_Message] = []
    for frame in record.frames:
        t_ns, rid = frame.t_ns, frame.rid
        match frame.body:
            case UserSpeechStart(after_ms=after_ms):
                began_ns = t_ns + after_ms * MS
            case InputTranscriptFinal(text=text, user_speech_end_ns=end_ns, zone=zone):
                at_ns = t_ns if began_ns is None else began_ns
                # A recorded run that was not timed ends speech where it begins.
                until_ns = end_ns if end_ns > at_ns else None
                turn += 1
                words = changed[turn].heard_user if turn in changed else text
                detail = {"recognised": text} if turn in changed else {}
                if zone != "driver":
                    detail["seat"] = SEATS[zone]
                yield frame.place, Line(at_ns, "driver", "said", words, until_ns, detail)
                began_ns = None
            case ResponseTextDelta(delta=delta, kind=kind):
                if rid not in saying:
                    saying[rid] = _Message(frame.place, t_ns, kind, rid)
                    said.append(saying[rid])
                saying[rid].text += delta
            case ResponseDone() if rid in saying:
                saying.pop(rid).cut = False
            case Interrupt():
                saying.clear()
                began_ns = t_ns if began_ns is None else began_ns
            case ErrorFrame(message=message):
                yield frame.place, Line(t_ns, "bench", "error", message)
    yield from ((message.order, line) for message, line in _heard(record, said))


def _heard(record: Record, said: Iterable[_Message]) -> Iterator[tuple[_Message, Line]]:
    """Messages follow each other in one sound, whose start and end are noted."""
    starts = {
        frame.rid: frame.t_ns
        for frame in reversed(record.frames)
        if isinstance(frame.body, AgentSpeechStart)
    }
    free_ns: int | None = None  # when the message before is over
    sound: _Sound | None = None
    for message in said:
        heard_ns = starts.get(message.rid)
        if heard_ns is not None:
            sound = _sound(record, heard_ns)
        elif free_ns is not None:
            heard_ns = max(free_ns, message.began_ns)
            if sound is not None and heard_ns >= sound.until_ns:
                heard_ns = None
        line = message.line(heard_ns, sound)
        free_ns = line.until_ns
        yield message, line


def _sound(record: Record, began_ns: int) -> _Sound | None:
    """The sound that began then; None if its end was not noted."""
    for frame in record.frames:
        if isinstance(frame.body, AgentSpeechEnd) and frame.t_ns >= began_ns:
            cut = frame.body.reason == "interrupted"
            return _Sound(frame.t_ns, len(frame.body.heard_text.split()) if cut else None)
    return None


def _called(record: Record, call: Call) -> Iterator[tuple[Order, Line]]:
    asked_ns = call.command.t_ns or call.command.at_ns
    asked: dict[str, Any] = {"tool": call.tool, "arguments": call.arguments}
    text = f"{call.tool}({brief(call.arguments)})"
    yield (call.command.n, 0), Line(asked_ns, "agent", "call", text, detail=asked)
    reply = call.reply
    if reply is None:
        yield (call.command.n, 1), Line(asked_ns, "car", "reply", "none")
        if call.fault is not None and call.fault.unheard:
            yield (call.fault.n, 1), _changed(record, call, call.fault.t_ns)
        return
    answer = {"status": reply.status, "output": reply.output, "error": reply.error}
    text = f"{reply.status} {reply.output}"[:SHOWN]
    yield (reply.n, 0), Line(reply.t_ns, "car", "reply", text, detail=answer)
    if reply.revision_after > reply.revision_before:
        yield (reply.n, 1), _changed(record, call, reply.t_ns)


def _changed(record: Record, call: Call, t_ns: int) -> Line:
    changed = _changes(record, call.revision_before or 0, call.revision_after or 0)
    text = brief({name: after for name, (_, after) in changed.items()})
    return Line(t_ns, "car", "state", text, detail=changed)


def _changes(record: Record, before: int, after: int) -> dict[str, tuple[Any, Any]]:
    was, now = record.state_at(before) or {}, record.state_at(after) or {}
    return {name: (was.get(name), now[name]) for name in now if now[name] != was.get(name)}


def _measured(record: Record) -> Iterator[tuple[Order, Line]]:
    for turn in record.turns:
        verdict = TurnVerdict.model_validate(turn.verdict)
        miss = "too late" if verdict.hard_miss else "within budget"
        miss = miss if verdict.judged else "not judged"
        spans = ", ".join(
            f"{name} {'never' if span is None else f'{span / MS:.0f} ms'}"
            for name, span in turn.spans.items()
        )
        text = f"{turn.turn} class {turn.turn_class} {miss}: {spans}"
        detail = {
            "turn": turn.turn,
            "turn_class": turn.turn_class,
            "spans": turn.spans,
            "verdict": turn.verdict,
            "held_up": turn.turn in record.held_up_turns,
            "left_out_ms": _left_out_ms(TurnScore.of(turn)),
            **({"sound": turn.sound} if turn.sound else {}),
        }
        yield (turn.n, 0), Line(turn.t_ns, "bench", "turn", text, detail=detail)
    for control in record.controls:
        text = f"{control.word} ({control.reason})"
        detail = {"word": control.word, "reason": control.reason}
        yield (control.n, 0), Line(control.t_ns, "driver", "control", text, detail=detail)
    if record.end is not None:
        yield (record.end.n, 0), Line(record.end.t_ns, "bench", "end", record.end.reason)


def _left_out_ms(turn: TurnScore) -> float | None:
    return turn.harness_error_ms if turn.excluded and not turn.judged else None


def _events(record: Record) -> Iterator[tuple[Order, Line]]:
    """Injected faults, and manual changes."""
    for fault in record.faults:
        delay = f" by {fault.delay_ms} ms" if fault.delay_ms else ""
        text = fault_sentence(fault.kind, fault.tool) + delay
        detail: dict[str, Any] = {"kind": fault.kind, "tool": fault.tool, "id": fault.id}
        yield (fault.n, 0), Line(fault.t_ns, "bench", "fault", text, detail=detail)
    for event in record.manual_changes:
        detail = {"by": event.detail.get("by", "somebody"), "set": event.detail["set"]}
        text = event_sentence("knob", detail)
        yield (event.n, 0), Line(event.t_ns, "car", "by_hand", text, detail=detail)


def _unreadable(record: Record) -> Iterator[tuple[Order, Line]]:
    for entry in record.entries:
        if not entry.fields:
            text = f"{entry.rest} ({len(entry.payload)} bytes)"
            yield (entry.n, 0), Line(0, "bench", "unreadable", text)


def brief(values: Mapping[str, Any]) -> str:
    """`name=JSON` of each value, in one line of at most `SHOWN` characters."""
    listed = ", ".join(f"{name}={orjson.dumps(value).decode()}" for name, value in values.items())
    return listed[:SHOWN]
