"""Motifs about rules: roof, fog lights, high beams, open windows."""

from evaluator.scoring.policies.lights import FAIR_WEATHER, FOG_LIGHT_WEATHER
from evaluator.task_making.scene import Scene


def roof_twice_as_far(scene: Scene) -> None:
    """The roof twice as far as it is, with the shade in the way."""
    now = scene.chance.choice((10, 15, 20, 25, 30))
    scene.begin(
        scene.cities(1)[0], (7, 20), sunroof_position=now, sunshade_position=now + 5,
        window_driver_position=15,
    )  # fmt: skip
    scene.weather_here()
    scene.look("get_sunroof_and_sunshade_position", decides="sunroof_position")
    scene.change("open_close_sunshade", percentage=2 * now)
    scene.change("open_close_sunroof", percentage=2 * now)
    scene.carelessly("open_close_sunroof", percentage=2 * now)
    scene.part("Open the sunroof twice as far as it is now, and the sunshade just as far.")
    scene.change("open_close_window", window="DRIVER", percentage=0)
    scene.part("And close my window, then.")


def roof_by_weather(scene: Scene) -> None:
    """The roof opens if it is fair, else a window is left ajar and the shade closed."""
    scene.begin(scene.cities(1)[0], (7, 20), sunshade_position=20, air_conditioning=False)
    sky = scene.weather_here("condition")
    fair = sky["condition"] in FAIR_WEATHER
    scene.branch = "fair" if fair else "bad"
    wanted = scene.chance.choice((40, 60, 80))
    scene.tell(
        f"It is {sky['condition'].replace('_', ' ')} outside.",
        scene.path("get_weather", "current_slot.condition"),
    )
    if fair:
        scene.change("open_close_sunshade", percentage=100)
        scene.change("open_close_sunroof", percentage=wanted)
        scene.carelessly("open_close_sunshade", percentage=0)
    else:
        scene.change("open_close_sunshade", percentage=0)
        scene.change("open_close_window", window="DRIVER", percentage=20)
        scene.carelessly("open_close_sunroof", percentage=wanted)
    scene.part(
        f"What's the sky like? If it's fine, no rain or fog, open the shade fully and the sunroof "
        f"to {wanted}. Otherwise close the shade and open my window by twenty percent."
    )


def fog_lights_at_night(scene: Scene) -> None:
    """Fog lights, and the other lights as they have to be."""
    high = scene.chance.random() < 0.7
    scene.begin(
        scene.cities(1)[0], (0, 6), head_lights_high_beams=high, head_lights_low_beams=False,
        seat_heating_driver=0,
    )  # fmt: skip
    sky = scene.weather_here()
    fit = sky["condition"].endswith(FOG_LIGHT_WEATHER)
    scene.branch = "fit" if fit else "asked"
    scene.look("get_exterior_lights_status", decides=True)
    scene.change("set_head_lights_low_beams", on=True)
    if high:
        scene.change("set_head_lights_high_beams", on=False)
    scene.change("set_fog_lights", on=True)
    scene.carelessly("set_fog_lights", on=True)
    scene.part("I can hardly see the road. Fog lights on, and the other headlights as they should.")
    scene.change("set_seat_heating", level=2, seat_zone="DRIVER")
    scene.part("And my seat on two, please.")


def high_beams_after_fog(scene: Scene) -> None:
    """High beams once the fog is gone."""
    scene.begin(
        scene.cities(1)[0], (0, 5), fog_lights=True, head_lights_low_beams=True,
        head_lights_high_beams=False,
    )  # fmt: skip
    scene.look("get_exterior_lights_status", decides=True)
    scene.change("set_fog_lights", on=False)
    scene.change("set_head_lights_high_beams", on=True)
    scene.carelessly("set_head_lights_high_beams", on=True)
    colour = scene.pick(("ORANGE", "PURPLE", "CYAN"))
    scene.part(
        "The fog's gone and there's nobody about. High beams on, and whatever doesn't go with "
        "them off."
    )
    scene.look("get_climate_settings", decides="fan_speed")
    scene.change("set_ambient_lights", on=True, lightcolor=colour)
    scene.change("set_fan_speed", level=scene.value("fan_speed") + 1)
    scene.part(f"Some {colour.lower()} ambient light now, please, and the fan one level up.")


def windows_down(scene: Scene) -> None:
    """Windows wide open while the air conditioning runs, then one back."""
    wide = scene.chance.choice((50, 60, 80))
    seat, said = scene.pick(
        [("PASSENGER", "the passenger's"), ("DRIVER_REAR", "the one behind me")]
    )
    scene.begin(
        scene.cities(1)[0], (10, 19), air_conditioning=True, fan_speed=2,
        window_driver_position=10, window_passenger_rear_position=15,
    )  # fmt: skip
    scene.change("open_close_window", window="ALL", percentage=wide)
    scene.part(f"All four windows down to {wide} percent. I know the air conditioning is on.")
    scene.change("open_close_window", window=seat, percentage=10)
    scene.change("set_air_conditioning", on=False)
    scene.carelessly("open_close_window", window="ALL", percentage=10)
    scene.part(f"Put {said} to ten percent, that's too windy, and switch the air conditioning off.")


def zones_apart(scene: Scene) -> None:
    """One side by the other, more than three degrees apart."""
    apart = scene.chance.choice((4, 4.5, 5))
    other = scene.chance.choice((18.0, 18.5, 19.0))
    scene.begin(
        scene.cities(1)[0], climate_temperature_driver=other, climate_temperature_passenger=other,
        seats_occupied={"driver": True, "passenger": True},
    )  # fmt: skip
    scene.look("get_temperature_inside_car", decides="climate_temperature_passenger")
    scene.change("set_climate_temperature", temperature=other + apart, seat_zone="DRIVER")
    scene.carelessly("set_climate_temperature", temperature=other + apart, seat_zone="ALL_ZONES")
    scene.part(f"Make it {apart:g} degrees warmer on my side than on the passenger's side.")
    scene.look("get_seat_heating_level", decides="seat_heating_passenger")
    level = scene.value("seat_heating_passenger") + 1
    scene.change("set_seat_heating", level=level, seat_zone="PASSENGER")
    scene.part("And put the passenger's seat heating one level up instead.")


MOTIFS = (
    roof_twice_as_far, roof_by_weather, fog_lights_at_night, high_beams_after_fog, windows_down,
    zones_apart,
)  # fmt: skip
