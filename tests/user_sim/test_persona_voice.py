"""Who is driving can be heard, and a seed makes it the same again."""

from itertools import pairwise

from user_sim.persona_voice import ACCENTS, SPEAKERS, other_voices, persona_voice
from user_sim.script import Persona


def test_a_seed_makes_the_same_voice_again() -> None:
    persona = Persona(age=44, style="friendly")
    assert persona_voice(persona, "7") == persona_voice(persona, "7")
    assert len({persona_voice(persona, str(seed)).name for seed in range(60)}) > len(ACCENTS)


def test_nobody_else_in_the_car_sounds_like_the_driver() -> None:
    for seed in map(str, range(40)):
        driver = persona_voice(Persona(), seed)
        others = other_voices(driver, seed)
        assert set(others) == {"passenger", "driver_rear", "passenger_rear"}
        assert driver.name not in {voice.name for voice in others.values()}
        assert others == other_voices(driver, seed)


def test_style_and_age_change_how_fast_somebody_speaks() -> None:
    people = [
        Persona(age=80, style="relaxed"),
        Persona(age=40, style="relaxed"),
        Persona(age=40, style="formal"),
        Persona(age=40, style="brisk and friendly"),
    ]
    rates = [persona_voice(persona, "1").words_per_minute for persona in people]
    assert all(slow < fast for slow, fast in pairwise(rates))


def test_a_public_persona_has_a_voice_too() -> None:
    text = "You are 48. Your style is 'Commanding: short, imperative sentences.'"
    plain, commanding = Persona(), Persona(text=text)
    assert (
        persona_voice(commanding, "1").words_per_minute - persona_voice(plain, "1").words_per_minute
        == 15
    )


def test_every_speaker_and_accent_is_used() -> None:
    names = {persona_voice(Persona(), str(seed)).name for seed in range(400)}
    assert names == {f"{accent}+{speaker}" for accent in ACCENTS for speaker in SPEAKERS}
