"""The graph of tools is read from signatures and results, and drawn in the docs."""

from pathlib import Path

import pytest

from evaluator.task.files import own_tasks
from evaluator.task.worlds import own_world
from evaluator.task_making.tool_graph import Edge, ToolGraph, edges_of, picture, results, tool_graph
from vehicle_bus.tools import TOOLS
from vehicle_bus.world.world import World

PAGE = Path(__file__).parents[3] / "docs" / "tasks.md"


@pytest.fixture(scope="module")
def world() -> World:
    return own_world()


@pytest.fixture(scope="module")
def graph(world: World) -> ToolGraph:
    return tool_graph(world)


def test_every_look_up_is_reached_from_what_is_known_at_first(world: World) -> None:
    assert {tool.name for tool in TOOLS if tool.kind == "get"} == set(results(world))


@pytest.mark.parametrize(
    "edge",
    [
        Edge("get_location_id_by_location_name", "place", "get_routes_from_start_to_destination"),
        Edge("get_distance_by_soc", "kilometre", "search_poi_along_the_route"),
        Edge("convert_route_distance_and_time", "kilometre", "search_poi_along_the_route"),
        Edge("get_entries_from_calendar", "contact", "get_contact_information"),
        Edge("get_entries_from_calendar", "name", "get_location_id_by_location_name"),
        Edge("calculate_charging_soc_by_time", "state of charge", "set_charge_limit"),
        Edge("get_seats_occupancy", "seat", "open_close_window"),
        Edge("get_climate_settings", "rule", "set_window_defrost"),
    ],
)
def test_edges_follow_from_what_tools_take_and_tell(graph: ToolGraph, edge: Edge) -> None:
    assert edge in set(graph.edges)


def test_a_task_uses_the_edges_between_its_calls(graph: ToolGraph, world: World) -> None:
    [task] = [task for task in own_tasks() if task.task_id == "base_late_mail"]
    assert edges_of(task, graph, world) == {
        Edge("get_contact_id_by_contact_name", "contact", "get_contact_information"),
        Edge("get_contact_information", "e-mail address", "send_email"),
    }


def test_the_picture_in_the_docs_is_that_of_the_code(graph: ToolGraph) -> None:
    assert picture(graph) in PAGE.read_text(encoding="utf-8")
