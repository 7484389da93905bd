"""Times of day as people say them, as hour and minute of today."""

import re

from assistant_gateway.agents.rules.language.patterns import Patterns
from assistant_gateway.agents.rules.situation import Moment

_SAYS = Patterns(__file__)

_WORDS = (
    (re.compile(r"\bnoon\b|\bmidday\b|\blunch ?time\b", re.IGNORECASE), 12),
    (re.compile(r"\bmidnight\b", re.IGNORECASE), 0),
    (re.compile(r"\btonight\b|\blater tonight\b", re.IGNORECASE), 21),
    (re.compile(r"\b(?:this|in the) evening\b", re.IGNORECASE), 19),
    (re.compile(r"\b(?:this|in the) afternoon\b", re.IGNORECASE), 15),
)


def time_in(text: str, now: Moment) -> tuple[int, int] | None:
    """The time a text names; None if it names none."""
    later = _SAYS["in"].search(text)
    if later:
        minutes = _minutes(later["amount"], later["unit"])
        total = min(now.minute_of_day + minutes, 24 * 60 - 1)
        return divmod(total, 60)
    clock = _SAYS["clock"].search(text) or _SAYS["plain"].search(text) or _SAYS["at"].search(text)
    if clock and int(clock["hour"]) < 24:
        given = clock.groupdict()
        hour, minute = int(given["hour"]), int(given.get("minute") or 0)
        is_later = (given.get("half") or "").lower() == "pm" or (
            not given.get("half") and _SAYS["later_half"].search(text)
        )
        if hour < 12 and is_later:
            hour += 12
        if hour == 12 and (given.get("half") or "").lower() == "am":
            hour = 0
        return hour, min(minute, 59)
    return next(((hour, 0) for pattern, hour in _WORDS if pattern.search(text)), None)


def is_another_day(text: str) -> bool:
    return bool(_SAYS["another_day"].search(text))


def _minutes(amount: str, unit: str) -> int:
    count = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(amount.lower())
    number = float(amount) if count is None else count
    return round(number * (60 if unit.lower() == "hour" else 1))
