"""Ids: `loc_mun_9995`, `poi_cha_911619`, `rll_mun_ber_815086`, `plg_cha_247670`.

Each check raises one of `errors`, of several ids the first wrong one, numbered from `first`. It
raises `BadArguments` if the text ends before one could know.
"""

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Errors
from vehicle_bus.world.json_lines import Row


def check_places(errors: Errors, first: int, *place_ids: str, what: str = "a place") -> None:
    """Texts that must be formed like the id of a location or a point of interest."""
    _check(errors, first, place_ids, what, ("loc", "poi"), (3, 7))


def check_routes(errors: Errors, first: int, *route_ids: str) -> None:
    _check(errors, first, route_ids, "a route", ("rll", "rlp", "rpl", "rpp"), (3, 7, 11))


def check_plug(errors: Errors, number: int, plug_id: str) -> None:
    _check(errors, number, (plug_id,), "a plug", ("plg",), (3, 7))


def known_route(car: Car, errors: Errors, number: int, route_id: str) -> Row:
    """The route of an id; the error if there is none."""
    route = car.world.route(route_id)
    if route is None:
        raise errors(number, f"there is no route {route_id}")
    return route


def _check(
    errors: Errors,
    first: int,
    texts: tuple[str, ...],
    what: str,
    kinds: tuple[str, ...],
    underscores: tuple[int, ...],
) -> None:
    for number, text in enumerate(texts, start=first):
        if not _is_formed(text, kinds, underscores):
            raise errors(number, f"{text!r} is not the id of {what}")


def _is_formed(text: str, kinds: tuple[str, ...], underscores: tuple[int, ...]) -> bool:
    for position in underscores:
        if position >= len(text):
            raise BadArguments(f"{text!r} is too short for an id")
        if text[position] != "_":
            return False
    return text[underscores[-1] + 1 :].isdigit() and text.startswith(kinds)
