from typing import Any

import pytest
from rich.console import Console

from evaluator.results.store import UnitResult
from evaluator.scoring.scores import score
from evaluator.views.transcript import transcript
from evaluator.views.unit_timeline import story
from tests.evaluator.episodes import MISSED, SECOND, Episode, do, task, unit
from tests.vehicle_bus.cars import WORLD

FAN = task(do("set_fan_speed", level=3))


def shown(episode: Episode, width: int = 80, unit_: UnitResult | None = None) -> str:
    console = Console(width=width, force_terminal=False, highlight=False)
    result = score(episode.record, episode.task, WORLD)
    with console.capture() as captured:
        for thing in story(
            transcript(episode.record), (unit_ or unit()).model_copy(update={"score": result})
        ):
            console.print(thing)
    return captured.get()


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_unit_reads_from_top_to_bottom() -> None:
    episode = Episode(FAN).said("driver", "Fan to three, please.").call("set_fan_speed", level=3)
    text = words(shown(episode.said("agent", "It is at three.").turn().end()))
    order = [
        *("base_90:0", "success", "turn 1", "Fan to three, please.", "set_fan_speed level=3"),
        *(
            "fan off → level 3",
            "It is at three.",
            "within budget class B",
            "0.90 s",
            "STOP",
            "end state",
        ),
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_a_turn_that_the_bench_delayed_is_left_out_and_not_late() -> None:
    missed = {**MISSED, "first_speech": "hard", "undecided": True}
    text = words(shown(Episode(FAN).turn(missed, late_ms=233, upl=3 * SECOND).end()))
    assert "left out: the bench itself was 233 ms late class B" in text
    sure = words(shown(Episode(FAN).turn(MISSED, late_ms=233, upl=None).end()))
    assert "too late class B" in sure


def test_a_disambiguation_says_what_was_to_settle_it() -> None:
    settled = unit(task_type="disambiguation_internal").model_copy(update={"settled_by": 2})
    text = words(shown(Episode(FAN).turn().end(), unit_=settled))
    assert "disambiguation, without asking; decided by a stored preference" in text


def test_a_wrong_end_state_names_who_set_each_variable_last() -> None:
    text = words(shown(Episode(FAN).call("set_fan_speed", level=2).turn().end()))
    difference = "fan is level 2, expected level 3"
    assert f"{difference} (set by set_fan_speed at 0.00 s; expected: set_fan_speed(l" in text


def test_a_refused_call_shows_its_error() -> None:
    text = shown(Episode(FAN).call("set_fan_speed", level=99).turn().end())
    assert "FAILURE" in text
    assert "refused" in text


def test_a_missed_budget_is_named_and_drawn() -> None:
    spans: dict[str, Any] = {"upl": None, "ttft_text": None}
    text = shown(Episode().turn({**MISSED, "content": "ok"}, **spans).end())
    assert "too late  class B" in text
    assert "never" in text
    assert "█" * 16 in text


def test_a_turn_is_held_against_the_limits_it_was_judged_by() -> None:
    own = {**MISSED, "limits": {"first_speech": [0.5, 0.75]}}
    text = words(shown(Episode(FAN).turn(own).end()))
    assert "0.5 / 0.75 s" in text
    assert "1.5 / 3 s" not in text


def test_a_phone_call_that_rang_without_a_word_is_no_first_speech() -> None:
    for silent in ({"ttft_text": None}, {"ttft_text": 90_000_000, "first_sound": None}):
        spans: dict[str, Any] = {"upl": 110_000_000, **silent}
        text = words(shown(Episode().turn(**spans).end()))
        assert "ringing 0.11 s" in text
        assert "first speech" not in text


def test_a_turn_says_how_long_the_end_of_speech_took_to_be_found() -> None:
    text = words(shown(Episode(FAN).turn(eou_delay=480_000_000).end()))
    assert "end of speech found 0.48 s" in text


def test_a_turn_in_which_both_spoke_says_for_how_long() -> None:
    episode = Episode(FAN).turn(overlap=700_000_000, barge_stop=500_000_000).end()
    text = words(shown(episode))
    assert "both speaking 0.70 s" in text
    assert "speech stopped 0.50 s" in text
    assert "within budget, interrupted" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    said = "word " * 40 + "http://example.org/" + "x" * 150
    episode = Episode().said("driver", said).call("get_user_preferences", preference_categories={})
    lines = shown(episode.said("agent", said).turn().end(), width).splitlines()
    assert max(map(len, lines)) <= width
    assert "x" * 30 in "".join(lines)


def test_markup_in_what_was_said_stays_text() -> None:
    assert "[bold]loud[/bold]" in shown(Episode().said("agent", "[bold]loud[/bold]").turn().end())
