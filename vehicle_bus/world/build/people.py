"""Contacts and calendars, those written by hand first."""

from collections.abc import Sequence

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.build.sources import Sources
from vehicle_bus.world.json_lines import Row

CONTACTS = 100
CALENDARS = 100
YEAR = 2025
LAST_DAY_OF_MONTH = 28
FIRST_HALF_HOUR, LAST_HALF_HOUR = 25, 36  # 12:30 and 18:00
ATTENDEES = (2, 5)


def contacts(sources: Sources, chance: Chance) -> list[Row]:
    """100 people; no id, full name, number or address twice."""
    people = list(sources.contacts)
    ids = {row["id"] for row in people}
    numbers = {row["phone_number"] for row in people}
    names: set[tuple[str, str]] = set()
    while len(people) < CONTACTS:
        first = chance.one_of(sources.people["first_names"])
        last = chance.one_of(sources.people["last_names"])
        digits = chance.whole(1000, 9999)
        number = f"+49 {chance.whole(260, 999)} {chance.whole(100000, 999999)}"
        if (first, last) in names or f"con_{digits}" in ids or number in numbers:
            continue
        names.add((first, last))
        ids.add(f"con_{digits}")
        numbers.add(number)
        provider = chance.one_of(sources.people["providers"])
        people.append(
            {
                "id": f"con_{digits}",
                "name": {"first_name": first, "last_name": last},
                "phone_number": number,
                "email": f"{first}.{last}{digits}@{provider}".lower(),
            }
        )
    return people


def calendars(sources: Sources, people: Sequence[Row], chance: Chance) -> list[Row]:
    """100 days in 2025 with two meetings each."""
    days = list(sources.calendars)
    ids = {row["id"] for row in days}
    while len(days) < CALENDARS:
        calendar_id = f"cal_{chance.whole(1000, 9999)}"
        if calendar_id in ids:
            continue
        ids.add(calendar_id)
        first = chance.whole(FIRST_HALF_HOUR, LAST_HALF_HOUR - 3)
        second = chance.whole(first + 3, LAST_HALF_HOUR)
        topics = chance.some_of(sources.people["topics"], 2)
        days.append(
            {
                "id": calendar_id,
                "date": {
                    "year": YEAR,
                    "month": chance.whole(1, 12),
                    "day": chance.whole(1, LAST_DAY_OF_MONTH),
                },
                "meetings": [
                    _meeting(sources, people, half_hour, topic, chance)
                    for half_hour, topic in zip((first, second), topics, strict=True)
                ],
            }
        )
    return days


def _meeting(
    sources: Sources, people: Sequence[Row], half_hour: int, topic: str, chance: Chance
) -> Row:
    return {
        "start": {"hour": f"{half_hour // 2:02}", "minute": "30" if half_hour % 2 else "00"},
        "duration": chance.one_of(("30min", "60min")),
        "location": chance.one_of(sources.cities).row["name"],
        "attendees": [row["id"] for row in chance.some_of(people, chance.whole(*ATTENDEES))],
        "topic": topic,
    }
