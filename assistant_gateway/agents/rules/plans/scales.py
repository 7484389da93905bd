"""What can be set to how much, and where the present value is told."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.dialogue import Declined
from assistant_gateway.agents.rules.plans.windows import windows
from assistant_gateway.wording.spoken import words


@dataclass(frozen=True, slots=True)
class Scale:
    """What something can be set to, and where its present value is told."""

    name: str
    lowest: float
    highest: float
    step: float
    tool: str
    field: str
    unit: str
    middle: float

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


ROOF = "get_sunroof_and_sunshade_position"
FAN = Scale("the fan", 0, 5, 1, "get_climate_settings", "fan_speed", "", 2)
WHEEL = Scale(
    "the steering wheel heating", 0, 3, 1,
    "get_steering_wheel_heating_level", "steering_wheel_heating", "", 2,
)  # fmt: skip
LIMIT = Scale("the charge limit", 50, 100, 5, "", "", "percent", 80)


def opening(name: str, tool: str, field: str) -> Scale:
    return Scale(name, 0, 100, 1, tool, field, "percent", 50)


SUNROOF = opening("the sunroof", ROOF, "sunroof_position")
SUNSHADE = opening("the sunshade", ROOF, "sunshade_position")


def pane(seat: str) -> Scale:
    name, one = words("arguments")["windows"][seat], ("driver" if seat == "ALL" else seat.lower())
    return opening(name, "get_vehicle_window_positions", f"window_{one}_position")


def seat_heat(seat: str) -> Scale:
    field = f"seat_heating_{seat.lower()}"
    return Scale("the seat heating", 0, 3, 1, "get_seat_heating_level", field, "", 2)


def warmth(seat: str) -> Scale:
    field = f"climate_temperature_{seat.lower()}"
    return Scale("the temperature", 16, 28, 0.5, "get_temperature_inside_car", field, "degrees", 22)


def scale_of(thing: str, seats: tuple[str, ...]) -> Scale | None:
    """The scale of a thing at the first of some seats."""
    seat = next(iter(windows(seats)), "DRIVER")
    match thing:
        case "sunroof":
            return SUNROOF
        case "sunshade":
            return SUNSHADE
        case "fan":
            return FAN
        case "wheel_heating":
            return WHEEL
        case "window":
            return pane(seat)
        case "seat_heating":
            return seat_heat(seat)
        case "temperature":
            return warmth(seat)
    return None
