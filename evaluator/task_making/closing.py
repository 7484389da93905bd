"""What a driver asks at the end, where nothing had to be told before."""

from evaluator.task_making.scene import Scene, clock, duration, minutes, need

ASKED_LATER_MIN = (120, 180, 240, 300)


def closing_question(scene: Scene) -> None:
    """A last request that ends in information."""
    scene.pick((_warm_later, _reach, _how_long))(scene)


def _warm_later(scene: Scene) -> None:
    later = scene.now + scene.pick(ASKED_LATER_MIN)
    sky = scene.weather(scene.here, later, "temperature_c")
    told = scene.path("get_weather", "current_slot.temperature_c")
    scene.tell(f"It will be {sky['temperature_c']} degrees.", told)
    scene.part(f"And how warm will it be here at {clock(later)}?")


def _reach(scene: Scene) -> None:
    battery = scene.look("get_charging_specs_and_status", decides="state_of_charge")
    left = scene.pick((5, 10, 15))
    far = scene.look(
        "get_distance_by_soc", decides=True,
        initial_state_of_charge=battery["state_of_charge"], final_state_of_charge=left,
    )  # fmt: skip
    distance = f"{round(float(next(iter(far.values())).removesuffix('km')))} km"
    scene.tell(f"That is {distance}.", distance)
    scene.part(f"And how far can we get until the battery is down to {left} percent?")


def _how_long(scene: Scene) -> None:
    here = scene.world.location(scene.here)
    need(here is not None)
    assert here is not None
    there = scene.near(here)
    way = scene.fastest(scene.here, scene.find(there))
    scene.decide("get_routes_from_start_to_destination")
    scene.tell(f"It takes {duration(minutes(way))}.", duration(minutes(way)))
    scene.part(
        f"And how long would it take me to {there['name']} on the fastest route? I only want to "
        "know."
    )
