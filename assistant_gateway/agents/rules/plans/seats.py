"""Which windows, seats or lights a wish is about."""

from assistant_gateway.agents.rules.dialogue import Dialogue, Steps, value
from assistant_gateway.agents.rules.language.details import seats as seats_in
from assistant_gateway.agents.rules.plans.asking import detail
from assistant_gateway.agents.rules.wishes.wish import Adjust

OCCUPANCY = "get_seats_occupancy"
SEATS = ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR")
_REAR = ("DRIVER_REAR", "PASSENGER_REAR")
_MEANT: dict[str, tuple[str, ...]] = {
    "ALL": SEATS,
    "PLURAL": SEATS,
    "REAR": _REAR,
    "FRONT": ("DRIVER", "PASSENGER"),
    "THEIRS": ("PASSENGER",),
}


def single_seats(seats: tuple[str, ...]) -> tuple[str, ...]:
    """Single seats for what was said."""
    found = [seat for said in seats for seat in _MEANT.get(said, (said,))]
    return tuple(seat for seat in SEATS if seat in found)


DRIVER: tuple[str, ...] = ("DRIVER",)


def chosen(wish: Adjust, dialogue: Dialogue) -> Steps[tuple[str, ...]]:
    """The windows or lights to name in calls; all four have one name together."""
    seats = wish.seats
    if not seats:
        thing = "window" if wish.thing == "window" else "light"
        seats = yield from detail(
            dialogue,
            f"Which {thing} do you mean: yours, the passenger's, or one in the back?",
            lambda answer: seats_in(answer) or None,
            DRIVER,
        )
    named = single_seats((yield from seated(dialogue, seats)))
    return ("ALL",) if named == SEATS else named


def seated(dialogue: Dialogue, seats: tuple[str, ...]) -> Steps[tuple[str, ...]]:
    """Seats by name, where it hangs on who sits in the car."""
    if not {"OCCUPIED", "EMPTY", "SOMEWHERE_REAR"} & set(seats):
        return seats
    result = yield from dialogue.look(OCCUPANCY)
    taken = occupied(value(result, OCCUPANCY, "seats_occupied"))
    by_name = {
        "OCCUPIED": taken,
        "EMPTY": tuple(seat for seat in SEATS if seat not in taken),
        "SOMEWHERE_REAR": tuple(seat for seat in _REAR if seat in taken) or _REAR,
    }
    return tuple(name for seat in seats for name in by_name.get(seat, (seat,)))


def occupied(by_seat: object) -> tuple[str, ...]:
    """The seats where somebody sits."""
    known = by_seat if isinstance(by_seat, dict) else {}
    return tuple(seat for seat in SEATS if known.get(seat.lower()) is True)
