"""Which of the expected look-ups were made: these, or others that tell the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluator.record.episode import Act, Episode
from evaluator.record.record import Call
from evaluator.scoring.components import KEPT, Component
from evaluator.scoring.course.feasible import Feasible
from evaluator.scoring.course.identifiers import identifiers, unmentioned
from evaluator.scoring.course.orders import car_at
from evaluator.scoring.expected import in_short
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.policies.instructions import situation
from evaluator.task.expected_course import expected_course, result_of
from evaluator.task.task import Action
from vehicle_bus.car.schema import violations
from vehicle_bus.car.tool import INVALID
from vehicle_bus.contract import Command
from vehicle_bus.tools import BY_NAME
from vehicle_bus.world.world import World

# Whoever can do without them may.
AIDS = frozenset({"calculate_math", "calculate_datetime"})
# What matters of a result, if not all of it.
MATTERS = {"get_weather": "current_slot"}
DETAIL = frozenset({"detailed_information"})
# How far a number that an assistant works out may be off, because it was rounded on the way.
ROUNDING = {
    "start_state_of_charge": 1,
    "target_state_of_charge": 1,
    "initial_state_of_charge": 1,
    "final_state_of_charge": 1,
    "charging_time": 1,
    "time_minutes": 1,
    "distance_km": 3,
    "at_kilometer": 3,
}
Fact = tuple[str, Any]  # the name of a field and its value


@dataclass(frozen=True)
class LookUps:
    """The look-ups of an episode beside the expected ones."""

    episode: Episode
    world: World

    @property
    def needed(self) -> Iterator[int]:
        """The expected look-ups that have to be made, by index."""
        for index, action in enumerate(self._actions):
            tool = BY_NAME.get(action.name)
            if tool is None or tool.kind != "get" or action.name in AIDS:
                continue
            if not self._is_for_a_rule(action):
                yield index

    def made(self, index: int) -> bool:
        """Whether an expected look-up was called, or all that is needed of it was known.

        Needed are the ids that expected calls take from it, else all that it tells.
        """
        action = self._actions[index]
        if any(_is_same(action, act.tool, act.arguments) for act in self.episode.acts):
            return True
        if taken := self._taken(index):
            return all(self._was_told(one) for one in taken)
        if _tells_the_state(action.name):
            return _names(self._result(index)) <= {name for name, _ in self._facts}
        return self._mattering(index) <= self._facts or self._knew_a_route(index)

    def _knew_a_route(self, index: int) -> bool:
        """Whether one of the routes was known whole, say from the guidance, where some value had
        to be told: whether it was the right one is judged by what was told.
        """
        routes = self._result(index).get("routes", ())
        return bool(self.episode.task.expect.says) and any(
            _facts(route) <= self._facts for route in routes if isinstance(route, dict)
        )

    def all_made(self, left: Feasible | None = None) -> Component:
        """Every needed look-up was made; where a part is missing, one that shows it is enough."""
        missing = [index for index in self.needed if not self.made(index)]
        if left is not None:
            showing = [index for index in self.needed if index in left.masked]
            shown = any(index not in missing for index in showing)
            used = frozenset[str]().union(
                *(identifiers(act.arguments) for act in self.episode.acts)
            )
            feeding = [i for i in missing if self._feeds(i, left.masked | left.due) & used]
            missing = [*([] if shown else showing), *feeding]
        if not missing:
            return KEPT
        names = {self._actions[index].name for index in missing}
        said = [_in_words(self._actions[index]) for index in missing]
        return Component(0.0, f"never looked up: {in_short(said)}", tuple(sorted(names)))

    def found_nothing(self, call: Call) -> bool:
        """Whether a refused call only looked up what is not there, with arguments that fit."""
        tool, reply = BY_NAME.get(call.tool), call.reply
        if tool is None or tool.kind != "get" or reply is None or reply.error == INVALID:
            return False
        if call.succeeded:
            return False
        if any(violations(tool.parameters, call.arguments)):
            return False
        return not unmentioned(identifiers(call.arguments), self._told(self.episode.succeeded))

    @property
    def _actions(self) -> tuple[Action, ...]:
        return self.episode.task.expect.actions

    def _is_for_a_rule(self, action: Action) -> bool:
        """Whether a rule that code decides says if it had to be looked up."""
        here = self.episode.context.current_location.id
        if action.arguments.get("location_or_poi_id", here) != here:
            return False
        return any(
            policy.decided_by == "code"
            and action.name in policy.looks_up
            and any(policy.about(other.name, other.arguments) for other in self._actions)
            for policy in POLICIES.values()
        )

    def _taken(self, index: int) -> frozenset[str]:
        """The ids that later expected calls take from the result of a look-up."""
        return self._feeds(index, range(index + 1, len(self._actions)))

    def _feeds(self, index: int, others: Iterable[int]) -> frozenset[str]:
        """The ids of a result that stand in the arguments of other expected calls."""
        given = (identifiers(self._actions[other].arguments) for other in others if other > index)
        return identifiers(self._result(index)) & frozenset[str]().union(*given)

    def _result(self, index: int) -> dict[str, Any]:
        """What it tells on the expected way, in this car."""
        task, action = self.episode.task, self._actions[index]
        vehicle = car_at(task, self.world, self._course.states[index])
        command = Command(call_id="look", arguments=action.arguments)
        return result_of(vehicle.handle(action.name, command)) or {}

    def _mattering(self, index: int) -> frozenset[Fact]:
        """What has to be known of a result, if no id is taken from it."""
        result = self._result(index)
        return _facts(result.get(MATTERS.get(self._actions[index].name, ""), result))

    @cached_property
    def _course(self) -> Any:
        return expected_course(self.episode.task, self.world)

    def _was_told(self, identifier: str) -> bool:
        """Whether somebody had mentioned an id when it was first used."""
        used = (act for act in self.episode.acts if identifier in identifiers(act.arguments))
        first = next(used, None)
        known = self.episode.succeeded if first is None else self.episode.known_before(first)
        return not unmentioned([identifier], self._told(known))

    def _told(self, acts: Iterable[Act]) -> list[str]:
        """What the agent knew from the instructions, the driver and the answers to some calls."""
        return [
            situation(self.episode.task.car.start),
            *(said.known for said in self.episode.driver),
            *(act.output for act in acts),
        ]

    @cached_property
    def _facts(self) -> frozenset[Fact]:
        return frozenset[Fact]().union(*(_facts(act.result) for act in self.episode.succeeded))


def _in_words(action: Action) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in action.arguments.items())
    return f"{action.name}({given})"


def _is_same(action: Action, tool: str, arguments: dict[str, Any]) -> bool:
    if tool != action.name:
        return False
    if _tells_the_state(tool):
        return True
    given, wanted = _plain(arguments), _plain(action.arguments)
    return given.keys() == wanted.keys() and all(
        given[name] == wanted[name] or _is_rounded(name, given[name], wanted[name])
        for name in wanted
    )


def _is_rounded(name: str, given: Any, wanted: Any) -> bool:
    """Whether a number differs only by how it was rounded."""
    numbers = isinstance(given, int | float) and isinstance(wanted, int | float)
    return numbers and abs(given - wanted) <= ROUNDING.get(name, 0)


def _plain(value: Any) -> Any:
    """Arguments without what has no effect: empty ones, capitals, the order of lists."""
    match value:
        case dict():
            return {name: _plain(inner) for name, inner in value.items() if inner not in (None, [])}
        case list() | tuple():
            return sorted((_plain(inner) for inner in value), key=repr)
        case str():
            return value.strip().lower()
    return value


def _tells_the_state(tool: str) -> bool:
    """Whether a look-up can be asked for nothing in particular, only in more or less detail."""
    known = BY_NAME.get(tool)
    return known is not None and known.parameters["properties"].keys() <= DETAIL


def _facts(value: Any, name: str = "") -> frozenset[Fact]:
    match value:
        case dict():
            parts = [_facts(inner, str(key)) for key, inner in value.items()]
        case list() | tuple():
            parts = [_facts(inner, name) for inner in value]
        case _:
            return frozenset({(name, value)})
    return frozenset[Fact]().union(*parts)


def _names(value: Any) -> set[str]:
    return {name for name, _ in _facts(value)}
