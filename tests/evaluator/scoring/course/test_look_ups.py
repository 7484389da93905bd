"""Look-ups that are as good as the expected ones, and those that are not."""

from typing import Any

import pytest

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import ReferenceAgent, Say
from evaluator.scoring.scores import Score, score
from evaluator.task.task import Task
from tests.evaluator.runs import BY_ID, WORLD
from tests.evaluator.stories import played


def judged(task: Task, *calls: Any) -> Score:
    steps = [Call(name, given) for call in calls for name, given in call.items()]
    record = played(task, WORLD, ReferenceAgent((*steps, Say("There."))))
    return score(record, task, WORLD)


def missing(task_id: str, *calls: Any) -> tuple[str, ...]:
    return judged(BY_ID[task_id], *calls).tool_subset_missing_tools


def test_the_same_call_in_other_letters_and_another_order_counts() -> None:
    search = {
        "location_id": "LOC_LIN_536208",
        "category_poi": "bakery",
        "filters": ["any::currently_open"],
    }
    assert missing("base_bakery_still_open", {"search_poi_at_location": search}) == ()


def test_a_search_that_finds_more_counts() -> None:
    search = {"location_id": "loc_lin_536208", "category_poi": "bakery"}
    assert missing("base_bakery_still_open", {"search_poi_at_location": search}) == ()


def test_a_search_elsewhere_does_not() -> None:
    search = {"location_id": "loc_gra_516892", "category_poi": "bakery"}
    assert missing("base_bakery_still_open", {"search_poi_at_location": search}) == (
        "search_poi_at_location",
    )


@pytest.mark.parametrize(("percent", "counts"), [(24, True), (25, True), (26, True), (28, False)])
def test_a_state_of_charge_may_be_rounded_up_or_down(percent: int, counts: bool) -> None:
    plug = {
        "charging_station_id": "poi_cha_636423",
        "charging_station_plug_id": "plg_cha_777221",
        "start_state_of_charge": percent,
        "charging_time": 20,
    }
    found = missing(
        "base_half_an_hour_of_power",
        {"get_current_navigation_state": {"detailed_information": True}},
        {"get_charging_specs_and_status": {}},
        {"calculate_charging_soc_by_time": plug},
    )
    assert ("calculate_charging_soc_by_time" not in found) is counts


def test_an_id_may_be_known_from_somewhere_else() -> None:
    """The participants of a meeting stand in the calendar."""
    found = missing(
        "base_harbour_tour",
        {"get_entries_from_calendar": {"month": 9, "day": 3}},
        {"get_contact_information": {"contact_ids": ["con_4880"]}},
        {"get_location_id_by_location_name": {"location": "Ghent"}},
        {
            "get_routes_from_start_to_destination": {
                "start_id": "loc_utr_268941",
                "destination_id": "loc_ghe_750316",
            }
        },
    )
    assert found == ()


def test_an_id_that_nobody_told_is_not_known() -> None:
    other = {"start_id": "loc_lin_536208", "destination_id": "loc_sal_703158"}
    assert missing(
        "base_fastest_to_graz",
        {"get_location_id_by_location_name": {"location": "Graz"}},
        {"get_routes_from_start_to_destination": other},
        {"set_new_navigation": {"route_ids": ["rll_lin_gra_618176"]}},
    ) == ("get_routes_from_start_to_destination",)


@pytest.mark.parametrize(("detailed", "known"), [(True, True), (False, False)])
def test_a_route_may_be_known_from_the_guidance(detailed: bool, known: bool) -> None:
    found = missing(
        "base_trip_called_off",
        {"get_current_navigation_state": {"detailed_information": detailed}},
        {"get_location_id_by_location_name": {"location": "Munich"}},
        {
            "get_routes_from_start_to_destination": {
                "start_id": "loc_pra_495372",
                "destination_id": "loc_mun_9995",
            }
        },
    )
    assert found == (() if known else ("get_routes_from_start_to_destination",))


def test_what_only_a_rule_wants_is_left_to_the_rule() -> None:
    assert missing("base_out_of_the_fog") == ()
    assert judged(
        BY_ID["base_out_of_the_fog"], {"set_head_lights_high_beams": {"on": True}}
    ).components["r_policy"] == 0.0  # fmt: skip


@pytest.mark.parametrize(
    ("call", "counts"),
    [
        ({"get_location_id_by_location_name": {"location": "Lyon Airport"}}, False),
        ({"get_entries_from_calendar": {"month": 6, "day": 21}}, False),
        ({"search_poi_at_location": {"location_id": "loc_xyz_1", "category_poi": "bakery"}}, True),
        ({"get_location_id_by_location_name": {"place": "Lyon"}}, True),
        ({"set_fan_speed": {"level": 99}}, True),
    ],
)
def test_a_look_up_of_what_does_not_exist_is_no_refused_call(call: Any, counts: bool) -> None:
    no_calendar = BY_ID["base_lyon_airport"]
    car = no_calendar.car.model_copy(update={"calendar_id": None})
    verdict = judged(no_calendar.model_copy(update={"car": car}), call)
    assert verdict.components["r_tool_execution"] == float(not counts)


def test_beside_a_limit_only_what_leads_to_it_has_to_be_looked_up() -> None:
    call = {"call_phone_by_number": {"phone_number": "+49 221 518186"}}
    assert missing("limit_no_phone") == ()
    assert missing("limit_no_phone", call) == ()
    routes = {"start_id": "loc_lin_536208", "destination_id": "loc_brn_720849"}
    look = {"get_routes_from_start_to_destination": routes}
    assert missing("limit_toll_unknown") == ("get_routes_from_start_to_destination",)
    assert missing("limit_toll_unknown", look) == ("get_location_id_by_location_name",)
    brno = {"get_location_id_by_location_name": {"location": "Brno"}}
    assert missing("limit_toll_unknown", brno, look) == ()
