"""An agent is sent what a recogniser made of the driver; the turn keeps what was said."""

from dataclasses import replace

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import ToAgent
from assistant_gateway.hearing.recogniser import Recogniser, RecogniserProfile
from assistant_gateway.protocol import (
    InputTranscriptFinal,
    InputTranscriptPartial,
    ResponseDone,
    ResponseTextDelta,
    UserInterject,
    UserSpeechEnd,
    UserSpeechStart,
)
from tests.assistant_gateway.talking import PLAN, Talk, turns

SAID = "please open the rear window on the left halfway"
IN_NOISE = RecogniserProfile(
    source="test", word_error_rate={0: 0.6, 20: 0}, utterance_sigma=0, inserted=0.2
)
NOISY = replace(PLAN, recogniser=Recogniser(IN_NOISE, "s"))


def talk(snr_db: float) -> Talk:
    made = Talk(NOISY)
    made.conversation = Conversation(NOISY, snr_db=lambda _: snr_db)
    made.conversation.floor.partials = True
    return made


def sent(made: Talk, kind: type[InputTranscriptPartial] | type[InputTranscriptFinal]) -> list[str]:
    bodies = (effect.body for effect in made.effects if isinstance(effect, ToAgent))
    return [body.text for body in bodies if isinstance(body, kind)]


def test_the_agent_is_sent_errors_and_the_turn_tells_both() -> None:
    made = talk(0)
    made.says(SAID)
    made.agent(ResponseTextDelta(delta="Sorry?"), ResponseDone())
    made.until_quiet()
    (final,) = sent(made, InputTranscriptFinal)
    (turn,) = turns(made)
    assert turn.heard_user == SAID != final
    assert turn.recognised is not None
    assert (turn.recognised.text, turn.recognised.said) == (final, tuple(SAID.split()))
    assert turn.recognised.fields()["word_errors"] > 0


def test_partial_transcripts_are_how_the_final_one_begins() -> None:
    made = talk(0)
    made.says(SAID)
    (final,) = sent(made, InputTranscriptFinal)
    partials = sent(made, InputTranscriptPartial)
    assert len(partials) > 5
    assert all(final.startswith(partial) for partial in partials)


def test_the_noise_when_the_driver_began_counts() -> None:
    made = talk(20)
    made.says(SAID)
    assert sent(made, InputTranscriptFinal) == [SAID]


def test_who_sits_on_another_seat_is_named_and_heard_as_well_as_there() -> None:
    made = talk(20)
    snr_db = {"driver": 0.0, "passenger": 20.0}
    made.conversation = Conversation(NOISY, snr_db=snr_db.__getitem__)
    made.driver(UserSpeechStart(utt="u", planned_words=tuple(SAID.split()), zone="passenger"))
    made.until_quiet()
    made.drain()
    bodies = (effect.body for effect in made.effects if isinstance(effect, ToAgent))
    (final,) = (body for body in bodies if isinstance(body, InputTranscriptFinal))
    assert (final.zone, final.text) == ("passenger", SAID)
    assert final.with_seat == f"[front passenger] {SAID}"


def test_an_interruption_from_another_seat_is_that_seats_turn() -> None:
    made = talk(20)
    over = UserInterject(utt="i", planned_words=SAID.split(), after_words=2, zone="driver_rear")
    made.driver(over)
    made.says("hello")
    made.agent(ResponseTextDelta(delta="Good morning, how are you today? " * 3), ResponseDone())
    made.until_quiet()
    made.drain()
    bodies = (effect.body for effect in made.effects if isinstance(effect, ToAgent))
    finals = [body for body in bodies if isinstance(body, InputTranscriptFinal)]
    assert [final.zone for final in finals] == ["driver", "driver_rear"]


def test_words_that_come_one_by_one_are_recognised_in_the_end() -> None:
    made = talk(0)
    made.driver(UserSpeechStart(utt="u"))
    made.driver(UserSpeechEnd(utt="u", text=SAID))
    made.until_quiet()
    made.drain()
    (final,) = sent(made, InputTranscriptFinal)
    assert final != SAID
