"""What can be wrong with the trip of a task: legs that do not meet, a start that is elsewhere."""

from collections.abc import Iterator
from itertools import pairwise

from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.marked_yaml import FieldProblem, Where
from evaluator.task.task import Task
from vehicle_bus.car.state import CarState, context_at_start, state_at_start
from vehicle_bus.world.world import World

START: Where = ("car", "start")
WAYPOINTS: Where = (*START, "waypoints_id")
ROUTES: Where = (*START, "routes_to_final_destination_id")


def trip_problems(task: Task, world: World) -> Iterator[FieldProblem]:
    """Places in the file, and what was expected there, about the trip at the start."""
    state, here = state_at_start(task.car.start), _here(task)
    waypoints, routes = state.waypoints_id, state.routes_to_final_destination_id
    if not state.navigation_active:
        if waypoints or routes:
            yield (*START, "navigation_active"), "expected true for a car that follows a trip"
        return
    if len(waypoints) < 2:
        yield WAYPOINTS, "expected a start and a destination at least"
        return
    if waypoints[0] != here:
        yield WAYPOINTS, f"expected a trip that starts where the car is, at {here}"
    if len(routes) != len(waypoints) - 1:
        yield ROUTES, "expected one route from each waypoint to the next"
        return
    for index, (leg, route_id) in enumerate(zip(pairwise(waypoints), routes, strict=True)):
        route = world.route(route_id)
        if route is None or (route["start_id"], route["destination_id"]) != leg:
            yield (*ROUTES, index), f"expected a route of the world from {leg[0]} to {leg[1]}"


def departure_problems(task: Task, course: ExpectedCourse) -> Iterator[FieldProblem]:
    """Expected calls after which the trip would start somewhere else than the car is."""
    here = _here(task)
    for index, (before, after) in enumerate(pairwise(course.states)):
        if _departure(after) not in (None, here, _departure(before)):
            where: Where = ("expect", "actions", index)
            yield where, f"expected a trip that starts where the car is, at {here}"


def _departure(state: CarState) -> str | None:
    return state.waypoints_id[0] if state.waypoints_id else None


def _here(task: Task) -> str:
    return context_at_start(task.car.start).current_location.id
