"""Motifs that leave something open which only the driver can decide, with an unlikely answer."""

from collections import Counter

from evaluator.task_making.scene import (
    Scene,
    called,
    fastest,
    minutes,
    need,
    sole,
    start_of,
    surely_open,
)

NAVIGATE = "set_new_navigation"
WHICH = (r"\b(which|what) (one|person|contact|stop|route|place|window|seat|colour|color|way)",
         r"\bwho\b", r"\bdo you mean\b", r"\bwhich\b")  # fmt: skip


def _asks(scene: Scene) -> None:
    scene.task_type = "disambiguation_user"


def which_namesake(scene: Scene) -> None:
    """Two people of one last name: one of them is mailed."""
    here = scene.cities(1)[0]
    names = Counter(row["name"]["last_name"] for row in scene.world.contacts())
    last = scene.pick([name for name, number in names.items() if number == 2])
    same = [row for row in scene.contacts() if row["name"]["last_name"] == last]
    person, other = scene.some(same, 2)
    scene.begin(here)
    _asks(scene)
    matches = scene.look("get_contact_id_by_contact_name", contact_last_name=last)["matches"]
    need(matches.keys() == {row["id"] for row in same})
    scene.information([person["id"]])
    text = "I am on my way."
    scene.change("send_email", email_addresses=[person["email"]], content_message=text)
    scene.carelessly("send_email", email_addresses=[other["email"]], content_message=text)
    first = person["name"]["first_name"]
    scene.answer(f"{first}.", r"first name", *WHICH)
    scene.part(f"E-mail {last} that I'm on my way.")


def which_attendee(scene: Scene) -> None:
    """Two take part in the next meeting: one of them is called."""
    first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((20, 30, 45)))
    need(len(meeting["attendees"]) == 2)
    people = [scene.world.contact(one) for one in meeting["attendees"]]
    one, other = scene.some([person for person in people if person], 2)
    _asks(scene)
    scene.calendar()
    scene.information(meeting["attendees"])
    scene.change("call_phone_by_number", phone_number=one["phone_number"])
    scene.carelessly("call_phone_by_number", phone_number=other["phone_number"])
    scene.answer(f"{called(one)}, please.", *WHICH)
    need(start_of(first) < start_of(meeting))
    scene.part("Call somebody from my next meeting for me.")


def which_stop(scene: Scene) -> None:
    """Two stops on the way: one of them is dropped."""
    here = scene.cities(1)[0]
    first = scene.near(here)
    second = scene.near(first)
    end = scene.near(second)
    need(len({row["id"] for row in (here, first, second, end)}) == 4)
    scene.begin(here, (6, 12), **scene.trip(here, first, second, end))
    _asks(scene)
    scene.look("get_current_navigation_state", detailed_information=True)
    drop, before, after = scene.pick([(first, here, second), (second, first, end)])
    way = scene.fastest(before["id"], after["id"])
    scene.change(
        "navigation_delete_waypoint",
        waypoint_id_to_delete=drop["id"], route_id_without_waypoint=way["route_id"],
    )  # fmt: skip
    scene.carelessly("delete_current_navigation")
    scene.answer(f"{drop['name']}.", *WHICH)
    scene.part("Take one of the stops out of my trip, I'm late. The fastest route past it.")


def which_route(scene: Scene) -> None:
    """The driver hears the routes and takes the one nobody would guess."""
    here = scene.cities(1)[0]
    there = scene.near(here, 100, 500)
    scene.begin(here, (6, 15))
    _asks(scene)
    place = scene.find(there)
    routes = scene.routes(scene.here, place)
    need(len(routes) == 3)
    slow = max(routes, key=minutes)
    need(all("toll" not in route["road_types"] for route in routes))
    scene.decide("get_routes_from_start_to_destination")
    scene.change(NAVIGATE, route_ids=[slow["route_id"]])
    scene.carelessly(NAVIGATE, route_ids=[fastest(routes)["route_id"]])
    scene.answer(
        f"The one via {slow['name_via'].replace(', ', ' and ')}.",
        r"\b(which|what) (route|one|way|of)", r"\broutes?\b", r"\b(prefer|choose|pick)\b",
    )  # fmt: skip
    scene.part(f"I want to go to {there['name']}. Tell me what routes there are, I'll pick one.")


def which_place(scene: Scene) -> None:
    """Two restaurants in a city: the driver goes to one of them."""
    here = scene.cities(1)[0]
    there = scene.near(here, 60, 300)
    category, kind = scene.pick(
        [("restaurants", "restaurant"), ("bakery", "bakery"), ("supermarkets", "supermarket")]
    )
    scene.begin(here, (9, 16))
    _asks(scene)
    place = scene.find(there)
    found = scene.look("search_poi_at_location", location_id=place, category_poi=category)
    chosen = found["pois_found"][-1]
    others = [poi for poi in found["pois_found"] if poi != chosen]
    need(sole(others)["name"].split()[0] != chosen["name"].split()[0])
    way = scene.fastest(scene.here, chosen["id"])
    need(surely_open(chosen, scene.now + minutes(way)))
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    other = fastest(scene.world.routes(scene.here, others[0]["id"]), 0)
    scene.carelessly(NAVIGATE, route_ids=[other["route_id"]])
    scene.answer(f"{chosen['name']}.", rf"\b{kind}\b.*\?", *WHICH)
    scene.part(
        f"Find me a {kind} in {there['name']}, I'll tell you which one, and take me there on the "
        "fastest route."
    )


def which_light(scene: Scene) -> None:
    """A colour that nobody named, and a fan by what it was."""
    colour = scene.pick(("CYAN", "YELLOW", "PINK", "PURPLE"))
    scene.begin(scene.cities(1)[0], (17, 23), ambient_light="OFF")
    _asks(scene)
    scene.look("get_climate_settings", decides=True)
    scene.change("set_ambient_lights", on=True, lightcolor=colour)
    scene.change("set_fan_speed", level=scene.value("fan_speed") + 2)
    scene.carelessly("set_ambient_lights", on=True, lightcolor="WHITE")
    scene.answer(f"{colour.capitalize()}.", r"\bcolou?r\b", r"\bwhich\b.*\blight")
    scene.part("I'd like some ambient light in a certain colour, and the fan two levels up.")


def which_seat_level(scene: Scene) -> None:
    """A seat and a level that nobody would guess."""
    zone, said = scene.pick([("PASSENGER", "only the passenger's"), ("DRIVER", "only mine")])
    level = scene.chance.choice((1, 3))
    scene.begin(
        scene.cities(1)[0], (5, 10), seats_occupied={"driver": True, "passenger": True},
        air_circulation="AUTO",
    )  # fmt: skip
    _asks(scene)
    scene.change("set_seat_heating", level=level, seat_zone=zone)
    scene.change("set_air_circulation", mode="RECIRCULATION")
    scene.carelessly("set_seat_heating", level=2, seat_zone="ALL_ZONES")
    word = {1: "one", 3: "three"}[level]
    scene.answer(
        f"Level {word}, and {said}.",
        r"\blevel\b", r"\b(which|what|how) (seat|warm|hot|strong|high)", r"\bseats?\b.*\?",
    )  # fmt: skip
    scene.part("Change the seat heating for us, and let the air go round inside.")


def which_window(scene: Scene) -> None:
    """A window and an opening that nobody would guess."""
    seat, said = scene.pick(
        [("DRIVER_REAR", "the one behind me"), ("PASSENGER_REAR", "the one behind the passenger"),
         ("PASSENGER", "the passenger's")]
    )  # fmt: skip
    wide, word = scene.pick([(10, "ten"), (15, "fifteen"), (20, "twenty")])
    scene.begin(scene.cities(1)[0], (9, 20), air_conditioning=False)
    _asks(scene)
    scene.change("open_close_window", window=seat, percentage=wide)
    scene.change("set_fan_airflow_direction", direction="HEAD")
    scene.carelessly("open_close_window", window="DRIVER", percentage=50)
    scene.answer(
        f"{said.capitalize()}, by {word} percent.",
        r"\b(which|what) window", r"\bhow (far|wide|much)", r"\bpercent", r"\bwindows?\b.*\?",
    )  # fmt: skip
    scene.part("Open a window a bit, and let the air blow at our heads.")


def which_limit(scene: Scene) -> None:
    """A charge limit that only the driver knows, after a look at the battery."""
    limit, word = scene.pick(
        [(55, "fifty-five"), (65, "sixty-five"), (75, "seventy-five"), (85, "eighty-five")]
    )
    scene.begin(scene.cities(1)[0], charge_limit_percent=100)
    _asks(scene)
    scene.look("get_charging_specs_and_status", decides=True)
    scene.change("set_charge_limit", limit_percent=limit)
    scene.carelessly("set_charge_limit", limit_percent=80)
    charge = scene.start["state_of_charge"]
    scene.tell(f"The battery is at {charge} percent.", f"{charge} %")
    scene.answer(
        f"To {word} percent.",
        r"percent", r"\b(how|which|what)\b.*\b(far|much|low|limit|level|full|value)", r"\blimit\b",
    )  # fmt: skip
    scene.part("How full is the battery? And lower the charge limit, please.")


def whose_temperature(scene: Scene) -> None:
    """A temperature for one side that nobody would guess."""
    warm, word = scene.pick([(17.5, "seventeen and a half"), (24, "twenty-four"), (25, "25")])
    scene.begin(scene.cities(1)[0], (6, 20), steering_wheel_heating=0)
    _asks(scene)
    scene.change("set_climate_temperature", temperature=warm, seat_zone="ALL_ZONES")
    scene.change("set_steering_wheel_heating", level=1)
    scene.carelessly("set_climate_temperature", temperature=22, seat_zone="ALL_ZONES")
    scene.answer(
        f"{word.capitalize()} degrees for both of us.",
        r"\btemperature\b", r"\bhow (warm|cold|cool|many)", r"\bdegrees\b",
    )  # fmt: skip
    scene.part("Change the temperature in here, and the steering wheel heating to one.")


MOTIFS = (
    which_namesake, which_attendee, which_stop, which_route, which_place, which_light,
    which_seat_level, which_window, which_limit, whose_temperature,
)  # fmt: skip
