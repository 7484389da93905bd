import json
from io import StringIO

from rich.console import Console

from evaluator.cockpit.spectator import (
    Answered,
    Called,
    CarEventSeen,
    Changed,
    ConversationOver,
    Trouble,
    TurnOver,
    Words,
)
from evaluator.live.update import Update
from evaluator.terminal.screen import Screen
from tests.evaluator.episodes import KEPT, MISSED
from tests.vehicle_bus.cars import WORLD


def shown(*updates: Update) -> list[str]:
    written = StringIO()
    screen = Screen(Console(file=written, width=200), WORLD)
    for update in updates:
        screen.show(update)
    return [line.rstrip() for line in written.getvalue().splitlines()]


def turn(upl: float | None, verdict: dict[str, object]) -> TurnOver:
    spans = {"upl": upl, "upl_content": upl, "effect_latency": None}
    return TurnOver(1, "B", spans, verdict, "", True)


def test_words_that_follow_each_other_are_one_line() -> None:
    words = (Words(" It is", False, "r1"), Words(" on.", False, "r1"))
    assert shown(*words, Trouble("And lost.")) == ["car  It is on.", "     And lost."]


def test_changes_stand_below_the_call_that_made_them() -> None:
    lines = shown(
        Changed({"fan_speed": 0}, first=True),
        Called("a", "set_fan_speed", {"level": 2}),
        Changed({"fan_speed": 2}),
        Answered("a", True, "{}", 1.25),
        Changed({"fog_lights": False}, first=True),
        Changed({"fog_lights": True}),
    )
    assert lines == [
        "     ✓ set_fan_speed level=2  1.2 ms",
        "       fan: off → level 2",
        "       fog lights: off → on",
    ]


def test_driving_is_no_news_and_what_happens_is() -> None:
    lines = shown(
        Changed({"state_of_charge": 21.0}, first=True),
        Changed({"state_of_charge": 20.0, "speed_kmh": 80.0}),
        CarEventSeen("battery_low", {"state_of_charge": 20.0}),
    )
    assert lines == ["     The battery is down to 20 %"]


def test_a_driver_temperature_is_distinguished_from_a_driver_window() -> None:
    names = ("climate_temperature_driver", "window_driver_position")
    lines = shown(Changed(dict.fromkeys(names, 20), first=True), Changed(dict.fromkeys(names, 21)))
    assert lines == [
        "       driver temperature: 20.0 °C → 21.0 °C",
        "       driver window: 20 % → 21 %",
    ]


def test_a_refusal_says_why() -> None:
    lines = shown(Called("a", "fly", {}), Answered("a", False, "Unknown action fly", 1.0))
    assert lines == ["     ✗ fly  Unknown action fly"]


def test_a_call_and_its_refusal_name_places_instead_of_their_ids_as_the_page_does() -> None:
    munich = WORLD.location_named("Munich")
    assert munich is not None
    errors = {"X_004": f"X_004: no route leads to {munich['id']}"}
    output = json.dumps({"status": "FAILURE", "errors": errors})
    called = Called("1", "get_weather", {"location_or_poi_id": munich["id"]})
    [line] = shown(called, Answered("1", succeeded=False, output=output, after_ms=1.0))
    assert line.endswith('get_weather location_or_poi_id="Munich"  no route leads to Munich')


def test_a_turn_is_measured_against_its_budget() -> None:
    assert shown(turn(900.0, KEPT))[0].endswith("─  first speech 0.90 s  first content 0.90 s")
    (late,) = shown(turn(None, MISSED))
    assert "━" * 20 in late
    assert "first speech never" in late


def test_a_turn_is_measured_against_the_budget_that_was_applied() -> None:
    strict = {**KEPT, "limits": {"first_speech": [0.5, 0.9]}}
    assert shown(turn(450.0, strict))[0].count("━") == 10
    assert shown(turn(450.0, KEPT))[0].count("━") == 3


def test_hanging_up_oneself_is_no_news() -> None:
    assert shown(ConversationOver("driver_hung_up")) == []
    assert shown(ConversationOver("call_placed")) == ["     the conversation is over: call_placed"]
