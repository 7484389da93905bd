"""Times of day as people say them, as hour and minute of today."""

import re

from assistant_gateway.agents.rules.talk.situation import Moment

_CLOCK = re.compile(
    r"\b(?:at |around |by |about |from |until )?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?"
    r"(?: ?(?P<half>am|pm)\b| o'clock| (?=(?:this|in the|tonight)))",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})\b")
_AT = re.compile(r"\bat (?P<hour>\d{1,2})\b(?! (?:percent|degrees|kilomet))", re.IGNORECASE)
_IN = re.compile(
    r"\bin (?P<amount>\d+(?:\.5)?|an?|half an) (?P<unit>hour|minute)s?\b", re.IGNORECASE
)
_LATER_HALF = re.compile(r"\b(?:afternoon|evening|tonight|night|pm)\b", re.IGNORECASE)
_WORDS = (
    (re.compile(r"\bnoon\b|\bmidday\b|\blunch ?time\b", re.IGNORECASE), 12),
    (re.compile(r"\bmidnight\b", re.IGNORECASE), 0),
    (re.compile(r"\btonight\b|\blater tonight\b", re.IGNORECASE), 21),
    (re.compile(r"\b(?:this|in the) evening\b", re.IGNORECASE), 19),
    (re.compile(r"\b(?:this|in the) afternoon\b", re.IGNORECASE), 15),
)
_ANOTHER_DAY = re.compile(
    r"\b(?:tomorrow|yesterday|next week|weekend)\b|"
    r"\b(?:on|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)


def time_in(text: str, now: Moment) -> tuple[int, int] | None:
    """The time a text names; None if it names none."""
    later = _IN.search(text)
    if later:
        minutes = _minutes(later["amount"], later["unit"])
        total = min(now.minute_of_day + minutes, 24 * 60 - 1)
        return divmod(total, 60)
    clock = _CLOCK.search(text) or _PLAIN.search(text) or _AT.search(text)
    if clock and int(clock["hour"]) < 24:
        given = clock.groupdict()
        hour, minute = int(given["hour"]), int(given.get("minute") or 0)
        is_later = (given.get("half") or "").lower() == "pm" or (
            not given.get("half") and _LATER_HALF.search(text)
        )
        if hour < 12 and is_later:
            hour += 12
        if hour == 12 and (given.get("half") or "").lower() == "am":
            hour = 0
        return hour, min(minute, 59)
    return next(((hour, 0) for pattern, hour in _WORDS if pattern.search(text)), None)


def is_another_day(text: str) -> bool:
    return bool(_ANOTHER_DAY.search(text))


def _minutes(amount: str, unit: str) -> int:
    count = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(amount.lower())
    number = float(amount) if count is None else count
    return round(number * (60 if unit.lower() == "hour" else 1))
