"""How far, how strong and at which seats: from the words, from what is liked, else by asking."""

from dataclasses import dataclass, replace

from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, Steps, value
from assistant_gateway.agents.rules.language.details import Details, details
from assistant_gateway.agents.rules.language.details import seats as seats_in
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.plans.asking import detail, liked_value
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.wording.spoken import words

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
DRIVER: tuple[str, ...] = ("DRIVER",)
DIRECTIONS = {"more": 1, "less": -1, "open": 1, "close": -1}
ROOF = "get_sunroof_and_sunshade_position"
PANES = "get_vehicle_window_positions"
CABIN = "get_temperature_inside_car"


def single_seats(seats: tuple[str, ...]) -> tuple[str, ...]:
    """Single seats for what was said."""
    found = [seat for said in seats for seat in _MEANT.get(said, (said,))]
    return tuple(seat for seat in SEATS if seat in found)


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


@dataclass(frozen=True, slots=True)
class Scale:
    """What something can be set to, and the tool and field that tell its present value."""

    name: str
    lowest: float
    highest: float
    step: float
    middle: float
    unit: str = ""
    tool: str = ""
    field: str = ""

    def out_of_range(self) -> Declined:
        return Declined(
            f"That is out of range: {self.name} goes from {self.lowest:g} to "
            f"{' '.join(filter(None, [f'{self.highest:g}', self.unit]))}."
        )

    def within(self, amount: float) -> float:
        """The nearest value that exists; a step beyond the end stops there."""
        steps = round(min(max(amount, self.lowest), self.highest) / self.step)
        found = steps * self.step
        return int(found) if found == int(found) else found


def scale_at(thing: str, seat: str = "DRIVER") -> Scale:
    """The scale of a thing at one seat."""
    scale = Scale(**words_of(__file__)[thing])
    field = scale.field.format("driver" if seat == "ALL" else seat.lower())
    return replace(scale, name=scale.name or words("arguments")["windows"][seat], field=field)


def stated(scale: Scale, wish: Adjust | Details) -> float | None:
    """The value that words alone tell."""
    if wish.amount is not None and not wish.is_step:
        return wish.amount
    lowest = scale.lowest or scale.step
    strengths = {"highest": scale.highest, "middle": scale.middle, "lowest": lowest}
    return strengths.get(wish.strength or "")


def amount_for(
    dialogue: Dialogue,
    scale: Scale,
    wish: Adjust,
    question: str,
    *,
    plain_step: float | None,
    usual: float | None = None,
) -> Steps[float]:
    """The value a wish amounts to.

    `plain_step` is how much "warmer" or "more" means where nobody says how much; None asks.
    `usual` is taken instead of asking where the driver is not known to like another value.
    """
    if wish.like is not None:
        there = yield from _amount_there(dialogue, scale, *wish.like)
        return scale.within(there + wish.beyond)
    target = stated(scale, wish)
    if target is None and (wish.is_step or (plain_step and wish.verb in ("more", "less"))):
        now = yield from present(dialogue, scale)
        return scale.within(now + _step(wish, plain_step or 0) * DIRECTIONS.get(wish.verb, 1))
    if target is None:
        target = yield from liked_amount(dialogue, scale, wish.thing)
    target = usual if target is None else target
    if target is None:
        target = yield from detail(
            dialogue, question, lambda answer: stated(scale, details(answer)), scale.middle
        )
    if not scale.lowest <= target <= scale.highest:
        raise scale.out_of_range()
    return scale.within(target)


def liked_amount(dialogue: Dialogue, scale: Scale, thing: str) -> Steps[float | None]:
    return (yield from liked_value(dialogue, thing, lambda text: stated(scale, details(text))))


def present(dialogue: Dialogue, scale: Scale) -> Steps[float]:
    """The value of now."""
    result = yield from dialogue.look(scale.tool)
    return float(value(result, scale.tool, scale.field))


def _amount_there(
    dialogue: Dialogue, scale: Scale, thing: str, seats: tuple[str, ...]
) -> Steps[float]:
    """What another thing, or the same at the first of some seats, is set to."""
    seat = next(iter(single_seats(seats)), "DRIVER")
    other = scale_at(thing, seat) if thing in words_of(__file__) else None
    if other is None or other.unit != scale.unit:
        raise Declined(f"I can't make {scale.name} like that.")
    return (yield from present(dialogue, other))


def _step(wish: Adjust, plain_step: float) -> float:
    if wish.amount is not None:
        return wish.amount
    return {"bit": max(plain_step / 2, 1), "lot": 2 * plain_step}.get(wish.vague or "", plain_step)
