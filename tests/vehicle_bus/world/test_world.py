from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vehicle_bus
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.data_folder import shipped
from vehicle_bus.world import world
from vehicle_bus.world.importing import read_world
from vehicle_bus.world.world import World, WorldError, edit_distance

CONDITIONS = {
    "sunny",
    "cloudy",
    "partly_cloudy",
    "cloudy_and_rain",
    "cloudy_and_rain_and_hail",
    "cloudy_and_rain_and_thunderstorm",
    "cloudy_and_fog",
}


def test_every_place_has_weather_for_the_whole_day() -> None:
    for place in WORLD.locations():
        forecast = WORLD.weather(place["id"], 6)
        assert forecast is not None
        slots = forecast["weather"]
        assert [slot["end_time"] for slot in slots[:-1]] == [s["start_time"] for s in slots[1:]]
        assert (slots[0]["start_time"], slots[-1]["end_time"]) == ("00:00", "24:00")
        assert {slot["condition"] for slot in slots} <= CONDITIONS


def test_the_weather_of_our_world_varies() -> None:
    forecasts = [
        WORLD.weather(place["id"], month) or {"weather": []}
        for place in WORLD.locations()
        for month in (3, 6)
    ]
    assert {slot["condition"] for f in forecasts for slot in f["weather"]} == CONDITIONS


def test_meetings_are_with_contacts_at_known_places() -> None:
    names = {place["name"] for place in WORLD.locations()}
    calendars = shipped("data", beside=vehicle_bus.__file__ or "") / "world" / "calendars.jsonl"
    assert calendars.read_text().count("\n") == 6
    for row in world.rows(calendars):
        for meeting in row["meetings"]:
            assert meeting["location"] in names
            assert all(WORLD.contact(contact) for contact in meeting["attendees"])


def test_addresses_and_numbers_belong_to_one_contact_each() -> None:
    contacts = WORLD.contacts()
    assert len({row["email"] for row in contacts}) == len(contacts) == 16
    assert len({row["phone_number"] for row in contacts}) == len(contacts)
    assert all(WORLD.contact_with_email(row["email"]) is row for row in contacts)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Munich", "Munich"),
        ("gent", "Ghent"),
        ("Utrect", "Utrecht"),
        ("Munchen", None),
        ("", None),
    ],
)
def test_a_place_is_found_despite_two_wrong_letters(name: str, found: str | None) -> None:
    place = WORLD.location_named(name)
    assert (place and place["name"]) == found


def test_what_is_unknown_is_none() -> None:
    assert WORLD.location("loc_xyz_1") is None
    assert WORLD.weather("loc_xyz_1", 6) is None
    assert WORLD.contact("con_0") is None
    assert WORLD.contact_with_email("x@y.example") is None
    assert WORLD.calendar("cal_0") is None
    assert World().location_named("Munich") is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"locations\.jsonl: No such file.*a world needs"):
        read_world(tmp_path)


@pytest.mark.parametrize(("line", "reason"), [("{", r"jsonl:2: expected"), ("[]", r"jsonl:2: ")])
def test_a_broken_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "locations.jsonl").write_text(f'{{"id": "a"}}\n{line}\n')
    with pytest.raises(WorldError, match=reason):
        read_world(tmp_path)


def test_a_row_without_its_id_is_an_error(tmp_path: Path) -> None:
    for name in ("locations", "weather", "contacts", "calendars"):
        (tmp_path / f"{name}.jsonl").write_text('{"name": "nowhere"}\n')
    with pytest.raises(WorldError, match="a row lacks 'id'"):
        read_world(tmp_path)


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_edit_distance_is_a_distance(one: str, two: str, three: str) -> None:
    def between(a: str, b: str) -> int:
        return edit_distance(a, b, enough=99)

    assert between(one, one) == 0
    assert between(one, two) == between(two, one) >= abs(len(one) - len(two))
    assert between(one, three) <= between(one, two) + between(two, three)
    near = edit_distance(one, two, enough=2)
    assert near == between(one, two) or near == 3 <= between(one, two)
