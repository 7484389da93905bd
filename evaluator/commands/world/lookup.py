"""`codriver world places` and `codriver world routes`: the ids that task authors write down."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from assistant_gateway.wording.spoken import counted
from assistant_gateway.wording.trip import minutes_of
from evaluator.problems import UsageProblem
from evaluator.task.selection import load_world
from evaluator.views.printing import print_json, print_rich
from vehicle_bus.world.places import CATEGORIES
from vehicle_bus.world.world import Row, World

NEAR_NAMES = 3
_ID = re.compile(r"(?:loc|poi)_\w+")


def show_places(city: str, category: str | None, folder: Path | None, *, as_json: bool) -> None:
    """What lies in a city, all of it or one category."""
    world = load_world(None, folder)
    location = location_called(city, world)
    places = places_in(location["id"], category, world)
    if as_json:
        print_json({"location": location, "places": places})
        return
    header = ("id", "category", "name", "open")
    rows = [row for poi in places for row in (_place(poi), *_plugs(poi))]
    _print_table(
        header, rows, f"{counted(len(places), 'place')} in {location['name']} ({location['id']})"
    )


def show_routes(start: str, destination: str, folder: Path | None, *, as_json: bool) -> None:
    """The routes from one end to another, fastest first."""
    world = load_world(None, folder)
    ends = [place_called(text, world) for text in (start, destination)]
    names = [f"{end['name']} ({end['id']})" for end in ends]
    routes = routes_between(ends[0]["id"], ends[1]["id"], world)
    if not routes:
        reason = "one end has to be a city, and this world has to know a way between the two"
        raise UsageProblem(f"there is no route from {names[0]} to {names[1]}: {reason}")
    if as_json:
        print_json({"start": ends[0], "destination": ends[1], "routes": routes})
        return
    header = ("id", "alias", "via", "km", "hours", "tolls")
    _print_table(header, list(map(_route, routes)), f"from {names[0]} to {names[1]}")


def location_called(text: str, world: World) -> Row:
    """A city by name or id; raises `UsageProblem` with the names that are near."""
    for row in world.locations():
        if text.lower() in (row["id"].lower(), row["name"].lower()):
            return row
    names, ids = ([row[field] for row in world.locations()] for field in ("name", "id"))
    near = get_close_matches(text, [*names, *ids], n=NEAR_NAMES)
    hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(names)}"
    raise UsageProblem(f"there is no city {text!r} in this world; {hint}")


def place_called(text: str, world: World) -> Row:
    """A city by name or id, or a point of interest by id."""
    poi = world.poi(text) if _ID.fullmatch(text) else None
    return poi or location_called(text, world)


def places_in(location_id: str, category: str | None, world: World) -> list[Row]:
    """The places of one category, or of all in alphabetical order."""
    if category is not None and category not in CATEGORIES:
        known = ", ".join(sorted(CATEGORIES))
        raise UsageProblem(f"there is no category {category!r}; known are {known}")
    wanted = sorted(CATEGORIES) if category is None else [category]
    return [poi for name in wanted for poi in world.pois_at(location_id, name)]


def routes_between(start_id: str, destination_id: str, world: World) -> list[Row]:
    """The routes that an assistant can look up: none between two points of interest."""
    if start_id.startswith("poi_") and destination_id.startswith("poi_"):
        return []
    return list(world.routes(start_id, destination_id))


def _place(poi: Row) -> tuple[str, ...]:
    return (poi["id"], poi["category"], poi["name"], poi["opening_hours"].replace("h", ""))


def _plugs(poi: Row) -> Iterator[tuple[str, ...]]:
    """The plugs of a charging station, one row each; other places have none."""
    for plug in poi.get("charging_plugs", ()):
        power = f"{plug['power_type']} {plug['power_kw']} kW"
        yield (f"  {plug['plug_id']}", "", power, plug["availability"])


def _route(route: Row) -> tuple[str, ...]:
    hours, minutes = divmod(minutes_of(route), 60)
    return (
        route["route_id"],
        ", ".join(route["alias"]),
        route["name_via"],
        f"{route['distance_km']:.0f}",
        f"{hours}:{minutes:02}",
        "yes" if route["includes_toll"] else "no",
    )


def _print_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: str) -> None:
    from rich.table import Table

    shown: Any = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        shown.add_column(name, no_wrap=name in ("id", "category"))
    for row in rows:
        shown.add_row(*row)
    print_rich(shown, below)
