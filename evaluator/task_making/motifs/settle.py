"""Motifs that leave something open which the assistant settles alone, by priorities 0 to 4."""

from typing import Any

from evaluator.task_making.scene import Scene, fastest, minutes, need, shortest

NAVIGATE = "set_new_navigation"
SEATS = ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR")


def _settled(scene: Scene, priority: int, what: str) -> None:
    scene.task_type = "disambiguation_internal"
    scene.settled_by = priority
    scene.settle_alone = what


def _likes(*sentences: str, kind: str = "climate_control", **more: Any) -> dict[str, Any]:
    return {"user_preferences": {"vehicle_settings": {kind: list(sentences)}, **more}}


def _preferences(scene: Scene, category: str, kind: str) -> None:
    scene.look("get_user_preferences", decides=True, preference_categories={category: {kind: True}})


def air_by_rule(scene: Scene) -> None:
    """The rule says which windows have to be closed, whatever the driver likes."""
    wide, ajar = scene.some(SEATS, 2)
    scene.begin(
        scene.cities(1)[0], (9, 20), fan_speed=scene.chance.randint(1, 3),
        **{f"window_{wide.lower()}_position": scene.chance.choice((35, 60, 90)),
           f"window_{ajar.lower()}_position": scene.chance.choice((5, 10, 15))},
        **_likes("The driver likes a window open while driving.", kind="vehicle_settings"),
    )  # fmt: skip
    _settled(scene, 0, "which windows to close")
    scene.look("get_climate_settings")
    scene.look("get_vehicle_window_positions", decides=True)
    scene.change("open_close_window", window=wide, percentage=0)
    scene.change("set_air_conditioning", on=True)
    scene.carelessly("set_air_conditioning", on=True)
    scene.part("Switch on the air conditioning, and see to the windows as it has to be.")


def beams_by_rule(scene: Scene) -> None:
    """The rule says which beams go with fog lights, against a preference."""
    scene.begin(
        scene.cities(1)[0], (0, 6), head_lights_high_beams=True, head_lights_low_beams=False,
        **_likes("The driver likes the high beams on at night.", kind="vehicle_settings"),
    )  # fmt: skip
    _settled(scene, 0, "which headlights to switch")
    scene.weather_here()
    scene.look("get_exterior_lights_status", decides=True)
    scene.change("set_head_lights_low_beams", on=True)
    scene.change("set_head_lights_high_beams", on=False)
    scene.change("set_fog_lights", on=True)
    scene.carelessly("set_fog_lights", on=True)
    scene.part("Fog lights on, and the other headlights the way the car wants them with those.")


def wish_before_preference(scene: Scene) -> None:
    """The fastest route although the driver usually avoids tolls."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 900)
    likes = "The driver takes the fastest route without tolls, unless there is none."
    scene.begin(
        here, (6, 15),
        **scene.prefer("navigation_and_routing", "route_selection", likes),
    )  # fmt: skip
    _settled(scene, 1, "which route to take")
    place = scene.find(there)
    routes = scene.routes(scene.here, place)
    quick = fastest(routes)
    free = fastest([route for route in routes if not route["includes_toll"]], 1)
    need(quick["includes_toll"])
    scene.change(NAVIGATE, route_ids=[quick["route_id"]])
    scene.carelessly(NAVIGATE, route_ids=[free["route_id"]])
    scene.part(
        f"I'm terribly late. Take me to {there['name']} as fast as at all possible, whatever it "
        "costs today."
    )


def said_before_preference(scene: Scene) -> None:
    """A level that follows from what was said, although another one is liked."""
    fan, liked = scene.some((1, 2, 3), 2)
    scene.begin(
        scene.cities(1)[0], fan_speed=0,
        **_likes(f"The driver likes the seat heating on level {liked}."),
    )  # fmt: skip
    _settled(scene, 1, "seat heating level")
    scene.change("set_fan_speed", level=fan)
    scene.change("set_seat_heating", level=fan, seat_zone="DRIVER")
    scene.change("set_steering_wheel_heating", level=fan)
    scene.carelessly("set_seat_heating", level=liked, seat_zone="DRIVER")
    scene.part(
        f"Fan on {fan}, please, and then my own seat and the steering wheel, with the same number."
    )


def preferred_route(scene: Scene) -> None:
    """A stored preference decides about the route, and another about nothing."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 900)
    likes, by = scene.pick(
        [("The driver takes the shortest route, even if it takes longer.", "short"),
         ("The driver takes the fastest route without tolls.", "free")]
    )  # fmt: skip
    scene.begin(
        here, (6, 15), **_likes(
            "The driver likes the fan on level 2.",
            navigation_and_routing={"route_selection": [likes]},
        ),
    )  # fmt: skip
    _settled(scene, 2, "which route to take")
    _preferences(scene, "navigation_and_routing", "route_selection")
    place = scene.find(there)
    routes = scene.routes(scene.here, place)
    quick = fastest(routes)
    free = [route for route in routes if not route["includes_toll"]]
    way = shortest(routes) if by == "short" else fastest(free)
    need(way != quick)
    scene.branch = by
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.carelessly(NAVIGATE, route_ids=[quick["route_id"]])
    scene.part(f"Take me to {there['name']}, the way I usually like it.")


def preferred_cabin(scene: Scene) -> None:
    """Stored levels for seat and fan, beside one for something else."""
    fan, seat = scene.chance.randint(3, 5), scene.chance.randint(1, 3)
    scene.begin(
        scene.cities(1)[0], (5, 10), fan_speed=1, **_likes(
            f"The driver likes the fan on level {fan}.",
            f"The driver likes the own seat heated on level {seat}.",
            "The driver likes the rear window defrosted in winter.",
        ),
    )  # fmt: skip
    _settled(scene, 2, "levels of fan and seat heating")
    _preferences(scene, "vehicle_settings", "climate_control")
    scene.change("set_fan_speed", level=fan)
    scene.change("set_seat_heating", level=seat, seat_zone="DRIVER")
    scene.carelessly("set_fan_speed", level=2)
    scene.carelessly("set_seat_heating", level=seat, seat_zone="DRIVER")
    scene.part("The fan and my seat's heating the way I like them, please.")


def preferred_roof(scene: Scene) -> None:
    """A stored opening of the roof, with the rules about shade and weather."""
    wanted = scene.chance.choice((30, 45, 60, 70))
    scene.begin(
        scene.cities(1)[0], (8, 19), sunshade_position=10, **_likes(
            f"The driver likes the sunroof and its shade opened to {wanted} percent.",
            "The driver likes the windows closed on motorways.", kind="vehicle_settings",
        ),
    )  # fmt: skip
    _settled(scene, 2, "how far to open sunroof and sunshade")
    _preferences(scene, "vehicle_settings", "vehicle_settings")
    scene.weather_here()
    scene.change("open_close_sunshade", percentage=wanted)
    scene.change("open_close_sunroof", percentage=wanted)
    scene.carelessly("open_close_sunshade", percentage=100)
    scene.carelessly("open_close_sunroof", percentage=100)
    scene.part("Open the sunroof and the shade as far as I usually like them.")


def usual_legs(scene: Scene) -> None:
    """No preference about routes: a trip of two legs takes the fastest ones."""
    here = scene.cities(1)[0]
    first = scene.near(here)
    last = scene.near(first)
    need(last["id"] != here["id"])
    scene.begin(here, (6, 12), **_likes("The driver likes the fan on level 3."))
    _settled(scene, 3, "which routes to take")
    ids = scene.find(first), scene.find(last)
    legs = [scene.fastest(scene.here, ids[0]), scene.fastest(*ids)]
    need(minutes(legs[0]) + minutes(legs[1]) < 12 * 60)
    scene.change(NAVIGATE, route_ids=[leg["route_id"] for leg in legs])
    scene.carelessly(NAVIGATE, route_ids=[legs[0]["route_id"]])
    scene.part(f"Start a trip to {last['name']} with a stop in {first['name']}.")


def only_open_window(scene: Scene) -> None:
    """The state says which window, seat light and seat are meant."""
    seat = scene.pick(SEATS)
    lit = scene.pick(("PASSENGER", "DRIVER_REAR", "PASSENGER_REAR"))
    scene.begin(
        scene.cities(1)[0], (17, 23),
        **{f"window_{seat.lower()}_position": scene.chance.choice((20, 45, 100)),
           f"reading_light_{lit.lower()}": True},
        **_likes("The driver likes all reading lights on at night.", kind="vehicle_settings"),
    )  # fmt: skip
    _settled(scene, 4, "which window to close and which light to switch off")
    scene.look("get_vehicle_window_positions", decides=True)
    scene.look("get_reading_lights_status", decides=True)
    scene.change("open_close_window", window=seat, percentage=0)
    scene.change("set_reading_light", position=lit, on=False)
    scene.carelessly("open_close_window", window="DRIVER", percentage=0)
    scene.part("Close the window that's open, and switch off the reading light somebody left on.")


def only_charging_stop(scene: Scene) -> None:
    """The trip says which stop is for charging."""
    here = scene.cities(1)[0]
    stop = scene.near(here)
    end = scene.near(stop)
    need(end["id"] != here["id"])
    station = scene.pick(scene.world.pois_at(stop["id"], "charging_stations"))
    legs = [
        fastest(scene.world.routes(*ends), 0)
        for ends in ((here["id"], station["id"]), (station["id"], end["id"]))
    ]
    scene.begin(
        here, (6, 16), navigation_active=True, waypoints_id=[here["id"], station["id"], end["id"]],
        routes_to_final_destination_id=[leg["route_id"] for leg in legs], state_of_charge=88,
        **scene.prefer(
            "points_of_interest", "charging_stations", "The driver likes stations with a café."
        ),
    )  # fmt: skip
    _settled(scene, 4, "which stop to take out")
    scene.look("get_current_navigation_state", detailed_information=True)
    way = scene.fastest(scene.here, end["id"])
    scene.change(
        "navigation_delete_waypoint",
        waypoint_id_to_delete=station["id"], route_id_without_waypoint=way["route_id"],
    )  # fmt: skip
    scene.carelessly("delete_current_navigation")
    scene.part("I've charged at home. Take the charging stop out, the fastest route from here.")


def empty_seats(scene: Scene) -> None:
    """Who sits where says whose heating and light are wasted."""
    level = scene.chance.choice((1, 2, 3))
    scene.begin(
        scene.cities(1)[0], (0, 23), seat_heating_passenger=level, seat_heating_driver=level,
        reading_light_passenger=True, reading_light_driver_rear=True,
        seats_occupied={"driver": True, "driver_rear": True},
        **_likes("The driver likes warm seats."),
    )  # fmt: skip
    _settled(scene, 4, "whose seat heating and light to switch off")
    scene.look("get_seats_occupancy", decides=True)
    scene.look("get_reading_lights_status", decides=True)
    scene.change("set_seat_heating", seat_zone="PASSENGER", level=0)
    scene.change("set_reading_light", position="PASSENGER", on=False)
    scene.carelessly("set_seat_heating", seat_zone="ALL_ZONES", level=0)
    scene.part("Don't waste heat or a reading light on seats that nobody sits on.")


MOTIFS = (
    air_by_rule, beams_by_rule, wish_before_preference, said_before_preference, preferred_route,
    preferred_cabin, preferred_roof, usual_legs, only_open_window, only_charging_stop, empty_seats,
)  # fmt: skip
