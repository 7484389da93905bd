"""Which things of the cabin are spoken of."""

from assistant_gateway.agents.rules.language.patterns import Patterns, table

_SAYS = Patterns(__file__)

TELL_ONLY = frozenset({"occupancy", "color", "climate"})
OPENINGS = frozenset({"window", "sunroof", "sunshade", "trunk"})
# "Defrost the rear window" is about one thing, "warm air to my feet" is not about degrees.
_COVERED_BY = {
    "window": ("defrost",),
    "temperature": (
        "defrost",
        "seat_heating",
        "wheel_heating",
        "airflow",
        "fan",
        "air_conditioning",
    ),
    "airflow": ("circulation",),
    "fan": ("airflow",),
    "circulation": (),
    "air_conditioning": (),
}


def mentions(piece: str) -> list[str]:
    """The things of the cabin that a piece speaks of, in the order they are said."""
    found: list[tuple[int, str]] = []
    whole = piece
    for thing, pattern in table("cabin", "things"):
        spoken = pattern.search(piece)
        if spoken:
            found.append((spoken.start(), thing))
            piece = pattern.sub(lambda match: "\0" * len(match[0]), piece)
    things = [thing for _, thing in sorted(found)]
    covered = dict(_COVERED_BY)
    if _SAYS["degrees"].search(whole):
        del covered["temperature"]
    return [thing for thing in things if not set(covered.get(thing, ())) & set(things)]


def end_of_first_mention(piece: str) -> int:
    """Where the first thing has been named, or a value for what was named before."""
    ends = [match.end() for _, pattern in table("cabin", "things")
            if (match := pattern.search(piece))]  # fmt: skip
    value = _SAYS["value"].search(piece)
    return min([*ends, value.end()] if value else ends, default=len(piece))
