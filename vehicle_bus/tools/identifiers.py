"""What ids look like: `loc_mun_9995`, `poi_cha_911619`, `rll_mun_ber_815086`, `plg_cha_247670`."""

from vehicle_bus.car.tool import BadArguments


def is_place_id(text: str) -> bool:
    """Whether a text is formed like the id of a location or a point of interest.

    Like the other two it raises `BadArguments` if the text ends before one could know.
    """
    return _is_formed(text, ("loc", "poi"), (3, 7))


def is_route_id(text: str) -> bool:
    return _is_formed(text, ("rll", "rlp", "rpl", "rpp"), (3, 7, 11))


def is_plug_id(text: str) -> bool:
    return _is_formed(text, ("plg",), (3, 7))


def _is_formed(text: str, kinds: tuple[str, ...], underscores: tuple[int, ...]) -> bool:
    for position in underscores:
        if position >= len(text):
            raise BadArguments(f"{text!r} is too short for an id")
        if text[position] != "_":
            return False
    return text[underscores[-1] + 1 :].isdigit() and text.startswith(kinds)
