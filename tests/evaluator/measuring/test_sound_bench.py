"""Sessions in sound that the bench measures with: what is known of them is what is found."""

from collections.abc import Iterable

import pytest

from assistant_gateway.sound.voice import Library, NoSynthesiser, Synthesiser
from evaluator.measuring.sound import sound
from evaluator.run.units import RunSettings
from evaluator.task.worlds import own_world

ANSWERS = ("It is as warm as before.", "It is no colder now.")


async def test_sound_is_measured_where_nothing_is_installed_that_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def espeak(libraries: Iterable[Library] | None = None) -> Synthesiser:
        raise NoSynthesiser

    monkeypatch.setattr("evaluator.measuring.sound.espeak", espeak)
    monkeypatch.setattr("evaluator.measuring.sound.QUESTIONS", ("And now?",))
    monkeypatch.setattr("evaluator.measuring.sound.ANSWERS", ANSWERS)
    settings = RunSettings("bench", pace="virtual", broker_kind="embedded")
    figures = await sound(settings, own_world(), sessions=2, turns=3)
    assert (figures.sessions, figures.turns, figures.voice) == (2, 6, "tones")
    for name in ("lead_in_0", "lead_in_120", "lead_in_480"):
        found = getattr(figures, f"{name}_error_ms")["p99"]
        assert found is not None
        assert found <= 10
    stopped = figures.barge_stop_error_ms["p50"]
    assert stopped is not None
    assert stopped < 100  # of 200 if what the driver interrupts were played to its cut
    assert figures.wall_per_simulated == pytest.approx(1, abs=0.05)
    assert 0 < figures.cpu_ms_per_session_s < 500
