"""Motifs about meetings, contacts, phone and e-mail."""

from evaluator.task_making.scene import (
    Scene,
    called,
    clock,
    is_wet,
    minutes,
    need,
    start_of,
)
from vehicle_bus.world.world import Row

NAVIGATE = "set_new_navigation"


def _city(scene: Scene, meeting: Row) -> Row:
    found = scene.world.location_named(meeting["location"])
    need(found is not None)
    assert found is not None
    return found


def _attendee(scene: Scene, meeting: Row) -> Row:
    """Somebody who takes part, whose first name nobody else in the meeting has."""
    people = [scene.world.contact(one) for one in meeting["attendees"]]
    known = [person for person in people if person]
    person = scene.pick(known)
    first = [one["name"]["first_name"] for one in known]
    need(first.count(person["name"]["first_name"]) == 1)
    return person


def _mail(scene: Scene, people: list[Row], text: str) -> None:
    scene.change(
        "send_email", email_addresses=[person["email"] for person in people], content_message=text
    )


def late_for_meeting(scene: Scene) -> None:
    """To the next meeting, and a mail about how late it will be."""
    first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((25, 40, 55, 70)))
    there = _city(scene, meeting)
    need(there["id"] != scene.here)
    person = _attendee(scene, meeting)
    scene.calendar()
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    late = scene.now + minutes(way) - start_of(meeting)
    need(10 <= late <= 400)
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.tell(f"You will be there {late} minutes late.", f"{late} min")
    scene.part("Take me to my next meeting on the fastest route. How late will I be?")
    scene.contact(person)
    _mail(scene, [person], f"I will be {late} minutes late.")
    others = [one for one in first["attendees"] if one != person["id"]]
    scene.carelessly("send_email", email_addresses=[_email(scene, others)], content_message="Late")
    scene.part(f"Oh dear. E-mail {called(person)} how late I'll be.")


def _email(scene: Scene, ids: list[str]) -> str:
    person = scene.world.contact(scene.pick(ids))
    assert person is not None
    return str(person["email"])


def call_attendee(scene: Scene) -> None:
    """A call to somebody of the next meeting, who is not the only one of that first name."""
    first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((30, 45, 60)))
    person = _attendee(scene, meeting)
    name = person["name"]["first_name"]
    same = [p for p in scene.world.contacts() if p["name"]["first_name"] == name and p != person]
    need(bool(same) and all(p["id"] not in first["attendees"] for p in same))
    scene.calendar()
    scene.tell(f"It is at {clock(start_of(meeting))}.", clock(start_of(meeting)))
    scene.part("When is my next meeting?")
    scene.information(meeting["attendees"])
    scene.change("call_phone_by_number", phone_number=person["phone_number"])
    scene.carelessly("call_phone_by_number", phone_number=same[0]["phone_number"])
    scene.part(f"Then call {name}, the one who is in that meeting.")


def rain_after_meeting(scene: Scene) -> None:
    """A mail or another mail, by the weather where a meeting ends."""
    _first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((60, 90, 120)))
    there = _city(scene, meeting)
    person, other = _attendee(scene, meeting), scene.person()
    need(other["id"] not in meeting["attendees"])
    scene.calendar()
    scene.decide("get_entries_from_calendar", "meetings.location")
    place = scene.find(there)
    end = start_of(meeting) + int(meeting["duration"].removesuffix("min"))
    wet = is_wet(scene.weather(place, end, "condition")["condition"])
    now = scene.weather(place, scene.now, expected=False)["condition"]
    need(is_wet(now) != wet)
    scene.branch = "wet" if wet else "dry"
    receiver, wrong = (person, other) if wet else (other, person)
    scene.contact(receiver)
    scene.tell(
        f"It is over at {clock(end)}, and it will be {'wet' if wet else 'dry'} then.", clock(end)
    )
    _mail(scene, [receiver], "Please pick me up." if wet else "I will walk.")
    scene.carelessly("send_email", email_addresses=[wrong["email"]], content_message="I will walk.")
    scene.part(
        "When is my next meeting over? If it's wet there by then, e-mail "
        f"{called(person)} to pick me up. If it's dry, e-mail {called(other)} that I'll walk."
    )


def mail_to_all(scene: Scene) -> None:
    """One mail to everybody in the next meeting."""
    first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((30, 45, 60)))
    there = _city(scene, meeting)
    need(there["id"] != scene.here)
    scene.calendar()
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    arrival = scene.now + minutes(way)
    need(arrival < 24 * 60)
    scene.later(minutes(way))
    scene.change(NAVIGATE, route_ids=[way["route_id"]])
    scene.tell(f"You arrive at {clock(arrival)}.", clock(arrival))
    scene.part("Guide me to my next meeting on the fastest route. When will I get there?")
    people = scene.information(meeting["attendees"])
    _mail(scene, list(people.values()), f"I arrive at {clock(arrival)}.")
    scene.carelessly(
        "send_email", email_addresses=[_email(scene, first["attendees"])], content_message="Soon"
    )
    scene.part("E-mail everybody in that meeting when I'll get there, please.")


def make_it_in_time(scene: Scene) -> None:
    """To the next meeting if that can be made in time, else a call."""
    _first, meeting = scene.begin_on_day_of_meetings(scene.chance.choice((60, 90, 120, 150)))
    there = _city(scene, meeting)
    need(there["id"] != scene.here)
    person = _attendee(scene, meeting)
    scene.calendar()
    place = scene.find(there)
    way = scene.fastest(scene.here, place)
    spare = start_of(meeting) - scene.now - minutes(way)
    need(15 <= abs(spare) <= 240)
    scene.branch = "in time" if spare > 0 else "too late"
    scene.decide("get_entries_from_calendar", "meetings.location")
    scene.decide("get_routes_from_start_to_destination")
    if spare > 0:
        scene.change(NAVIGATE, route_ids=[way["route_id"]])
        scene.carelessly("call_phone_by_number", phone_number=person["phone_number"])
    else:
        scene.contact(person)
        scene.change("call_phone_by_number", phone_number=person["phone_number"])
        scene.carelessly(NAVIGATE, route_ids=[way["route_id"]])
    scene.part(
        "Can I make it to my next meeting in time on the fastest route? If I can, guide me there. "
        f"If not, call {called(person)}."
    )


def greetings(scene: Scene) -> None:
    """A mail with what one sees from where one is, to two people."""
    here = scene.cities(1)[0]
    one, two = scene.person(), scene.person()
    need(one["id"] != two["id"])
    scene.begin(here)
    sky = scene.weather_here("temperature_c")
    scene.tell(
        f"It is {sky['temperature_c']} degrees.",
        scene.path("get_weather", "current_slot.temperature_c"),
    )
    scene.part("How warm is it outside right now?")
    scene.contact(one)
    scene.contact(two)
    text = f"Greetings from {here['name']}. It is {sky['temperature_c']} here."
    _mail(scene, [one, two], text)
    scene.carelessly("send_email", email_addresses=[one["email"]], content_message=text)
    scene.part(
        f"Send {called(one)} and {called(two)} one e-mail with greetings from {here['name']} and "
        "that temperature."
    )


MOTIFS = (
    late_for_meeting, call_attendee, rain_after_meeting, mail_to_all, make_it_in_time,
    greetings,
)  # fmt: skip
