"""One conversation as a pure state machine: frames, replies and due events in, effects out.

The floor belongs to the driver or to the agent. A turn begins with the driver's words and ends when
the agent hands the floor back: a `response.done` without tool calls in it and with none open.
Progress speech is no hand-over. All times are session time in ns.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, assert_never

from assistant_gateway.budgets import DEFAULT_BUDGETS, Budgets, TurnClass
from assistant_gateway.calls import Call, Calls
from assistant_gateway.effects import (
    AgentHeard,
    CallOverdue,
    Decided,
    DueEvent,
    Effect,
    Ended,
    HandOver,
    HardLimit,
    InterjectionEnds,
    Interjects,
    Interrupts,
    Run,
    Silence,
    SpeechBegins,
    SpeechEnds,
    SpeechPartial,
    ToAgent,
    TooLong,
    ToUser,
    YourTurn,
)
from assistant_gateway.interjections import Interjections
from assistant_gateway.patience import OnHardLimit, Patience
from assistant_gateway.playout import Playout
from assistant_gateway.protocol import (
    AgentMetrics,
    AgentNoReply,
    AgentSpeechEnd,
    AgentSpeechStart,
    Body,
    ErrorFrame,
    Frame,
    InputSpeechStarted,
    InputSpeechStopped,
    InputTranscriptFinal,
    InputTranscriptPartial,
    Interrupt,
    Nudge,
    Pace,
    ResponseDone,
    ResponseStart,
    ResponseTextDelta,
    SessionClose,
    SessionEnded,
    SpeechKind,
    ToolCall,
    ToolResult,
    UserControl,
    UserHangup,
    UserInterject,
    UserSpeechEnd,
    UserSpeechStart,
    UserSpeechWord,
)
from assistant_gateway.speech import Speech, constant_speech
from assistant_gateway.timeline import MS, SECOND, Timeline
from assistant_gateway.turn import Response, Turn
from assistant_gateway.utterance import transcripts
from vehicle_bus.contract import Reply

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
GO_ON = "CONTINUE"


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """All the gateway has to know about a session before it starts.

    A driver may think for `patience_s` before the session is given up, a human as long as he likes.
    Frames reach the bus in batches of `batch_ns`. What comes later than a `simulated` agent and car
    have planned is the bench's own doing; of others nobody knows what they planned.
    """

    sid: str
    vin: str
    pace: Pace = "live"
    instructions: str = ""
    turn_classes: tuple[TurnClass, ...] = ("A",)
    max_steps: int = 40
    speak_progress: bool = True
    tool_timeout_ns: int = 5 * SECOND
    longest_turn_ns: int = 300 * SECOND
    patience_s: float | None = 60.0
    batch_ns: int = 200 * MS
    locale: str = "en"
    speech: Speech = field(default_factory=constant_speech)
    budgets: Budgets = DEFAULT_BUDGETS
    on_hard_limit: OnHardLimit = "record"
    simulated: bool = False

    def turn_class(self, turn: int) -> TurnClass:
        return self.turn_classes[min(turn, len(self.turn_classes)) - 1]


@dataclass(frozen=True, slots=True)
class CutOff:
    """A response nobody listens to any more; what still arrives of it is dropped."""

    rid: str | None
    at_ns: int


class Conversation:
    """Feed it what happens, drain `effects`, and pop its `timeline` when nothing else is due."""

    def __init__(self, plan: SessionPlan, ends_conversation: frozenset[str] = frozenset()) -> None:
        self.plan = plan
        self.timeline = Timeline()
        self.effects: deque[Effect] = deque()
        self.floor: Literal["driver", "speaking", "agent", "playout", "over"] = "driver"
        self.turn: Turn | None = None
        self.revision = 0
        self.end_reason: str | None = None
        self.unanswered_calls: set[str] = set()
        self.partials = False
        self.speech_events = True
        self._ends_conversation = ends_conversation
        self._response: Response | None = None
        self._steps = 0
        self._calls = Calls()
        self._cut_off: CutOff | None = None
        self._interjections = Interjections(self.timeline)
        self._interrupting = False
        self._patience = Patience(self.timeline)
        self._hanging_up = False
        self._open_words: list[str] = []
        self._word_by_word = False

    @property
    def owes(self) -> bool:
        """Whether the agent has to act before anything can be skipped."""
        return (
            self.floor == "agent" or self._response is not None or self._calls.running is not None
        )

    # --- from the agent

    def agent_frame(self, frame: Frame, at_ns: int) -> None:
        match frame.body:
            case AgentMetrics() | ErrorFrame():
                return
            case ResponseStart() | ResponseTextDelta() | ToolCall() | ResponseDone():
                if self._is_cut_off(frame, at_ns):
                    return
                if self.floor != "agent":
                    expected = "wait for input.transcript.final, then answer it"
                    self._complain("not_your_turn", expected, frame.rid)
                    return
            case _:
                self._complain("out_of_place", f"{frame.body.TYPE} means nothing here", frame.rid)
                return
        if self._response is None and not self._open_response(frame.rid, at_ns):
            return
        match frame.body:
            case ResponseTextDelta():
                self._text(frame.body, at_ns)
            case ToolCall():
                self._tool_call(frame.body, frame.cid, frame.rid, at_ns)
            case ResponseDone():
                self._response_done(frame.body, at_ns)

    def _is_cut_off(self, frame: Frame, at_ns: int) -> bool:
        cut_off = self._cut_off
        if cut_off is None or frame.rid != cut_off.rid:
            return False
        if self.turn is not None:
            self.turn.agent_stop_ns = at_ns - cut_off.at_ns
        return True

    def _open_response(self, rid: str | None, at_ns: int) -> bool:
        if self._steps >= self.plan.max_steps:
            self._give_up(at_ns, "step_limit")
            return False
        self._response = Response(rid)
        return True

    def _text(self, body: ResponseTextDelta, at_ns: int) -> None:
        turn, response = self.turn, self._response
        assert turn is not None
        assert response is not None
        if self.plan.speak_progress:
            self._speak(body.delta, body.kind, at_ns)
        else:
            response.held_back.append((body.delta, body.kind, at_ns))

    def _speak(self, delta: str, kind: SpeechKind, at_ns: int) -> None:
        turn, response = self.turn, self._response
        assert turn is not None
        assert response is not None
        if turn.first_text_ns is None and delta.strip():
            turn.first_text_ns = at_ns
        silent = turn.playout.started_ns is None
        start = turn.playout.say(delta, at_ns)
        if start is None:
            return
        if kind == "content" and response.content_ns is None:
            response.content_ns = start
        if silent:
            self.timeline.at(start, AgentHeard(turn.number, response.rid))
        self._patience.await_words(turn, at_ns)
        if self.floor == "agent":
            self._interjections.plan(turn)

    def _tool_call(self, body: ToolCall, cid: str | None, rid: str | None, at_ns: int) -> None:
        turn, response = self.turn, self._response
        assert turn is not None
        assert response is not None
        if not cid:
            self._complain("bad_envelope", 'tool.call needs a "cid" of its own', rid)
            return
        turn.calls += 1
        response.calls += 1
        call = self._calls.numbered(cid, body.name, body.arguments, turn.number)
        if TOOL_NAME.fullmatch(body.name) is None:
            self._answer(call, "", f"no tool can be named {body.name[:80]!r}", at_ns)
            return
        self._calls.add(call)
        self._run_next(at_ns)

    def _run_next(self, at_ns: int) -> None:
        if (call := self._calls.next()) is not None:
            call.deadline = self.timeline.at(at_ns + self.plan.tool_timeout_ns, CallOverdue(call))
            self.effects.append(Run(call))

    def _response_done(self, body: ResponseDone, at_ns: int) -> None:
        turn, response = self.turn, self._response
        assert turn is not None
        assert response is not None
        self._steps += 1
        if body.status == "failed":
            self._give_up(at_ns, "agent_failed")
            return
        if not response.calls:
            for delta, kind, arrived_ns in response.held_back:
                self._speak(delta, kind, arrived_ns)
            turn.content_ns = turn.content_ns or response.content_ns
        turn.playout.pause()
        self._response = None
        if response.calls or self._calls.running is not None:
            self._hang_up_if_due(at_ns)
            return
        self.floor = "playout"
        self._patience.end()
        self.timeline.at(max(at_ns, turn.playout.end_ns or 0), HandOver(turn.number))

    def unusable(self, source: str, code: str, expected: str) -> None:
        """A peer sent something nobody can use: tell it, and let the record show it."""
        error = ErrorFrame(code=code, message=expected)
        self.effects.append(ToAgent(error) if source == "agent" else ToUser(error))

    # --- from the car

    def reply(self, reply: Reply, at_ns: int) -> None:
        """The answer to the running call; answers to calls given up are only remembered."""
        changed = reply.status == "SUCCESS" and reply.revision_after > reply.revision_before
        call = self._carried_out(reply.call_id, reply.revision_after, at_ns, changed=changed)
        if call is None:
            return
        if reply.status == "SUCCESS" and call.tool in self._ends_conversation:
            self._hanging_up = True
        self._close_call(call, reply.output, None, at_ns)

    def unheard(self, call_id: str, revision: int, at_ns: int, *, changed: bool) -> None:
        """The car is known not to answer a call; whoever made it learns that from its silence."""
        self._carried_out(call_id, revision, at_ns, changed=changed)

    def _carried_out(
        self, call_id: str, revision: int, at_ns: int, *, changed: bool
    ) -> Call | None:
        """The running call if it is this one; what it changed is an effect of the turn."""
        self.revision = max(self.revision, revision)
        call = self._calls.running
        if call is None or call.call_id != call_id:
            return None
        if changed and self.turn is not None and call.turn == self.turn.number:
            self.turn.effect_ns = at_ns
        return call

    def _close_call(self, call: Call, output: str, error: str | None, at_ns: int) -> None:
        self._calls.close(call)
        self._answer(call, output, error, at_ns)
        self._run_next(at_ns)
        self._hang_up_if_due(at_ns)

    def _answer(self, call: Call, output: str, error: str | None, at_ns: int) -> None:
        result = ToolResult(output=output, error=error, now_ns=at_ns)
        self.effects.append(ToAgent(result, call.turn, cid=call.cid))
        if self.floor == "agent" and self.turn is not None:
            self._patience.await_words(self.turn, at_ns)

    def _hang_up_if_due(self, at_ns: int) -> None:
        """A call was placed: the session ends once its batch is complete."""
        turn = self.turn
        if not self._hanging_up or self._response or self._calls.running or turn is None:
            return
        if turn.effect_ns is not None:  # the ringing is what the driver hears
            if turn.playout.started_ns is None:
                turn.playout.segments.append((turn.effect_ns, turn.effect_ns))
            turn.content_ns = turn.content_ns or turn.effect_ns
        self._finish_turn(at_ns, handed_over=False)
        self.end("call_placed")

    # --- from the driver

    def user_frame(self, frame: Frame, at_ns: int) -> None:
        match frame.body:
            case UserSpeechStart():
                self._user_starts(frame.body, at_ns)
            case UserSpeechWord() if self._word_by_word:
                self._open_words.append(frame.body.w)
            case UserSpeechEnd() if self._word_by_word:
                self._word_by_word = False
                self.timeline.at(at_ns, SpeechEnds(frame.body.text or " ".join(self._open_words)))
            case UserInterject():
                self._interjections.add(frame.body)
                if self.turn is not None and self.floor == "agent":
                    self._interjections.plan(self.turn)
            case UserControl() if self.floor == "driver":
                self._user_decides(frame.body)
            case UserHangup():
                self.end("driver_hung_up")
            case ErrorFrame():
                return
            case _:
                code, expected = (
                    "out_of_place",
                    f"{frame.body.TYPE} while the floor is {self.floor}",
                )
                self.effects.append(ToUser(ErrorFrame(code=code, message=expected)))

    def _user_starts(self, body: UserSpeechStart, at_ns: int) -> None:
        if self.floor in ("agent", "playout") and body.is_barge_in and body.planned_words:
            assert self.turn is not None
            begins_ns = at_ns + max(0, body.after_ms) * MS
            over = Interjects(body.utt, body.planned_words, self.turn.number)
            self.timeline.at(begins_ns, over)
            return
        if self.floor != "driver":
            message = "the floor is not yours; wait for agent.speech.end"
            self.effects.append(ToUser(ErrorFrame(code="not_your_turn", message=message)))
            return
        self.floor = "speaking"
        begins = SpeechBegins(body.utt, body.planned_words)
        if body.planned_words is None and body.after_ms <= 0:  # its words may be here already
            self._speech_begins(begins, at_ns)
            return
        self.timeline.at(at_ns + max(0, body.after_ms) * MS, begins)

    def _user_decides(self, body: UserControl) -> None:
        number = self.turn.number if self.turn else 0
        self.effects.append(Decided(body.word, body.reason, number))
        if body.word != GO_ON:
            self.end(body.word)

    # --- due

    def due(self, event: DueEvent, at_ns: int) -> None:
        match event:
            case SpeechBegins():
                self._speech_begins(event, at_ns)
            case SpeechPartial(text, stable_chars):
                self._to_agent(InputTranscriptPartial(text=text, stable_chars=stable_chars))
            case SpeechEnds():
                self._speech_ends(event.text, at_ns)
            case YourTurn():
                self._your_turn(event.text, at_ns)
            case AgentHeard():
                self._agent_heard(event)
            case HandOver():
                self._hand_over(event.turn, at_ns)
            case Silence() | TooLong():
                self._no_reply(at_ns)
            case Interjects():
                self._interject(event, at_ns)
            case Interrupts():
                self._interrupt(event, at_ns)
            case InterjectionEnds():
                if self.speech_events:
                    self._to_agent(InputSpeechStopped())
            case HardLimit():
                self._hard_limit(event.turn, at_ns)
            case CallOverdue():
                if self._calls.running is event.call:
                    waited_s = self.plan.tool_timeout_ns / SECOND
                    error = f"the car did not answer {event.call.tool} within {waited_s:g} s"
                    self.unanswered_calls.add(event.call.call_id)
                    self._close_call(event.call, "", error, at_ns)
            case _:
                assert_never(event)

    def _speech_begins(self, event: SpeechBegins, at_ns: int) -> None:
        self._next_turn()
        if event.words is None:
            self._open_words = []
            self._word_by_word = True
            return
        self._plan_words(event.words, at_ns)

    def _next_turn(self) -> None:
        number = self.turn.number + 1 if self.turn else 1
        playout = Playout(self.plan.speech, number)
        self.turn = Turn(number, self.plan.turn_class(number), playout, self.plan.budgets)
        if self.speech_events:
            self._to_agent(InputSpeechStarted())

    def _plan_words(self, words: Sequence[str], from_ns: int) -> None:
        assert self.turn is not None
        speech, number = self.plan.speech, self.turn.number
        for due_ns, event in transcripts(speech, words, from_ns, number, partials=self.partials):
            self.timeline.at(due_ns, event)

    def _speech_ends(self, text: str, at_ns: int) -> None:
        assert self.turn is not None
        self.turn.heard_user = text
        self.turn.speech_end_ns = at_ns
        self.timeline.at(
            at_ns + self.plan.speech.end_of_turn_ns(text, self.turn.number), YourTurn(text)
        )

    def _your_turn(self, text: str, at_ns: int) -> None:
        turn = self.turn
        assert turn is not None
        turn.end_of_turn_ns = turn.asked_ns = at_ns
        self._cut_off = None
        self.floor = "agent"
        if self.speech_events:
            self._to_agent(InputSpeechStopped())
        final = InputTranscriptFinal(text=text, user_speech_end_ns=turn.speech_end_ns, now_ns=at_ns)
        self._to_agent(final)
        self._patience.begin(turn, self.plan.longest_turn_ns, self.plan.on_hard_limit)
        self._interjections.plan(turn)

    def _agent_heard(self, event: AgentHeard) -> None:
        turn = self.turn
        assert turn is not None
        if turn.number == event.turn and turn.playout.started_ns is not None:
            self.effects.append(ToUser(AgentSpeechStart(), turn.number, event.rid))

    def _hand_over(self, number: int, at_ns: int) -> None:
        turn = self.turn
        assert turn is not None
        if self._interrupting or turn.number != number:
            return
        self._finish_turn(at_ns, handed_over=True)
        self.floor = "driver"
        heard = turn.playout.text.strip()
        self.effects.append(ToUser(AgentSpeechEnd(heard_text=heard), turn.number))

    def _no_reply(self, at_ns: int) -> None:
        turn = self.turn
        assert turn is not None
        if self._interrupting:
            return
        self._cut(turn.playout.cut(at_ns), at_ns)
        self._finish_turn(at_ns, handed_over=False)
        self.floor = "driver"
        waited_ms = (at_ns - turn.speech_end_ns) // MS
        self.effects.append(ToUser(AgentNoReply(waited_ms=waited_ms), turn.number))

    # --- both at once

    def _interject(self, event: Interjects, at_ns: int) -> None:
        turn = self.turn
        if turn is None or turn.number != event.turn or self.floor not in ("agent", "playout"):
            return
        if self._interrupting:  # the driver is speaking already
            return
        started_ns = turn.playout.started_ns
        if event.only_if_silent and started_ns is not None and started_ns <= at_ns:
            return
        lasts_ns = self.plan.speech.words_end_ns(event.words)[-1]
        turn.spoken_over.append((at_ns, at_ns + lasts_ns))
        if self.speech_events:
            self._to_agent(InputSpeechStarted())
        if lasts_ns < self.plan.speech.interruption_ns:
            self.timeline.at(at_ns + lasts_ns, InterjectionEnds())
            return
        self._interrupting = True
        meant_ns = at_ns + self.plan.speech.interruption_ns
        self.timeline.at(meant_ns, Interrupts(event.utt, event.words, turn.number, at_ns))

    def _interrupt(self, event: Interrupts, at_ns: int) -> None:
        """The agent is cut off, and the utterance that did it becomes the next turn."""
        turn = self.turn
        self._interrupting = False
        if turn is None or turn.number != event.turn or self.floor not in ("agent", "playout"):
            return
        if turn.playout.audible_ns(event.onset_ns, event.onset_ns + 1):
            turn.barge_stop_ns = min(at_ns, turn.playout.end_ns or at_ns) - event.onset_ns
        turn.spoken_over[-1] = (event.onset_ns, at_ns)
        heard = turn.playout.cut(at_ns)
        self._cut(heard, at_ns)
        self._finish_turn(at_ns, handed_over=False)
        ended = AgentSpeechEnd(heard_text=heard, reason="interrupted", utt=event.utt)
        self.effects.append(ToUser(ended, turn.number))
        self.floor = "speaking"
        self.speech_events, told = False, self.speech_events  # it knows that somebody speaks
        self._next_turn()
        self.speech_events = told
        self._plan_words(event.words, event.onset_ns)

    def _cut(self, heard: str, at_ns: int) -> None:
        """Nobody listens to the agent any more: tell it what was heard, drop what is to come."""
        assert self.turn is not None
        self._patience.end()
        self.effects.append(ToAgent(Interrupt(heard_text=heard, now_ns=at_ns), self.turn.number))
        if self._response is not None:
            self._cut_off = CutOff(self._response.rid, at_ns)
            self._response = None
        for call in self._calls.drop_waiting():
            error = "not carried out: the driver spoke first"
            self.effects.append(ToAgent(ToolResult(error=error, now_ns=at_ns), cid=call.cid))

    def _hard_limit(self, number: int, at_ns: int) -> None:
        turn = self.turn
        if turn is None or turn.number != number or self.floor != "agent":
            return
        if turn.playout.started_ns is not None and turn.playout.started_ns <= at_ns:
            return
        if self.plan.on_hard_limit == "end":
            self._no_reply(at_ns)
        else:
            self._to_agent(Nudge(waited_ms=(at_ns - turn.speech_end_ns) // MS))

    # --- ends

    def _finish_turn(self, at_ns: int, *, handed_over: bool) -> None:
        assert self.turn is not None
        self._interjections.clear()
        self.effects.append(self.turn.finished(at_ns, self.revision, handed_over=handed_over))

    def _give_up(self, at_ns: int, reason: str) -> None:
        """End in the middle of a turn: what was not answered is a miss, not a gap."""
        self._finish_turn(at_ns, handed_over=False)
        self.end(reason)

    def end(self, reason: str) -> None:
        """End the session; what was said and done so far stays."""
        if self.end_reason is not None:
            return
        self.end_reason = reason
        self.floor = "over"
        self._patience.end()
        self.effects.append(ToAgent(SessionEnded(reason=_for_agent(reason))))
        self.effects.append(ToUser(SessionClose(reason=reason)))
        self.effects.append(Ended(reason, self.revision))

    def _to_agent(self, body: Body) -> None:
        self.effects.append(ToAgent(body, self.turn.number if self.turn else None))

    def _complain(self, code: str, expected: str, rid: str | None) -> None:
        self.effects.append(ToAgent(ErrorFrame(code=code, message=expected), rid=rid))


def _for_agent(reason: str) -> str:
    """The agent learns that it is over, not how the driver judged it."""
    return reason if reason in ("call_placed", "step_limit", "agent_failed") else "ended"
