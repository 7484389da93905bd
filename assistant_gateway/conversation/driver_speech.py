"""What the driver says and decides, until it is the agent's turn: pure, in session time."""

from collections.abc import Sequence

from assistant_gateway.conversation.effects import (
    Decided,
    DriverSpeaks,
    Interjects,
    Interrupts,
    SpeechBegins,
    SpeechEnds,
    SpeechPartial,
    YourTurn,
)
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.hearing.recogniser import Recognised
from assistant_gateway.protocol import (
    GO_ON,
    ErrorFrame,
    Frame,
    InputTranscriptFinal,
    InputTranscriptPartial,
    UserControl,
    UserInterject,
    UserSpeechEnd,
    UserSpeechStart,
    UserSpeechWord,
)
from assistant_gateway.timing.timeline import MS


class DriverSpeech:
    """Utterances with planned words take as long as words take, others come word by word."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._open_words: list[str] = []
        self._word_by_word = False
        self._interrupts: str | None = None  # the utterance that cuts the answer to this one

    def frame(self, frame: Frame, at_ns: int) -> None:
        floor = self._floor
        match frame.body:
            case UserSpeechStart():
                self._starts(frame.body, at_ns)
            case UserSpeechWord() if self._word_by_word:
                self._open_words.append(frame.body.w)
            case UserSpeechEnd() if self._word_by_word:
                self._word_by_word = False
                text = frame.body.text or " ".join(self._open_words)
                floor.timeline.at(at_ns, SpeechEnds(text, frame.body.ago_ms * MS))
            case UserInterject():
                floor.interjections.add(frame.body)
                if floor.state == "agent":
                    floor.interjections.plan(floor.turn)
            case UserControl() if floor.state == "driver" or self._said_nothing_yet:
                self._decides(frame.body)
            case ErrorFrame():
                return
            case _:
                message = (
                    f"{frame.body.TYPE} cannot be used now: the floor state is {floor.state!r}"
                )
                floor.correct("user", "out_of_place", message)

    def _starts(self, body: UserSpeechStart, at_ns: int) -> None:
        floor = self._floor
        begins_ns = at_ns + max(0, body.after_ms) * MS
        if floor.is_agents and body.is_barge_in:
            self._speaks_over(body, begins_ns)
            return
        if self._waits_for_answer and body.is_barge_in and body.planned_words is None:
            self._interrupts = body.utt
            return
        if floor.state != "driver":
            message = "the floor is not yours; wait for agent.speech.end"
            floor.correct("user", "not_your_turn", message)
            return
        floor.move("driver_speaks")
        begins = SpeechBegins(body.planned_words, body.zone)
        if body.planned_words is None and body.after_ms <= 0:  # its words may be here already
            self.begins(begins, at_ns)
            return
        floor.timeline.at(begins_ns, begins)

    @property
    def _waits_for_answer(self) -> bool:
        """Whether all that the driver says is known, and the agent does not have it yet."""
        return self._floor.state == "speaking" and not self._word_by_word

    @property
    def _said_nothing_yet(self) -> bool:
        """Whether the driver began an utterance, such as an interruption, without a word so far."""
        return self._word_by_word and not self._open_words

    def _speaks_over(self, body: UserSpeechStart, at_ns: int) -> None:
        """With its words known, their length decides; else the driver's side has decided."""
        floor = self._floor
        if body.planned_words is not None:
            over = Interjects(body.utt, body.planned_words, floor.turn.number, zone=body.zone)
            floor.timeline.at(at_ns, over)
        elif not floor.interrupting:
            self._interrupts_now(body.utt, at_ns)

    def _interrupts_now(self, utt: str, at_ns: int) -> None:
        floor = self._floor
        floor.interrupting = True
        floor.speech_started()
        floor.timeline.at(at_ns, Interrupts(utt, None, floor.turn.number, at_ns))

    def _decides(self, body: UserControl) -> None:
        number = self._floor.last_turn.number if self._floor.last_turn else 0
        number -= self._word_by_word  # the turn that is begun does not count
        self._floor.effects.append(Decided(body.word, body.reason, number))
        if body.word != GO_ON:
            self._floor.end(body.word)

    def begins(self, event: SpeechBegins, at_ns: int) -> None:
        self._floor.begin_turn(event.zone)
        self._floor.speech_started(event.zone)
        self.plan_words(event.words, at_ns)
        if event.words is not None:
            self._floor.effects.append(DriverSpeaks(event.words, at_ns))

    def plan_words(self, words: Sequence[str] | None, from_ns: int) -> None:
        """An utterance began then: plan its end, and its partial transcripts if wanted.

        Without `words` they follow one by one.
        """
        if words is None:
            self._open_words = []
            self._word_by_word = True
            return
        floor, speech = self._floor, self._floor.plan.speech
        ends_ns, every_ns = speech.words_end_ns(words), speech.partial_every_ns
        recognised = self._recognised(words)
        for after_ns in range(every_ns, ends_ns[-1], every_ns) if floor.partials else ():
            spoken = recognised.words(sum(end_ns <= after_ns for end_ns in ends_ns))
            if spoken:
                partial = SpeechPartial(*speech.partial(spoken, floor.turn.number))
                floor.timeline.at(from_ns + after_ns, partial)
        floor.timeline.at(from_ns + ends_ns[-1], SpeechEnds(" ".join(words)))

    def _recognised(self, words: Sequence[str]) -> Recognised:
        floor = self._floor
        return floor.plan.recogniser.recognise(words, floor.turn.number, floor.snr_db)

    def partial(self, event: SpeechPartial) -> None:
        partial = InputTranscriptPartial(text=event.text, stable_chars=event.stable_chars)
        self._floor.tell_agent(partial)

    def ends(self, event: SpeechEnds, at_ns: int) -> None:
        turn, text = self._floor.turn, event.text
        turn.heard_user = text
        if self._floor.plan.recogniser.profile.errs:
            turn.recognised = self._recognised(text.split())
        turn.speech_end_ns = at_ns - event.ago_ns
        by_recogniser = self._floor.turn_detection == "recogniser"
        speech = self._floor.plan.speech
        after_ns = speech.end_of_turn_ns(text, turn.number) if by_recogniser else 0
        self._floor.timeline.at(max(at_ns, turn.speech_end_ns + after_ns), YourTurn(text))

    def your_turn(self, text: str, at_ns: int) -> None:
        """It is certain that the driver has finished: the agent owes an answer."""
        floor, turn = self._floor, self._floor.turn
        turn.asked_ns = at_ns
        if floor.turn_detection != "agent":
            turn.end_of_turn_ns = at_ns
        floor.move("asked")
        floor.speech_stopped()
        floor.tell_agent(
            InputTranscriptFinal(
                text=turn.transcript,
                user_speech_end_ns=turn.speech_end_ns,
                now_ns=at_ns,
                zone=turn.zone,
            )
        )
        floor.timeouts.begin(turn, floor.plan.longest_turn_ns, floor.plan.on_hard_limit)
        floor.interjections.plan(turn)
        if self._interrupts is not None:
            self._interrupts_now(self._interrupts, at_ns)
            self._interrupts = None
