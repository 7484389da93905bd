from typing import Any

import pytest

from tests.vehicle_bus.cars import call, car, error, result
from vehicle_bus.car.state import Compat
from vehicle_bus.vehicle import Vehicle

MIRA = "mira.lindqvist4102@postbox.example"
JONAS = "jonas.achterberg2718@mailhaven.example"


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Mira", "Lindqvist", {"matches": {"con_4102": "Mira Lindqvist"}}),
        ("mira", None, {"matches": {"con_4102": "Mira Lindqvist", "con_9036": "Mira Okonkwo"}}),
        (None, "Wenger", {"matches": {"con_5531": "Tobias Wenger", "con_7734": "Clara Wenger"}}),
        ("Mirra", "Lindqvist", {"matches": {"con_4102": "Mira Lindqvist"}}),
        ("Yosif", "Demir", {"id": "con_3347", "name": "Yusuf Demir"}),
    ],
)
def test_contacts_are_found_by_name_despite_slips(
    first: str | None, last: str | None, expected: Any
) -> None:
    found = result(
        car(), "get_contact_id_by_contact_name", contact_first_name=first, contact_last_name=last
    )
    assert found == expected


def test_the_public_benchmark_tells_names_in_lower_case() -> None:
    found = result(car("car-bench"), "get_contact_id_by_contact_name", contact_last_name="Demir")
    assert found == {"matches": {"con_3347": "yusuf demir"}}


@pytest.mark.parametrize("names", [{}, {"contact_first_name": ""}, {"contact_last_name": "Nobody"}])
def test_a_contact_nobody_knows_is_an_error_that_counts(names: Any) -> None:
    expected = ("GET_CONTACT_ID_BY_CONTACT_NAME", True)
    assert error(car(), "get_contact_id_by_contact_name", **names) == expected


def test_contact_information_is_null_for_unknown_ids() -> None:
    seen = result(car(), "get_contact_information", contact_ids=["con_4102", "con_0000"])
    assert seen["con_4102"]["email"] == MIRA
    assert seen["con_0000"] is None
    assert result(car(), "get_contact_information", contact_ids=[]) == {}


@pytest.mark.parametrize(
    ("contact_id", "expected"),
    [
        ("4102", ("GET_CONTACT_INFORMATION_001", True)),
        ("con_", ("GET_CONTACT_INFORMATION_001", True)),
        ("kon_4102", ("GET_CONTACT_INFORMATION_001", True)),
        ("con", ("INVALID_ARGUMENTS", False)),
        ("", ("INVALID_ARGUMENTS", False)),
    ],
)
def test_malformed_contact_ids_are_refused(contact_id: str, expected: Any) -> None:
    ids = ["con_4102", contact_id]
    assert error(car(), "get_contact_information", contact_ids=ids) == expected


def test_the_calendar_shows_today_and_no_other_day() -> None:
    seen = result(car(), "get_entries_from_calendar", month=2, day=14.0)
    assert seen["date"] == {"year": 2025, "month": 2, "day": 14}
    assert [meeting["location"] for meeting in seen["meetings"]] == ["Freiburg", "Basel"]
    for month, day in ((2, 15), (3, 14), ("2", 14)):
        refused = error(car(), "get_entries_from_calendar", month=month, day=day)
        assert refused == ("GET_ENTRIES_FROM_CALENDAR_001", True)
    assert '"AUT-POL:023: ' in call(car(), "get_entries_from_calendar", month=1, day=1).output


def test_a_call_is_remembered_and_ends_the_conversation() -> None:
    vehicle = car()
    assert result(vehicle, "call_phone_by_number", phone_number="+49 1") == {
        "phone_number_called": True
    }
    assert vehicle.snapshot()["phone_numbers_called"] == ["+49 1"]
    ending = [d["function"]["name"] for d in vehicle.declarations() if d["ends_conversation"]]
    assert ending == ["call_phone_by_number"]


def test_an_email_goes_to_contacts_in_the_order_given() -> None:
    vehicle = car()
    for addresses in ([JONAS, MIRA], [MIRA], []):
        sent = result(vehicle, "send_email", content_message="Hi", email_addresses=addresses)
        assert sent == {"email_sent": True}
    assert vehicle.snapshot()["email_addresses_sent_mail_to"] == [JONAS, MIRA, MIRA]


def test_an_unknown_address_stops_the_email_before_or_after_the_known_ones() -> None:
    arguments: dict[str, Any] = {
        "content_message": "Hi",
        "email_addresses": [MIRA, "nobody@nowhere.example", JONAS],
    }
    ours, public = car("codriver"), car("car-bench")
    for vehicle in (ours, public):
        assert error(vehicle, "send_email", **arguments) == ("SEND_EMAIL_001", True)
    assert (ours.snapshot()["email_addresses_sent_mail_to"], ours.revision) == ([], 0)
    assert (public.snapshot()["email_addresses_sent_mail_to"], public.revision) == ([MIRA], 1)


def test_preferences_are_named_as_asked() -> None:
    likes = {"weather": {"weather": ["no rain, please"]}, "points_of_interest": {"bakery": ["rye"]}}
    vehicle = car("codriver", user_preferences=likes)
    asked = {
        "weather": {"weather": True},
        "points_of_interest": {"bakery": True, "parking": False, "castles": True},
        "sports": {"chess": True},
    }
    seen = result(vehicle, "get_user_preferences", preference_categories=asked)
    assert seen == {
        "weather": {"weather": ["no rain, please"]},
        "points_of_interest": {"bakery": ["rye"]},
    }
    assert result(vehicle, "get_user_preferences", preference_categories={}) == {}
    bad = {"preference_categories": {"weather": True}}
    assert error(vehicle, "get_user_preferences", **bad) == ("INVALID_ARGUMENTS", False)


def send(vehicle: Vehicle, content: Any, addresses: Any) -> tuple[str | None, bool]:
    return error(
        vehicle, "send_email", content_message=content, email_addresses=addresses
    )  # fmt: skip


@pytest.mark.parametrize("content", [None, 5, ["Hi"]])
def test_the_text_of_an_email_is_never_looked_at_in_the_public_benchmark(content: Any) -> None:
    vehicle = car("car-bench")
    sent = result(vehicle, "send_email", content_message=content, email_addresses=[MIRA])
    assert sent == {"email_sent": True}
    assert vehicle.state.email_addresses_sent_mail_to == (MIRA,)
    assert send(vehicle, content, ["nobody@example.com"]) == ("SEND_EMAIL_001", True)
    assert send(car(), content, [MIRA]) == ("INVALID_ARGUMENTS", False)


@pytest.mark.parametrize(
    ("addresses", "expected", "sent"),
    [
        ([MIRA, 5], ("SEND_EMAIL_001", True), (MIRA,)),
        ([None, MIRA], ("SEND_EMAIL_001", True), ()),
        ([MIRA, ["x"]], ("INVALID_ARGUMENTS", False), (MIRA,)),
        (MIRA, ("SEND_EMAIL_001", True), ()),
        ({"x": 1}, ("SEND_EMAIL_001", True), ()),
        (None, ("INVALID_ARGUMENTS", False), ()),
        (7, ("INVALID_ARGUMENTS", False), ()),
    ],
)
def test_addresses_of_any_kind_are_looked_up_one_by_one_in_the_public_benchmark(
    addresses: Any, expected: tuple[str, bool], sent: tuple[str, ...]
) -> None:
    vehicle = car("car-bench")
    assert send(vehicle, "Hi", addresses) == expected
    assert vehicle.state.email_addresses_sent_mail_to == sent
    assert send(car(), "Hi", addresses)[0] in ("INVALID_ARGUMENTS", "SEND_EMAIL_001")


@pytest.mark.parametrize("number", [["+49 1"], None, 491, {"number": "+49 1"}])
@pytest.mark.parametrize("compat", ["codriver", "car-bench"])
def test_only_texts_are_dialled(compat: Compat, number: Any) -> None:
    vehicle = car(compat)
    refused = error(vehicle, "call_phone_by_number", phone_number=number)
    assert (refused, vehicle.state.phone_numbers_called) == (("INVALID_ARGUMENTS", False), ())


@pytest.mark.parametrize(("flag", "told"), [(None, False), (0, False), (1, True), ("false", True)])
def test_preferences_are_told_for_whatever_is_no_nothing(flag: Any, told: bool) -> None:
    asked = {"weather": {"weather": flag}}
    seen = result(car("car-bench"), "get_user_preferences", preference_categories=asked)
    assert ("weather" in seen["weather"]) is told
    assert error(car(), "get_user_preferences", preference_categories=asked) == (
        *("INVALID_ARGUMENTS", False),
    )
