import json
import re
from typing import Any

import pytest

from tests.vehicle_bus.cars import call, car, result
from vehicle_bus.car.removal import removal
from vehicle_bus.car.tool import CONFIRM
from vehicle_bus.tools import TOOLS


def schema(vehicle: Any, tool: str) -> Any:
    return next(
        d["function"]["parameters"] for d in vehicle.declarations() if d["function"]["name"] == tool
    )


def test_a_removed_tool_is_not_offered_and_refused() -> None:
    vehicle = car("codriver", "set_fog_lights")
    assert len(vehicle.declarations()) == len(TOOLS) - 1
    handled = call(vehicle, "set_fog_lights", on=True)
    assert (handled.status, handled.error, handled.logged) == ("REMOVED", None, False)
    assert handled.output.startswith("Error: ")
    assert (handled.changes, vehicle.revision) == ((), 0)


def test_a_removed_tool_that_this_car_never_had_is_refused_the_same_way() -> None:
    assert call(car("codriver", "set_new_navigation"), "set_new_navigation").status == "REMOVED"


def test_a_removed_parameter_is_gone_from_the_schema_and_from_required() -> None:
    vehicle = car("codriver", "open_close_window.percentage")
    offered = schema(vehicle, "open_close_window")
    assert list(offered["properties"]) == ["window"]
    assert offered["required"] == ["window"]
    assert "percentage" in schema(car(), "open_close_window")["properties"]


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("open_close_sunroof.percentage", "percent|far|absolute"),
        ("open_close_sunshade.percentage", "percent|far|absolute"),
        ("open_close_window.percentage", "percent|far|absolute"),
        ("open_close_window.window", "one |four|driver"),
        ("search_poi_along_the_route.at_kilometer", "around"),
        ("search_poi_along_the_route.category_poi", "category|kind"),
        ("search_poi_at_location.category_poi", "category|kind"),
        ("send_email.content_message", "text|read"),
        ("set_ambient_lights.lightcolor", "colou?r"),
        ("set_climate_temperature.seat_zone", "seat|both|side"),
        ("set_fan_airflow_direction.direction", "target"),
        ("set_fan_speed.level", "strong|level|off"),
        ("set_new_navigation.route_ids", "route"),
        ("set_reading_light.position", "seat|one |all"),
        ("set_seat_heating.level", "level|warm|off"),
        ("set_seat_heating.seat_zone", "both|one "),
        ("set_window_defrost.defrost_window", "window|windshield|rear"),
    ],
)
def test_the_text_of_a_tool_promises_no_parameter_that_may_be_gone(
    parameter: str, words: str
) -> None:
    name = parameter.partition(".")[0]
    offered = car("codriver", parameter).declarations()
    text = next(d["function"]["description"] for d in offered if d["function"]["name"] == name)
    assert not re.search(rf"\b({words})", text, re.IGNORECASE), text


@pytest.mark.parametrize("arguments", [{"window": "ALL", "percentage": 20}, {"window": "ALL"}, {}])
def test_a_call_with_or_without_a_removed_required_argument_is_refused(arguments: Any) -> None:
    handled = call(
        car("codriver", "open_close_window.percentage"), "open_close_window", **arguments
    )
    assert (handled.status, handled.error, handled.logged) == ("REMOVED", None, False)
    assert "percentage" in handled.output


def test_without_a_removed_optional_argument_the_tool_still_works() -> None:
    vehicle = car("codriver", "get_contact_id_by_contact_name.contact_last_name")
    assert result(vehicle, "get_contact_id_by_contact_name", contact_first_name="Priya")
    both = {"contact_first_name": "Priya", "contact_last_name": "Raman"}
    assert call(vehicle, "get_contact_id_by_contact_name", **both).status == "REMOVED"


def test_an_argument_inside_an_argument_can_be_removed() -> None:
    vehicle = car("codriver", "planning_tool.step_updates.step_notes")
    items = schema(vehicle, "planning_tool")["properties"]["step_updates"]["items"]
    assert list(items["properties"]) == ["step_index", "step_status"]
    update = [{"step_index": 0, "step_notes": "x"}]
    noted = call(vehicle, "planning_tool", command="mark_steps", step_updates=update)
    assert noted.status == "REMOVED"
    assert call(vehicle, "planning_tool", command="list").status == "SUCCESS"


def test_a_path_that_leads_nowhere_removes_nothing() -> None:
    vehicle = car("codriver", "set_fog_lights.colour.shade", "result.get_car_color.shade")
    assert schema(vehicle, "set_fog_lights") == schema(car(), "set_fog_lights")
    assert result(vehicle, "get_car_color") == {"car_color": "blue"}


def test_a_masked_field_reads_unknown_and_its_signal_is_not_published() -> None:
    vehicle = car("codriver", "result.get_exterior_lights_status.fog_lights", fog_lights=True)
    seen = result(vehicle, "get_exterior_lights_status")
    assert (seen["fog_lights"], seen["head_lights_low_beams"]) == ("unknown", False)
    path = "Vehicle.Body.Lights.Fog.Front.IsOn"
    assert path in car().signals()
    assert path not in vehicle.signals()
    handled = call(vehicle, "set_fog_lights", on=False)
    assert (handled.status, handled.changes, vehicle.revision) == ("SUCCESS", (), 1)


def test_signals_do_not_publish_what_a_removed_look_up_would_return() -> None:
    seen = car("codriver", "get_vehicle_window_positions").signals()
    assert not any("Window.Position" in path for path in seen)
    assert len(seen) == len(car().signals()) - 4


def test_a_masked_field_inside_lists_is_masked_in_each_element() -> None:
    vehicle = car("codriver", "result.get_entries_from_calendar.meetings.attendees")
    seen = result(vehicle, "get_entries_from_calendar", month=2, day=14)
    assert [meeting["attendees"] for meeting in seen["meetings"]] == ["unknown", "unknown"]
    assert seen["meetings"][0]["location"] == "Freiburg"


def test_a_masked_slot_leaves_the_other_alone() -> None:
    vehicle = car("codriver", "result.get_weather.current_slot.condition")
    asked = {"location_or_poi_id": "loc_mun_9995", "month": 2, "day": 14}
    seen = result(vehicle, "get_weather", time_hour_24hformat=12, **asked)
    assert seen["current_slot"]["condition"] == "unknown"
    assert seen["next_slot"]["condition"] != "unknown"


def test_failures_of_a_masked_tool_are_not_masked() -> None:
    vehicle = car("codriver", "result.get_weather.current_slot.condition")
    handled = call(vehicle, "get_weather")
    assert (handled.status, handled.error) == ("FAILURE", "INVALID_ARGUMENTS")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a", {"a": [1], "b": 2}, {"a": "unknown", "b": 2}),
        ("a.b", {"a": {"b": {"c": 1}}}, {"a": {"b": "unknown"}}),
        ("a.b", {"a": [{"b": 1}, {"c": 2}, 3]}, {"a": [{"b": "unknown"}, {"c": 2}, 3]}),
        ("a.b.c", {"a": [{"b": {"c": 1}}, {"c": 2}]}, {"a": [{"b": {"c": "unknown"}}, {"c": 2}]}),
        ("a.b.c", {"a": [{"b": [{"c": 1}]}]}, {"a": [{"b": [{"c": 1}]}]}),
        ("a.b", {"a": None}, {"a": None}),
        ("x.b", {"b": 1}, {"b": "unknown"}),
        ("a.x.b", {"a": {"b": 1}, "b": 2}, {"a": {"b": "unknown"}, "b": 2}),
    ],
)
def test_masking_follows_the_public_rules(path: str, before: Any, after: Any) -> None:
    original = json.dumps(before)
    assert removal((f"result.tool.{path}",)).masked(before) == after
    assert json.dumps(before) == original


def test_all_masked_paths_apply_once_one_names_the_tool() -> None:
    removed = (
        "result.get_seat_heating_level.seat_heating_driver",
        "result.x.seat_heating_passenger",
    )
    seen = result(car("codriver", *removed), "get_seat_heating_level")
    assert set(seen.values()) == {"unknown"}
    untouched = result(car("codriver", removed[1]), "get_seat_heating_level")
    assert "unknown" not in untouched.values()


def test_the_confirmation_mark_survives_a_removed_parameter() -> None:
    vehicle = car("codriver", "send_email.email_addresses")
    [email] = [d for d in vehicle.declarations() if d["function"]["name"] == "send_email"]
    assert email["function"]["description"].startswith(CONFIRM)
