"""The steps a plan is made of: look something up, ask the driver, do something.

A plan is a generator. It yields what the assistant says or calls next and is sent the line of the
transcript that answers it; so a plan reads like the conversation it leads.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.journal import Journal
from assistant_gateway.agents.rules.language.patterns import Patterns
from assistant_gateway.agents.rules.language.plain import commands, halts, plain
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.rules.wishes.trip import Journey
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.agents.transcript import Answered, Heard, Line
from assistant_gateway.wording.limits import ability, cannot
from vehicle_bus.car.trip import Trip
from vehicle_bus.world.world import Row

_SAYS = Patterns(__file__)
T = TypeVar("T")
Steps = Generator[AgentMessage, Line, T]
Result = Mapping[str, Any]
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Moment:
    """A minute of one day."""

    year: int
    month: int
    day: int
    hour: int
    minute: int

    @property
    def minute_of_day(self) -> int:
        return 60 * self.hour + self.minute


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the car is and when it is; None if nobody said so."""

    place_id: str | None
    place_name: str | None
    now: Moment | None


def situation(instructions: str) -> Situation:
    """Read place and time out of the instructions."""
    place, time = _SAYS["place"].search(instructions), _SAYS["time"].search(instructions)
    return Situation(
        place_id=place["id"] if place else None,
        place_name=place["name"] if place else None,
        now=Moment(**{name: int(text) for name, text in time.groupdict().items()})
        if time
        else None,
    )


class Known:
    """Rows by id, gathered from results; speaks as an `Atlas` for sentences."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def name_place(self, place_id: str, name: str) -> None:
        """A place that is known by id and name only."""
        self._rows.setdefault(place_id, {"id": place_id, "name": name})

    def learn(self, result: Any) -> None:
        """Remember every row with an id that stands anywhere in a result."""
        for row in _rows(result):
            self._rows[str(row.get("route_id") or row.get("id"))] = dict(row)

    def location(self, location_id: str) -> Row | None:
        return self._rows.get(location_id) if location_id.startswith("loc_") else None

    def poi(self, poi_id: str) -> Row | None:
        row = self._rows.get(poi_id) if poi_id.startswith("poi_") else None
        return row if row and "category" in row else None

    def route(self, route_id: str) -> Row | None:
        row = self._rows.get(route_id)
        return row if row and "route_id" in row else None

    def contact(self, contact_id: str) -> Row | None:
        row = self._rows.get(contact_id)
        return row if row and isinstance(row.get("name"), dict) else None

    def contact_with_email(self, email: str) -> Row | None:
        people = (row for row in self._rows.values() if row.get("email") == email)
        return next(people, None)


def _rows(result: Any) -> Iterator[Mapping[str, Any]]:
    match result:
        case dict():
            if isinstance(result.get("route_id"), str) or (
                isinstance(result.get("id"), str) and "name" in result
            ):
                yield result
            for inner in result.values():
                yield from _rows(inner)
        case list():
            for inner in result:
                yield from _rows(inner)


@dataclass(eq=False)
class Declined(Exception):
    """Nothing will be done, and `text` says why."""

    text: str


class Lacking(Declined):
    """The car lacks a part: a tool, `tool.parameter` or `result.tool.field`."""

    def __init__(self, part: str) -> None:
        super().__init__(cannot(part))


class Refused(Declined):
    """The car refused a call, or its answer cannot be read; `known` is what it has instead."""

    def __init__(self, tool: str, output: str = "") -> None:
        super().__init__(f"I'm sorry, I couldn't {ability(tool)}.")
        named = _SAYS["known_instead"].search(output)
        self.known = named["names"].split(", ") if named else []


@dataclass(eq=False)
class NewRequest(Exception):
    """The driver wants something else instead of answering.

    `drops`: nothing of what was wished before is wanted any more; else it is `kept`.
    """

    said: str
    drops: bool = False
    kept: "Kept" = field(default_factory=lambda: Kept())


class Offered:
    """The declarations of a session, by name."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        functions = [tool.get("function", {}) for tool in tools]
        self._parameters: dict[str, frozenset[str]] = {
            str(function.get("name")): frozenset(
                function.get("parameters", {}).get("properties", {})
            )
            for function in functions
        }

    def has(self, tool: str, parameter: str | None = None) -> bool:
        offered = self._parameters.get(tool)
        return offered is not None and (parameter is None or parameter in offered)

    def require(self, call: Call) -> None:
        """Raise `Lacking` if the car cannot be asked this."""
        if not self.has(call.name):
            raise Lacking(call.name)
        for parameter in call.arguments:
            if not self.has(call.name, parameter):
                raise Lacking(f"{call.name}.{parameter}")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Calls to make, those that a rule of the car adds, and what else to say.

    `sentences` are said whatever happens, `remarks` once the calls have worked. Calls `in_order`
    are made one after the other, each in a message of its own.
    """

    calls: tuple[Call, ...] = ()
    by_rule: tuple[Call, ...] = ()
    sentences: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What a turn still has to do when the driver answers a question with a new request.

    `ready` is prepared, `waiting` not yet; `left` was asked about and is not done.
    """

    ready: tuple[tuple[Wish, Prepared], ...] = ()
    waiting: tuple[Wish, ...] = ()
    left: tuple[Wish, ...] = ()
    excuses: tuple[str, ...] = ()

    def beside(self, new: Sequence[Wish]) -> "Kept":
        """What is still to be done beside new wishes, some of which may be about the same."""
        return Kept(
            tuple((wish, plan) for wish, plan in self.ready if not is_replaced(wish, new)),
            tuple(wish for wish in self.waiting if not is_replaced(wish, new)),
            tuple(wish for wish in self.left if not is_replaced(wish, new)),
            self.excuses,
        )


def is_replaced(wish: Wish, new: Sequence[Wish]) -> bool:
    """Whether one of the new wishes is about the same."""
    return any(_same_subject(wish, other) for other in new)


def _same_subject(wish: Wish, other: Wish) -> bool:
    match wish, other:
        case Adjust(), Adjust():
            seats = set(wish.seats) & set(other.seats) or not (wish.seats and other.seats)
            return wish.thing == other.thing and bool(seats)
        case Journey(), Journey():
            return True
    return type(wish) is type(other) and not isinstance(wish, Adjust)


def change(name: str, **arguments: object) -> Call:
    return Call(name, dict(arguments))


@dataclass(slots=True)
class Dialogue:
    """One conversation: what the car offers, where it is, what has been learned so far."""

    offered: Offered
    situation: Situation
    known: Known = field(default_factory=Known)
    fresh: dict[str, Result] = field(default_factory=dict)
    aside: str = ""
    trip: Trip | None = None
    trip_before: Trip | None = None
    found: list[dict[str, Any]] = field(default_factory=list)
    meeting: dict[str, Any] | None = None
    done: list[Call] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    journal: Journal = field(default_factory=Journal)
    last_said: str = ""
    also: list[str] = field(default_factory=list)
    understood: Callable[[str], Sequence[Wish]] = field(default=lambda said: ())

    def is_request(self, said: str) -> bool:
        """Whether it is a wish, or sounds like one that is not understood."""
        wishes = self.understood(said)
        return any(not isinstance(wish, SmallTalk) for wish in wishes) or commands(plain(said))

    def possible(self, name: str, **arguments: object) -> Call:
        """A call that the car offers; raises `Lacking` if it does not."""
        call = Call(name, arguments)
        self.offered.require(call)
        return call

    def look(self, name: str, **arguments: Any) -> Steps[Result]:
        """Ask the car; what was asked since the last change is not asked again."""
        results = yield from self.look_all(Call(name, arguments))
        return results[0]

    def look_all(self, *calls: Call) -> Steps[list[Result]]:
        """Ask the car several things at once."""
        for call in calls:
            self.offered.require(call)
        asked = [call for call in calls if _key(call) not in self.fresh]
        if asked:
            outputs = yield from self.calls(asked)
            for call, output in zip(asked, outputs, strict=True):
                result = result_in(output)
                if result is None:
                    raise Refused(call.name, output)
                self.known.learn(result)
                self.fresh[_key(call)] = result
        return [self.fresh[_key(call)] for call in calls]

    def shown(self, name: str) -> dict[str, Any] | None:
        """What a look-up without arguments has shown since the last change, if there was one."""
        result = self.fresh.get(_key(Call(name)))
        return None if result is None else readable(result)

    def look_if_offered(self, name: str, **arguments: Any) -> Steps[Result]:
        """Ask the car something that can be done without; nothing where it cannot answer."""
        try:
            return (yield from self.look(name, **arguments))
        except (Lacking, Refused):
            return {}

    def calls(self, calls: Sequence[Call]) -> Steps[list[str]]:
        """Run calls, none of which the car lacks, and get their texts."""
        line = yield AgentMessage(self._said_aside(), tuple(calls))
        if isinstance(line, Heard):
            raise NewRequest(line.text, drops=halts(plain(line.text)))
        assert isinstance(line, Answered)
        outputs = [output for _, output in line.results]
        return (outputs + [""] * len(calls))[: len(calls)]

    def ask(self, question: str) -> Steps[str]:
        """Ask the driver, whose words come back."""
        line: Line = Answered(())
        while not isinstance(line, Heard):
            line = yield AgentMessage(question)
        self.fresh.clear()
        return line.text

    def _said_aside(self) -> str:
        aside, self.aside = self.aside, ""
        return aside


def value(result: Result, tool: str, name: str) -> Any:
    """A field of a result that is needed; `Lacking` if the car does not tell it."""
    found = result.get(name, UNKNOWN)
    if found == UNKNOWN:
        raise Lacking(f"result.{tool}.{name}")
    return found


def require(result: Result, tool: str, *names: str) -> None:
    """Raise `Lacking` if the car does not tell one of the fields."""
    for name in names:
        value(result, tool, name)


def rows(result: Result, tool: str, name: str) -> list[dict[str, Any]]:
    """The rows of a list that is needed."""
    found = value(result, tool, name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def result_in(output: str) -> Result | None:
    """What a tool answered, None if it refused or nobody can read it."""
    try:
        answer = json.loads(output)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(answer, dict) or "errors" in answer or answer.get("status") == "FAILURE":
        return None
    result = answer.get("result", answer)
    return result if isinstance(result, dict) else None


def readable(result: Result) -> dict[str, Any]:
    """A result without what the car does not tell."""
    return {name: found for name, found in result.items() if found != UNKNOWN}


def _key(call: Call) -> str:
    return json.dumps([call.name, call.arguments], sort_keys=True)
