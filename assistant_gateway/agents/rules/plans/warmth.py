"""Temperature of the cabin, heating of seats and steering wheel."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, Prepared, Steps, change
from assistant_gateway.agents.rules.language.details import details
from assistant_gateway.agents.rules.plans.amounts import amount_for, present, stated
from assistant_gateway.agents.rules.plans.asking import detail
from assistant_gateway.agents.rules.plans.preferences import liked_details
from assistant_gateway.agents.rules.plans.scales import WHEEL, Scale, seat_heat, warmth
from assistant_gateway.agents.rules.plans.windows import OCCUPANCY, seated, windows
from assistant_gateway.agents.rules.wishes.wish import Adjust

CABIN = "get_temperature_inside_car"
APART_DEGREES = 3
WARMER_DEGREES = 2
FRONT = ("DRIVER", "PASSENGER")


def temperature(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if wish.verb == "off":
        raise Declined("The heating goes by the temperature; tell me how many degrees you want.")
    zones = _front((yield from seated(talk, wish.seats)))
    if not zones and wish.seats:
        return Prepared()
    zones = zones or FRONT
    targets: dict[str, float] = {}
    for zone in zones:
        scale = warmth(zone)
        talk.offered.require(change("set_climate_temperature", temperature=22, seat_zone=zone))
        question = "To how many degrees should I set the temperature?"
        step = None if wish.verb == "set" else WARMER_DEGREES
        targets[zone] = yield from amount_for(talk, scale, wish, question, plain_step=step)
        if not wish.is_step and wish.verb not in ("more", "less"):
            wish = Adjust(wish.thing, "set", targets[zone], seats=wish.seats)
    if len(targets) == len(FRONT) and len(set(targets.values())) == 1:
        both = change(
            "set_climate_temperature", temperature=targets["DRIVER"], seat_zone="ALL_ZONES"
        )
        return Prepared((both,))
    calls = tuple(
        change("set_climate_temperature", temperature=degrees, seat_zone=zone)
        for zone, degrees in targets.items()
    )
    return Prepared(calls, remarks=(yield from _apart(talk, targets)))


def seat_heating(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    seats = _front((yield from seated(talk, wish.seats)))
    if not seats and wish.seats:
        return Prepared()
    if wish.verb in ("off", "close") and not wish.says_how:
        if "EMPTY" in wish.seats:
            seats = yield from _heated(talk, seats)
        return Prepared((_heat(0, seats or FRONT),)) if seats or not wish.seats else Prepared()
    talk.offered.require(_heat(1, seats or FRONT))
    steps_on = wish.verb in ("more", "less") and not wish.says_how
    if wish.is_step or steps_on:
        return (yield from _step_by_step(wish, talk, seats))
    scale = seat_heat("DRIVER")
    level = stated(scale, wish)
    if wish.like is not None:
        level = yield from amount_for(talk, scale, wish, "", plain_step=None)
    if level is None:
        liking = yield from liked_details(talk, "seat_heating")
        level = stated(scale, liking) if liking else None
    if level is None:
        question = "To which level should I set the seat heating, from 1 to 3" + (
            "?" if seats else ", and for your seat or for both?"
        )
        undecided: tuple[float, tuple[str, ...]] = (scale.middle, ())
        level, told = yield from detail(
            talk, question, lambda answer: _level_and_seats(scale, answer), undecided
        )
        seats = seats or told
    if not scale.lowest <= level <= scale.highest:
        raise scale.out_of_range()
    return Prepared((_heat(scale.within(level), seats or (yield from _taken(talk))),))


def wheel_heating(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if wish.verb in ("off", "close") and not wish.says_how:
        return Prepared((change("set_steering_wheel_heating", level=0),))
    talk.offered.require(change("set_steering_wheel_heating", level=1))
    question = "To which level should I set the steering wheel heating, from 1 to 3?"
    level = yield from amount_for(talk, WHEEL, wish, question, plain_step=1)
    return Prepared((change("set_steering_wheel_heating", level=level),))


def _heated(talk: Dialogue, seats: tuple[str, ...]) -> Steps[tuple[str, ...]]:
    """Those of the seats that are warm."""
    warm = []
    for seat in seats:
        level = yield from present(talk, seat_heat(seat))
        warm += [seat] if level else []
    return tuple(warm)


def _step_by_step(wish: Adjust, talk: Dialogue, seats: tuple[str, ...]) -> Steps[Prepared]:
    targets = {}
    for zone in seats or (yield from _taken(talk)):
        targets[zone] = yield from amount_for(talk, seat_heat(zone), wish, "", plain_step=1)
    if len(set(targets.values())) == 1:
        return Prepared((_heat(next(iter(targets.values())), tuple(targets)),))
    return Prepared(tuple(_heat(level, (zone,)) for zone, level in targets.items()))


def _level_and_seats(scale: Scale, answer: str) -> tuple[float, tuple[str, ...]] | None:
    said = details(answer)
    level = stated(scale, said)
    return None if level is None else (level, _front(said.seats))


def _heat(level: float, seats: tuple[str, ...]) -> Call:
    zone = "ALL_ZONES" if len(seats) > 1 else seats[0]
    return change("set_seat_heating", level=level, seat_zone=zone)


def _front(seats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(seat for seat in windows(seats) if seat in FRONT)


def _taken(talk: Dialogue) -> Steps[tuple[str, ...]]:
    """The front seats where somebody sits; both if the car does not tell."""
    result = yield from talk.look_if_offered(OCCUPANCY)
    taken = result.get("seats_occupied")
    if not isinstance(taken, dict):
        return FRONT
    return tuple(seat for seat in FRONT if taken.get(seat.lower()) is True) or FRONT


def _apart(talk: Dialogue, targets: dict[str, float]) -> Steps[tuple[str, ...]]:
    """A remark if driver and passenger end up far apart."""
    now = yield from talk.look_if_offered(CABIN)
    both = [targets.get(zone, now.get(f"climate_temperature_{zone.lower()}")) for zone in FRONT]
    known = [float(degrees) for degrees in both if isinstance(degrees, int | float)]
    if len(known) < len(both):
        return ()
    apart = abs(known[0] - known[1])
    if apart <= APART_DEGREES:
        return ()
    return (f"Driver and passenger side are {apart:g} degrees apart.",)
