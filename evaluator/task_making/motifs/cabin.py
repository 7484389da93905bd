"""Motifs about seats, air and light inside, by who sits where and what is set."""

from typing import Any

from evaluator.task_making.scene import Scene, need

FRONT = ("driver", "passenger")
REAR = ("driver_rear", "passenger_rear")
SEATS = (*FRONT, *REAR)
SAID = {
    "driver": "mine", "passenger": "the front passenger's", "driver_rear": "the one behind me",
    "passenger_rear": "the one behind the front passenger",
}  # fmt: skip
COLOURS = ("RED", "GREEN", "BLUE", "YELLOW", "WHITE", "PINK", "ORANGE", "PURPLE", "CYAN")


def _seats(scene: Scene, *taken: str) -> dict[str, Any]:
    return {"seats_occupied": {seat: seat == "driver" or seat in taken for seat in SEATS}}


def _start(scene: Scene, **start: Any) -> None:
    scene.begin(scene.cities(1)[0], (0, 23), **start)


def copy_to_passenger(scene: Scene) -> None:
    """The passenger's seat like mine if somebody sits there, else off."""
    there = scene.chance.random() < 0.5
    mine, other = scene.some((0, 1, 2, 3), 2)
    need(mine > 0)
    mine_c, other_c = scene.some((19.0, 20.0, 21.0, 22.0), 2)
    need(there or other > 0)
    _start(
        scene, **_seats(scene, *(["passenger"] if there else ["driver_rear"])),
        seat_heating_driver=mine, seat_heating_passenger=other,
        climate_temperature_driver=mine_c, climate_temperature_passenger=other_c,
    )  # fmt: skip
    scene.branch = "taken" if there else "empty"
    scene.look("get_seats_occupancy", decides="seats_occupied")
    if there:
        scene.look("get_seat_heating_level", decides="seat_heating_driver")
        scene.look("get_temperature_inside_car", decides="climate_temperature_driver")
        scene.change("set_seat_heating", seat_zone="PASSENGER", level=mine)
        scene.change("set_climate_temperature", seat_zone="PASSENGER", temperature=mine_c)
        scene.carelessly("set_seat_heating", seat_zone="PASSENGER", level=0)
    else:
        scene.change("set_seat_heating", seat_zone="PASSENGER", level=0)
        scene.carelessly("set_seat_heating", seat_zone="PASSENGER", level=mine)
    scene.part(
        "If somebody's sitting next to me, heat their seat like mine and give them the same "
        "temperature as me. If the seat is empty, just switch its heating off."
    )


def windows_by_seat(scene: Scene) -> None:
    """The windows where somebody sits to a value, the others closed."""
    taken = scene.some(SEATS[1:], scene.chance.choice((1, 2)))
    open_now = scene.some(SEATS, 2)
    wanted = scene.chance.choice((10, 15, 20, 25))
    ajar = {f"window_{seat}_position": scene.chance.choice((30, 60, 100)) for seat in open_now}
    _start(scene, **_seats(scene, *taken), **ajar, air_conditioning=False)
    scene.look("get_seats_occupancy", decides="seats_occupied")
    scene.look("get_vehicle_window_positions", decides=True)
    for seat in SEATS:
        if seat in ("driver", *taken):
            scene.change("open_close_window", window=seat.upper(), percentage=wanted)
        elif seat in open_now:
            scene.change("open_close_window", window=seat.upper(), percentage=0)
    scene.carelessly("open_close_window", window="ALL", percentage=wanted)
    scene.part(
        f"Open the windows of everybody in the car to {wanted} percent, and close the windows "
        "where nobody sits."
    )


def lights_for_readers(scene: Scene) -> None:
    """Reading lights where somebody sits in the back, and nowhere else."""
    taken = scene.some(REAR, 1)
    empty = [seat for seat in REAR if seat not in taken]
    lit = {f"reading_light_{seat}": True for seat in (*empty, scene.pick(FRONT))}
    _start(scene, **_seats(scene, *taken, *scene.some(["passenger"], 1)), **lit)
    scene.look("get_seats_occupancy", decides="seats_occupied")
    scene.look("get_reading_lights_status", decides=True)
    for seat in SEATS:
        on = seat in taken
        if scene.value(f"reading_light_{seat}") != on:
            scene.change("set_reading_light", position=seat.upper(), on=on)
    scene.carelessly("set_reading_light", position="ALL", on=True)
    scene.part(
        "Reading light for whoever's sitting in the back, please, and turn off all the other "
        "reading lights."
    )


def stronger_air(scene: Scene) -> None:
    """The air conditioning, what goes with it, a fan some levels stronger, a seat like mine."""
    up = scene.chance.choice((1, 2))
    fan = scene.chance.randint(1, 5 - up)
    wide, ajar = scene.some(SEATS, 2)
    mine, other = scene.some((0, 1, 2, 3), 2)
    _start(
        scene, **_seats(scene, "passenger"), fan_speed=fan, seat_heating_driver=mine,
        seat_heating_passenger=other, air_conditioning=False,
        **{f"window_{wide}_position": scene.chance.choice((40, 70)),
           f"window_{ajar}_position": scene.chance.choice((5, 10, 15))},
    )  # fmt: skip
    scene.look("get_climate_settings", decides="fan_speed")
    scene.look("get_vehicle_window_positions", decides=True)
    scene.change("open_close_window", window=wide.upper(), percentage=0)
    scene.change("set_air_conditioning", on=True)
    scene.change("set_fan_speed", level=fan + up)
    scene.carelessly("set_air_conditioning", on=True)
    scene.carelessly("set_fan_speed", level=up)
    scene.part(
        f"Air conditioning on, with whatever has to go with it, and the fan {_steps(up)} stronger "
        "than it is."
    )
    scene.look("get_seat_heating_level", decides="seat_heating_driver")
    scene.change("set_seat_heating", seat_zone="PASSENGER", level=mine)
    scene.part("And set my passenger's seat heating to whatever mine is.")


def _steps(number: int) -> str:
    return {1: "one level", 2: "two levels"}[number]


def clear_windshield(scene: Scene) -> None:
    """Two rules in one wish: the windshield, and the air conditioning that goes with it."""
    wide, ajar = scene.some(SEATS, 2)
    fan = scene.chance.choice((3, 4))
    _start(
        scene, fan_speed=scene.chance.choice((0, 1)), fan_airflow_direction="FEET",
        air_conditioning=False, seat_heating_driver=scene.chance.choice((0, 1)),
        **{f"window_{wide}_position": scene.chance.choice((30, 55, 80)),
           f"window_{ajar}_position": scene.chance.choice((10, 15, 20))},
    )  # fmt: skip
    scene.look("get_climate_settings")
    scene.look("get_vehicle_window_positions", decides=True)
    scene.change("open_close_window", window=wide.upper(), percentage=0)
    scene.change("set_fan_speed", level=fan)
    scene.change("set_fan_airflow_direction", direction="WINDSHIELD_FEET")
    scene.change("set_air_conditioning", on=True)
    scene.change("set_window_defrost", on=True, defrost_window="FRONT")
    scene.carelessly("set_window_defrost", on=True, defrost_window="FRONT")
    scene.carelessly("set_fan_speed", level=fan)
    scene.part(
        f"Defrost the windshield, with the fan on {fan} blowing at the windshield and our feet, "
        "and whatever else has to go with that."
    )
    scene.change("set_steering_wheel_heating", level=2)
    scene.part("My hands are cold, too: the steering wheel on two.")


def put_it_back(scene: Scene) -> None:
    """What was just changed goes back to what it was before."""
    fan, air = scene.chance.randint(1, 3), scene.pick(("FEET", "HEAD", "HEAD_FEET"))
    new = scene.pick([d for d in ("FEET", "HEAD", "WINDSHIELD") if d != air])
    _start(scene, fan_speed=fan, fan_airflow_direction=air)
    scene.look("get_climate_settings", decides="fan_speed")
    up = scene.chance.choice((1, 2))
    scene.change("set_fan_speed", level=fan + up)
    scene.change("set_fan_airflow_direction", direction=new)
    where = {"FEET": "at our feet", "HEAD": "at our heads", "WINDSHIELD": "at the windshield"}
    scene.part(f"Put the fan {_steps(up)} up from where it is and blow the air {where[new]}.")
    scene.change("set_fan_speed", level=fan)
    scene.change("set_fan_airflow_direction", direction=air)
    scene.carelessly("set_fan_speed", level=0)
    scene.part("No, that's awful. Put both back to what they were before.")
    scene.change("set_air_circulation", mode="FRESH_AIR")
    scene.part("Set the air circulation to fresh air from outside instead.")


def warmer_wheel(scene: Scene) -> None:
    """The wheel one level above the seat, and each seat by its own level."""
    seat, wheel = scene.chance.randint(0, 2), scene.chance.randint(0, 3)
    need(wheel != seat + 1)
    other = scene.chance.choice([level for level in range(4) if level != wheel])
    _start(
        scene, **_seats(scene, "passenger"), seat_heating_driver=seat,
        seat_heating_passenger=other, steering_wheel_heating=wheel,
    )  # fmt: skip
    scene.look("get_steering_wheel_heating_level", decides="steering_wheel_heating")
    scene.look("get_seat_heating_level", decides="seat_heating_driver")
    scene.change("set_seat_heating", seat_zone="PASSENGER", level=wheel)
    scene.change("set_steering_wheel_heating", level=seat + 1)
    scene.carelessly("set_steering_wheel_heating", level=min(wheel + 1, 3))
    scene.part(
        "Give my passenger's seat the level that the steering wheel is on now, and then put the "
        "wheel one level above my own seat."
    )


def light_like_the_car(scene: Scene) -> None:
    """Ambient light in the colour of the car unless it is lit in it already."""
    paint = scene.pick(COLOURS)
    now = scene.pick((paint, *scene.some([c for c in COLOURS if c != paint], 1)))
    instead = scene.pick([colour for colour in COLOURS if colour not in (paint, now)])
    _start(scene, car_color=paint.lower(), ambient_light=now)
    scene.look("get_car_color", decides="car_color")
    scene.look("get_ambient_light_status_and_color", decides="ambient_light")
    scene.branch = "same" if now == paint else "other"
    wanted = instead if now == paint else paint
    scene.change("set_ambient_lights", on=True, lightcolor=wanted)
    scene.carelessly("set_ambient_lights", on=True, lightcolor={paint: instead}.get(wanted, paint))
    scene.tell(f"The car is {paint.lower()}.", paint.lower())
    scene.part(
        "What colour is this car again? Make the ambient light the same, or if that's the colour "
        f"it's lit in already, {instead.lower()}."
    )


def mean_temperature(scene: Scene) -> None:
    """Both sides in the middle of what they are."""
    low = scene.chance.choice((17.0, 18.0, 18.5, 19.0))
    high = low + scene.chance.choice((2.0, 3.0, 4.0, 5.0))
    mine, other = scene.some((low, high), 2)
    _start(
        scene, **_seats(scene, "passenger"), climate_temperature_driver=mine,
        climate_temperature_passenger=other, air_circulation="RECIRCULATION",
    )  # fmt: skip
    scene.look("get_temperature_inside_car", decides="climate_temperature_driver")
    mean = (low + high) / 2
    scene.look("calculate_math", expression=f"({mine:g} + {other:g}) / 2")
    scene.change("set_climate_temperature", seat_zone="ALL_ZONES", temperature=mean)
    scene.carelessly("set_climate_temperature", seat_zone="ALL_ZONES", temperature=mine)
    scene.tell(f"It is {mean:g} degrees for both of you now.", f"{mean:g} °C")
    scene.part(
        "We can't agree on the temperature. Set both sides to exactly the middle between mine and "
        "hers. What is that?"
    )
    scene.change("set_air_circulation", mode="AUTO")
    scene.part("And leave it to the car where the air comes from.")


def other_air(scene: Scene) -> None:
    """Fresh air if the air goes round, else the other way, and the fan by its level."""
    mode = scene.pick(("FRESH_AIR", "RECIRCULATION"))
    fan = scene.chance.choice((1, 2, 4, 5))
    _start(scene, air_circulation=mode, fan_speed=fan, fan_airflow_direction="HEAD")
    other = {"FRESH_AIR": "RECIRCULATION", "RECIRCULATION": "FRESH_AIR"}[mode]
    scene.branch = mode.lower()
    scene.look("get_climate_settings", decides="air_circulation")
    scene.change("set_air_circulation", mode=other)
    scene.change("set_fan_speed", level=3)
    where = "WINDSHIELD_HEAD" if fan > 3 else "FEET"
    scene.change("set_fan_airflow_direction", direction=where)
    scene.carelessly("set_air_circulation", mode=other)
    scene.carelessly("set_fan_speed", level=3)
    scene.part(
        "It smells in here. If the air is going round inside, take fresh air, and if it comes from "
        "outside, let it go round. Fan to three; if that's weaker than before, blow at the "
        "windshield and our heads, if it's stronger, at our feet."
    )


def trunk_and_light(scene: Scene) -> None:
    """The trunk the other way round, and the light by it."""
    now = scene.pick(("open", "closed"))
    colour = scene.pick(COLOURS)
    _start(scene, trunk_door_position=now, reading_light_driver_rear=now == "open")
    scene.branch = now
    scene.look("get_trunk_door_position", decides="trunk_door_position")
    scene.tell(f"The trunk was {now}.", rf"\b{now}\b")
    if now == "open":
        scene.change("open_close_trunk_door", action="CLOSE")
        scene.carelessly("set_ambient_lights", on=True, lightcolor=colour)
    else:
        scene.change("set_ambient_lights", on=True, lightcolor=colour)
        scene.carelessly("open_close_trunk_door", action="OPEN")
    scene.part(
        "Is the trunk open? If it is, close it. If it isn't, leave it and switch the ambient light "
        f"to {colour.lower()}."
    )


MOTIFS = (
    copy_to_passenger, windows_by_seat, lights_for_readers, stronger_air, clear_windshield,
    put_it_back, warmer_wheel, light_like_the_car, mean_temperature, other_air, trunk_and_light,
)  # fmt: skip
