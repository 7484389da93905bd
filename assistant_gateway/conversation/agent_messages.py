"""The messages of the agent in its turn, until it hands the floor back: pure."""

import binascii
from base64 import b64decode

from assistant_gateway.conversation.effects import AgentHeard, AgentPlays, HandOver, ToUser
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.conversation.late_frames import LateFrames, names_older
from assistant_gateway.conversation.sound_playout import SoundPlayout
from assistant_gateway.conversation.tool_calls import ToolCalls
from assistant_gateway.conversation.turn import OpenMessage
from assistant_gateway.protocol import (
    AgentMetrics,
    AgentSpeechStart,
    Body,
    ErrorFrame,
    Frame,
    ResponseAudioClear,
    ResponseAudioCleared,
    ResponseAudioDelta,
    ResponseDone,
    ResponseStart,
    ResponseTextDelta,
    SpeechKind,
    ToolCall,
    TurnDetected,
)
from assistant_gateway.sound.pcm import Samples
from assistant_gateway.sound.wire_format import Decoder


class AgentMessages:
    """A message without tool calls, while no call is open, is the last one of a turn."""

    def __init__(self, floor: Floor, late: LateFrames, calls: ToolCalls) -> None:
        self._floor = floor
        self._late = late
        self._calls = calls
        self._steps = 0

    def frame(self, frame: Frame, at_ns: int) -> bool:
        """Returns whether it counts; what comes too late or too early does not."""
        match frame.body:
            case AgentMetrics() | ErrorFrame():
                return True
            case TurnDetected():
                return self._detects_turn(at_ns)
            case ResponseAudioClear():
                return self._clear(at_ns)
            case ResponseAudioDelta() if not self._can_be_heard(frame):
                return False
            case (
                ResponseStart()
                | ResponseTextDelta()
                | ResponseAudioDelta()
                | ToolCall()
                | ResponseDone()
            ):
                counts = not (
                    self._is_late(frame, at_ns)
                    or self._is_out_of_turn(frame)
                    or self._ends_nothing(frame.body)
                )
                if counts:
                    self._part_of_message(frame, at_ns)
                return counts
        expected = f"{frame.body.TYPE} means nothing here"
        self._floor.correct("agent", "out_of_place", expected, frame.rid)
        return False

    def _is_late(self, frame: Frame, at_ns: int) -> bool:
        turn = self._floor.last_turn
        if turn is None:
            return False
        cut_ns = self._late.since_ns(frame, turn.number)
        if cut_ns is None and not names_older(frame, turn.number):
            return False
        if isinstance(frame.body, ResponseDone) and frame.body.status == "cancelled":
            return True  # the agent confirms that it has stopped
        if cut_ns is not None:
            turn.agent_stop_ns = at_ns - cut_ns
        if isinstance(frame.body, ResponseDone) and not self._late.lasts:
            expected = (
                "the turn of that message is over; name the turn you answer, and give each "
                "message a rid of its own"
            )
            self._floor.correct("agent", "too_late", expected, frame.rid)
        return True

    def _is_out_of_turn(self, frame: Frame) -> bool:
        if self._floor.state == "agent":
            return False
        if isinstance(frame.body, ResponseAudioDelta):
            return True  # a live voice goes on all the time; nobody listens to it now
        if self._late.lasts and isinstance(frame.body, ResponseDone):
            return True  # the end of a message that was cut before it began
        if self._late.lasts:
            self._late.add(frame.rid)
        expected = "wait for input.transcript.final, then answer it"
        self._floor.correct("agent", "not_your_turn", expected, frame.rid)
        return True

    def _ends_nothing(self, body: Body) -> bool:
        """Whether it cancels a message that was never opened."""
        cancelled = isinstance(body, ResponseDone) and body.status == "cancelled"
        return cancelled and self._floor.message is None

    def _part_of_message(self, frame: Frame, at_ns: int) -> None:
        floor = self._floor
        message = floor.message or self._open(frame.rid, at_ns)
        if message is None:
            return
        match frame.body:
            case ResponseTextDelta(delta=delta, kind=kind) if floor.plan.speak_progress:
                self._speak(message, delta, kind, at_ns)
            case ResponseTextDelta(delta=delta, kind=kind):
                message.held_back.append((delta, kind, at_ns))
            case ResponseAudioDelta(audio=audio):
                self._hear(message, audio, at_ns)
            case ToolCall():
                self._call(message, frame.body, frame.cid, at_ns)
            case ResponseDone():
                self._done(message, frame.body, at_ns)

    def _can_be_heard(self, frame: Frame) -> bool:
        if self._floor.agent_speaks is None:
            expected = "ask for audio.output in session.ready; it is offered in session.start"
            self._floor.correct("agent", "no_audio", expected, frame.rid)
        return self._floor.agent_speaks is not None

    def _hear(self, message: OpenMessage, audio: str, at_ns: int) -> None:
        """Samples of the agent arrive."""
        floor = self._floor
        assert floor.agent_speaks is not None
        message.decoder = message.decoder or Decoder(floor.agent_speaks)
        try:
            samples = message.decoder.add(b64decode(audio, validate=True))
        except binascii.Error as error:
            floor.correct("agent", "bad_audio", f"audio must be base64: {error}", message.rid)
            return
        if floor.plan.speak_progress:
            self._play(message, samples, at_ns)
        else:
            message.held_samples.append((samples, at_ns))

    def _play(self, message: OpenMessage, samples: Samples, at_ns: int) -> None:
        floor, turn = self._floor, self._floor.turn
        playout = turn.playout
        assert isinstance(playout, SoundPlayout)
        if playout.is_far_ahead(at_ns):
            floor.correct("agent", "too_much_audio", "nobody listens for so long", message.rid)
            return
        silent = playout.started_ns is None
        begins_ns = max(at_ns, playout.sound.ends_ns)
        start = playout.play(samples, at_ns)
        floor.effects.append(AgentPlays(samples, begins_ns))
        if start is not None:
            self._is_audible(message, start, at_ns, is_first=silent)

    def _is_audible(
        self, message: OpenMessage, start_ns: int, at_ns: int, *, is_first: bool
    ) -> None:
        """New speech of the agent, which arrived at `at_ns`, is heard from then on."""
        floor, turn = self._floor, self._floor.turn
        if message.says_content and message.content_ns is None:
            message.content_ns = start_ns
        if is_first and turn.playout.started_ns is not None:
            floor.timeline.at(turn.playout.started_ns, AgentHeard(turn.number, message.rid))
        floor.timeouts.await_words(turn, at_ns)
        floor.interjections.plan(turn)

    def _detects_turn(self, at_ns: int) -> bool:
        """The first time counts, also if it is too early."""
        floor, turn = self._floor, self._floor.last_turn
        counts = floor.turn_detection == "agent" and floor.state in ("speaking", "agent")
        if not counts or turn is None or turn.end_of_turn_ns is not None:
            return False
        turn.end_of_turn_ns = at_ns
        return True

    def _clear(self, at_ns: int) -> bool:
        """The loudspeaker stops; an answer that was complete has been heard with that."""
        floor, turn = self._floor, self._floor.last_turn
        if not floor.is_agents or turn is None or not isinstance(turn.playout, SoundPlayout):
            return False
        turn.playout.clear(at_ns)
        floor.tell_agent(ResponseAudioCleared(played_ms=turn.playout.sound.played_ms, now_ns=at_ns))
        if floor.state == "playout":
            floor.timeline.cancel(lambda event: isinstance(event, HandOver))
            floor.timeline.at(at_ns, HandOver(turn.number))
        return True

    def _open(self, rid: str | None, at_ns: int) -> OpenMessage | None:
        if self._steps >= self._floor.plan.max_steps:
            self._floor.give_up(at_ns, "step_limit")
            return None
        self._floor.message = OpenMessage(rid)
        return self._floor.message

    def _speak(self, message: OpenMessage, delta: str, kind: SpeechKind, at_ns: int) -> None:
        turn = self._floor.turn
        if turn.first_text_ns is None and delta.strip():
            turn.first_text_ns = at_ns
        silent = turn.playout.started_ns is None
        start = turn.playout.say(delta, at_ns)
        message.says_content = kind == "content"
        if start is not None:
            self._is_audible(message, start, at_ns, is_first=silent)

    def _call(self, message: OpenMessage, body: ToolCall, cid: str | None, at_ns: int) -> None:
        if not cid:
            expected = 'tool.call needs a "cid" of its own'
            self._floor.correct("agent", "bad_envelope", expected, message.rid)
            return
        self._floor.turn.calls += 1
        message.calls += 1
        self._calls.asked(body, cid, at_ns)

    def _done(self, message: OpenMessage, body: ResponseDone, at_ns: int) -> None:
        floor, turn = self._floor, self._floor.turn
        self._steps += 1
        if body.status == "failed":
            floor.give_up(at_ns, "agent_failed")
            return
        if not message.calls:
            for delta, kind, arrived_ns in message.held_back:
                self._speak(message, delta, kind, arrived_ns)
            for samples, arrived_ns in message.held_samples:
                self._play(message, samples, arrived_ns)
            turn.content_ns = turn.content_ns or message.content_ns
        turn.playout.pause()
        floor.message = None
        if message.calls or self._calls.owes_this_turn:
            self._calls.hang_up_if_due(at_ns)
            return
        floor.move("answered")
        floor.timeouts.end()
        floor.timeline.at(max(at_ns, turn.playout.end_ns or 0), HandOver(turn.number))

    def heard(self, event: AgentHeard) -> None:
        """The agent's first word is audible."""
        turn = self._floor.turn
        if turn.number == event.turn and turn.playout.started_ns is not None:
            self._floor.effects.append(ToUser(AgentSpeechStart(), turn.number, event.rid))

    def hand_over(self, number: int, at_ns: int) -> None:
        """All that the agent said has been audible: the floor is the driver's."""
        floor = self._floor
        if floor.interrupting or floor.turn.number != number:
            return
        floor.finish_turn(at_ns, handed_over=True)
        floor.move("heard")
        floor.tell_user_heard(floor.turn.playout.heard)
