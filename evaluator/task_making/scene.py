"""Where a motif is set up: a car in the world, on which every expected call is carried out.

A motif asks the scene for places and people, makes the look-ups and changes that are expected, and
says what the driver says. What does not fit raises `Unsuitable`; then another instance is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any, TypeVar

from evaluator.task.expected_course import result_of
from evaluator.task.splits import Split
from evaluator.task.task import Action, Telling
from evaluator.task_making.skeleton import Skeleton, SkeletonPart
from user_sim.script import Answer
from vehicle_bus.car.state import STATE_NAMES, CarSetup
from vehicle_bus.contract import Command
from vehicle_bus.tools import BY_NAME
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.places import is_open
from vehicle_bus.world.world import Row, World

BLOCK_MIN = 180
MARGIN_MIN = 20
HOURS_MARGIN_MIN = 25
DAY_MIN = 24 * 60
TOWN_MIN = 30
SHOWN_TIME = "{:02d}:{:02d}"
MANNERS = ("relaxed", "brisk", "formal", "talkative", "absent-minded", "precise")
# Preferences that no motif is about.
BESIDE_THE_POINT: tuple[tuple[str, str, str], ...] = (
    ("productivity_and_communication", "calendar", "The driver likes no meetings before nine."),
    ("points_of_interest", "parking", "The driver likes car parks with wide spaces."),
    ("points_of_interest", "airports", "The driver likes to be at airports early."),
    ("weather", "weather", "The driver likes the forecast in the morning."),
)
WITH_A_PREFERENCE = 0.35
SEARCHES = {
    "search_poi_at_location": "pois_found",
    "search_poi_along_the_route": "pois_found_along_route",
}
Choice = TypeVar("Choice")


class Unsuitable(Exception):
    """This instance of a motif has no single right outcome, or would be no test."""


@dataclass
class Scene:
    """One instance of a motif in the making; all chance comes from `chance`."""

    world: World
    chance: Random
    motif: str = ""
    split: Split | None = None
    branch: str = ""
    task_type: str = "base"
    start: dict[str, Any] = field(default_factory=dict)
    calendar_id: str | None = None
    settle_alone: str | None = None
    settled_by: int | None = None
    actions: list[Action] = field(default_factory=list)
    careless: list[Action] = field(default_factory=list)
    deciding: set[str] = field(default_factory=set)
    facts: list[str] = field(default_factory=list)
    _parts: list[SkeletonPart] = field(default_factory=list)
    _says: list[Telling] = field(default_factory=list)
    _answers: list[Answer] = field(default_factory=list)
    _replies: list[str] = field(default_factory=list)
    _car: Vehicle | None = None

    # --- who, where and when

    def pick(self, choices: Sequence[Choice]) -> Choice:
        need(bool(choices))
        return self.chance.choice(choices)

    def some(self, choices: Sequence[Choice], number: int) -> list[Choice]:
        need(len(choices) >= number)
        return self.chance.sample(choices, number)

    def _all_cities(self) -> list[Row]:
        return [
            row
            for row in self.world.locations()
            if not self.split or row["name"] in self.split.cities
        ]

    def contacts(self) -> list[Row]:
        """The people a task may be about."""
        return [
            row
            for row in self.world.contacts()
            if not self.split or called(row) in self.split.people
        ]

    def cities(self, number: int) -> list[Row]:
        return self.some(self._all_cities(), number)

    def near(self, city: Row, least_km: float = 60, most_km: float = 450) -> Row:
        """Another city at about this distance by road."""
        others = [row for row in self._all_cities() if row["id"] != city["id"]]
        for row in self.some(others, len(others)):
            found = self.world.routes(city["id"], row["id"])
            if found and least_km <= found[0]["distance_km"] <= most_km:
                return row
        raise Unsuitable

    def person(self) -> Row:
        """Somebody whose first name and last name lead to nobody else."""
        return self.pick([row for row in self.contacts() if " " not in row["name"]])

    def begin(self, city: Row, hours: tuple[int, int] = (6, 21), **start: Any) -> None:
        """Put the car into a city at some time of some day, with what its start state has."""
        minute = self.chance.randrange(60 * hours[0], 60 * hours[1], 5)
        day = {"year": 2025, "month": self.chance.randint(1, 12), "day": self.chance.randint(1, 28)}
        self.begin_at(city, day, minute, **start)

    def begin_at(self, city: Row, day: Row, minute: int, **start: Any) -> None:
        dark = not 8 * 60 <= minute <= 17 * 60
        usual = {
            "state_of_charge": self.chance.randint(55, 95), "head_lights_low_beams": dark,
            "fan_speed": self.chance.randint(0, 2),
            **dict.fromkeys(("climate_temperature_driver", "climate_temperature_passenger"),
                            self.chance.choice((19.5, 20.0, 20.5, 21.5))),
        }  # fmt: skip
        category, kind, sentence = self.pick(BESIDE_THE_POINT)
        if self.chance.random() < WITH_A_PREFERENCE:
            usual |= self.prefer(category, kind, sentence)
        self.start = {**usual, **start}
        self.start["current_location"] = {k: city[k] for k in ("id", "name", "position")}
        self.start["current_datetime"] = {
            **{k: day[k] for k in ("year", "month", "day")},
            "hour": minute // 60,
            "minute": minute % 60,
        }
        self.facts.append(f"The car is in {city['name']} at {clock(minute)}.")
        self._car = Vehicle(CarSetup(start=self.start, calendar_id=self.calendar_id), self.world)

    def begin_on_day_of_meetings(self, before_min: int, **start: Any) -> tuple[Row, Row]:
        """So many minutes before the second meeting of a day, after the first one began."""
        calendar = self.pick(self.world.calendars())
        first, second = calendar["meetings"]
        now = start_of(second) - before_min
        need(start_of(first) < now)
        need({first["location"], second["location"]} <= {row["name"] for row in self._all_cities()})
        need({*first["attendees"], *second["attendees"]} <= {row["id"] for row in self.contacts()})
        self.calendar_id = calendar["id"]
        city = self.world.location_named(first["location"])
        assert city is not None
        self.begin_at(city, calendar["date"], now, **start)
        return first, second

    @property
    def car(self) -> Vehicle:
        assert self._car is not None
        return self._car

    @property
    def here(self) -> str:
        return str(self.start["current_location"]["id"])

    @property
    def now(self) -> int:
        """Minutes since midnight."""
        moment = self.start["current_datetime"]
        return int(60 * moment["hour"] + moment["minute"])

    @property
    def today(self) -> dict[str, Any]:
        return {name: self.start["current_datetime"][name] for name in ("month", "day")}

    def value(self, variable: str) -> Any:
        """A variable of the car as it now is."""
        return getattr(self.car.state, variable)

    # --- calls

    def look(self, tool: str, *, decides: bool | str = False, **arguments: Any) -> Row:
        """An expected look-up; one that `decides` changes what is done without giving an id.

        It may name the field of the result that does.
        """
        self.actions.append(Action(name=tool, arguments=arguments))
        if decides:
            self.decide(tool, decides if isinstance(decides, str) else "")
        return self.peek(tool, **arguments)

    def decide(self, tool: str, field_path: str = "") -> None:
        """Note that the result of a tool, or this field of it, decides what is done or told."""
        self.deciding |= {tool, f"{tool}.{field_path}"} if field_path else {tool}

    def peek(self, tool: str, **arguments: Any) -> Row:
        """What a call answers, without expecting it."""
        answer = self.car.handle(tool, Command(call_id="scene", arguments=arguments))
        need(answer.status == "SUCCESS")
        return result_of(answer) or {}

    def change(self, tool: str, **arguments: Any) -> None:
        """An expected change; it has to work."""
        before = self.car.state
        self.look(tool, **arguments)
        need(self.car.state != before)

    def carelessly(self, tool: str, **arguments: Any) -> None:
        self.careless.append(Action(name=tool, arguments=arguments))

    def find(self, city: Row) -> str:
        """The id of a city, looked up by its name."""
        return str(self.look("get_location_id_by_location_name", location=city["name"])["id"])

    def routes(self, start_id: str, destination_id: str) -> list[Row]:
        found = self.look(
            "get_routes_from_start_to_destination",
            start_id=start_id, destination_id=destination_id,
        )  # fmt: skip
        return list(found["routes"])

    def fastest(self, start_id: str, destination_id: str) -> Row:
        """The fastest route, clearly ahead of the next; in town a minute is clear."""
        found = self.routes(start_id, destination_id)
        need(bool(found))
        return fastest(found, 3 if minutes(found[0]) > TOWN_MIN else 1)

    def weather(
        self, place_id: str, minute: int, decides: str = "", *, expected: bool = True
    ) -> Row:
        """The forecast for a minute of today, which lies well inside its block.

        `decides` is the value of it that decides or is told.
        """
        need(minute < DAY_MIN)
        into = minute % BLOCK_MIN
        need(not expected or MARGIN_MIN <= into <= BLOCK_MIN - MARGIN_MIN)
        given: dict[str, Any] = {
            "location_or_poi_id": place_id, **self.today,
            "time_hour_24hformat": minute // 60, "time_minutes": minute % 60,
        }  # fmt: skip
        if not expected:
            return dict(self.peek("get_weather", **given)["current_slot"])
        field_path = f"current_slot.{decides}" if decides else ""
        return dict(self.look("get_weather", decides=field_path, **given)["current_slot"])

    def weather_here(self, decides: str = "") -> Row:
        """The weather here and now, which the rules about roof and fog lights want."""
        return self.weather(self.here, self.now, decides)

    def contact(self, person: Row) -> Row:
        """Phone number and address of somebody found by name."""
        name = person["name"]
        found = self.look(
            "get_contact_id_by_contact_name",
            contact_first_name=name["first_name"],
            contact_last_name=name["last_name"],
        )
        need(list(found.get("matches", ())) == [person["id"]])
        return dict(self.information([person["id"]])[person["id"]])

    def information(self, contact_ids: list[str]) -> Row:
        return self.look("get_contact_information", contact_ids=contact_ids)

    def calendar(self) -> list[Row]:
        return list(self.look("get_entries_from_calendar", **self.today)["meetings"])

    def later(self, minute: int) -> None:
        """The time after so many minutes, as whoever does not reckon would look it up."""
        self.look(
            "calculate_datetime",
            original_datetime=self.start["current_datetime"],
            times_to_add=[{"hours": minute // 60, "minutes": minute % 60}],
        )

    def trip(self, *cities: Row) -> dict[str, Any]:
        """The start state of a trip through these cities, along the fastest routes."""
        ids = [city["id"] for city in cities]
        legs = [fastest(self.world.routes(*leg)) for leg in pairwise(ids)]
        return {
            "navigation_active": True,
            "waypoints_id": ids,
            "routes_to_final_destination_id": [leg["route_id"] for leg in legs],
        }

    # --- words

    def part(self, line: str) -> None:
        """The opening, then each followup, once its calls were made."""
        seen = sum(part.actions for part in self._parts)
        reply = " ".join(self._replies)
        self._replies.clear()
        self._parts.append(
            SkeletonPart(
                line=line, actions=len(self.actions) - seen, reply=reply,
                deciding=frozenset(self.deciding),
            )
        )  # fmt: skip

    def tell(self, reply: str, *any_of: str) -> None:
        """What has to be told about the part that is being made; `reply` tells it."""
        self._says.append(Telling(any_of=any_of, followup=len(self._parts)))
        self._replies.append(reply)

    def path(self, tool: str, rest: str) -> str:
        """The path of a value in the last result of a tool, as `expect.says` has it."""
        calls = sum(action.name == tool for action in self.actions)
        return f"{tool}.{calls - 1}.{rest}" if calls > 1 else f"{tool}.{rest}"

    def name_of(self, poi: Row) -> str:
        """The path of the name of a place that a search has found."""
        tool, found = next(
            (action.name, SEARCHES[action.name])
            for action in reversed(self.actions) if action.name in SEARCHES
        )  # fmt: skip
        return self.path(tool, f"{found}.id={poi['id']}.name")

    @property
    def may_go_on(self) -> bool:
        """Whether nothing has to be told so far, and the conversation has not ended."""
        ended = any(BY_NAME[action.name].ends_conversation for action in self.actions)
        return not self._says and not ended

    def answer(self, say: str, *when: str) -> None:
        """What is kept back until asked."""
        self._answers.append(Answer(when=when, say=say))

    def prefer(self, category: str, kind: str, *sentences: str) -> dict[str, Any]:
        """The start state of a driver who is known to like something."""
        return {"user_preferences": {category: {kind: list(sentences)}}}

    def skeleton(self) -> Skeleton:
        need(bool(self._parts))
        changed = {
            name: value for name, value in self.start.items()
            if name not in STATE_NAMES or value is not None
        }  # fmt: skip
        return Skeleton(
            motif=self.motif, branch=self.branch, task_type=self.task_type, start=changed,
            calendar_id=self.calendar_id, parts=tuple(self._parts), actions=tuple(self.actions),
            says=tuple(self._says), answers=tuple(self._answers), settle_alone=self.settle_alone,
            settled_by=self.settled_by, careless=tuple(self.careless),
            deciding=frozenset(self.deciding), facts=tuple(self.facts),
            manner=self.chance.choice(MANNERS), age=self.chance.randint(19, 78),
        )  # fmt: skip


def need(holds: bool) -> None:
    """Raises `Unsuitable` unless it holds."""
    if not holds:
        raise Unsuitable


def minutes(route: Row) -> int:
    return int(60 * route["duration_hours"] + route["duration_minutes"])


def fastest(routes: Sequence[Row], ahead_min: int = 3) -> Row:
    return least(routes, minutes, ahead_min)


def shortest(routes: Sequence[Row], ahead_km: float = 3) -> Row:
    return least(routes, lambda route: float(route["distance_km"]), ahead_km)


def least(rows: Sequence[Row], measure: Any, ahead: float) -> Row:
    """The row with the least measure, ahead of the next by a margin."""
    need(bool(rows))
    first, *rest = sorted(rows, key=measure)
    need(not rest or measure(rest[0]) - measure(first) >= ahead)
    return first


def sole(rows: Sequence[Row]) -> Row:
    """The only one."""
    need(len(rows) == 1)
    return rows[0]


def surely_open(poi: Row, minute: int, *, opened: bool = True) -> bool:
    """Whether a place is open, or closed, around this minute of the day."""
    around = (minute - HOURS_MARGIN_MIN, minute, minute + HOURS_MARGIN_MIN)
    return all(is_open(str(poi["opening_hours"]), each) is opened for each in around)


def start_of(meeting: Row) -> int:
    return 60 * int(meeting["start"]["hour"]) + int(meeting["start"]["minute"])


def clock(minute: int) -> str:
    return SHOWN_TIME.format(*divmod(minute % DAY_MIN, 60))


def duration(amount_min: int) -> str:
    hours, rest = divmod(amount_min, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def called(person: Row) -> str:
    return f"{person['name']['first_name']} {person['name']['last_name']}"


def is_wet(condition: str) -> bool:
    """Whether something falls from the sky; `Unsuitable` for what is neither dry nor wet."""
    wet = any(word in condition for word in ("rain", "snow", "hail", "thunder"))
    need(wet or condition in ("sunny", "cloudy", "partly_cloudy"))
    return wet
