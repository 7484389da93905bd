"""Turns that end before the agent hands over: the driver interrupts, or waits no longer. Pure."""

from assistant_gateway.conversation.driver_speech import DriverSpeech
from assistant_gateway.conversation.effects import (
    DriverSpeaks,
    InterjectionEnds,
    Interjects,
    Interrupts,
)
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.conversation.late_frames import LateFrames
from assistant_gateway.conversation.sound_playout import SoundPlayout
from assistant_gateway.conversation.tool_calls import ToolCalls
from assistant_gateway.protocol import (
    AgentNoReply,
    Interrupt,
    Nudge,
    ResponseAudioCleared,
)
from assistant_gateway.timing.timeline import MS


class Interruption:
    """Ends turns of the agent early."""

    def __init__(
        self, floor: Floor, late: LateFrames, calls: ToolCalls, driver_speech: DriverSpeech
    ) -> None:
        self._floor = floor
        self._late = late
        self._calls = calls
        self._driver_speech = driver_speech

    def interject(self, event: Interjects, at_ns: int) -> None:
        """The driver begins to speak over the agent; a long utterance is going to interrupt it."""
        floor = self._floor
        if not floor.is_agents or floor.turn.number != event.turn:
            return
        if floor.interrupting:  # the driver is speaking already
            return
        started_ns = floor.turn.playout.started_ns
        if event.only_if_silent and started_ns is not None and started_ns <= at_ns:
            return
        lasts_ns = floor.plan.speech.words_end_ns(event.words)[-1]
        floor.turn.spoken_over.append((at_ns, at_ns + lasts_ns))
        floor.effects.append(DriverSpeaks(event.words, at_ns))
        floor.speech_started(event.zone)
        if lasts_ns < floor.plan.speech.interruption_ns:
            floor.timeline.at(at_ns + lasts_ns, InterjectionEnds())
            return
        floor.interrupting = True
        meant_ns = at_ns + floor.plan.speech.interruption_ns
        floor.timeline.at(
            meant_ns, Interrupts(event.utt, event.words, event.turn, at_ns, event.zone)
        )

    def interrupt(self, event: Interrupts, at_ns: int) -> None:
        """The agent is cut off, and the utterance that did it becomes the next turn."""
        floor = self._floor
        floor.interrupting = False
        if not floor.is_agents or floor.turn.number != event.turn:
            return
        turn = floor.turn
        if event.words is not None:
            first_ns = event.onset_ns + floor.plan.speech.silent_ns(event.words)
            if turn.playout.audible_ns(first_ns, first_ns + 1):
                turn.barge_stop_ns = (turn.playout.last_heard_ns(at_ns) or at_ns) - first_ns
            turn.spoken_over[-1] = (event.onset_ns, at_ns)
        heard = turn.cut(at_ns, floor.message)
        self._cut(heard, at_ns, event.onset_ns)
        floor.tell_user_heard(heard, event.utt)
        floor.move("interrupted")
        floor.begin_turn(event.zone)  # the agent knows already that somebody speaks
        self._driver_speech.plan_words(event.words, event.onset_ns)

    def no_reply(self, at_ns: int) -> None:
        """The driver waits no longer and may ask again."""
        floor = self._floor
        if floor.interrupting:
            return
        self._cut(floor.turn.cut(at_ns), at_ns)
        floor.move("no_reply")
        floor.tell_user(AgentNoReply(waited_ms=(at_ns - floor.turn.speech_end_ns) // MS))

    def hang_up(self, at_ns: int) -> None:
        """The driver ends the session, in the middle of the agent's turn too."""
        floor = self._floor
        if floor.is_agents:
            floor.turn.cut(at_ns, floor.message)
        floor.give_up(at_ns, "driver_hung_up", waited_until_ns=at_ns)

    def hard_limit(self, number: int, at_ns: int) -> None:
        """The driver should have heard something by now."""
        floor, turn = self._floor, self._floor.turn
        if turn.number != number or floor.state != "agent":
            return
        if turn.playout.started_ns is not None and turn.playout.started_ns <= at_ns:
            return
        if floor.plan.on_hard_limit == "end":
            self.no_reply(at_ns)
        else:
            floor.tell_agent(Nudge(waited_ms=(at_ns - turn.speech_end_ns) // MS))

    def _cut(self, heard: str, at_ns: int, waited_until_ns: int | None = None) -> None:
        """Tell the agent what was heard, and drop everything that it still planned."""
        floor = self._floor
        floor.timeouts.end()
        if isinstance(playout := floor.turn.playout, SoundPlayout):
            floor.tell_agent(ResponseAudioCleared(played_ms=playout.sound.played_ms, now_ns=at_ns))
        floor.tell_agent(Interrupt(heard_text=heard, now_ns=at_ns))
        self._late.cut(floor.turn.number, at_ns)
        if floor.message is not None:
            self._late.add(floor.message.rid)
            floor.message = None
        self._calls.drop_waiting(at_ns)
        floor.finish_turn(at_ns, handed_over=False, waited_until_ns=waited_until_ns)
