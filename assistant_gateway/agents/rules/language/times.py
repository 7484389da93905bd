"""Times of day as people say them, as hour and minute of today."""

from assistant_gateway.agents.rules.language.patterns import Patterns

_SAYS = Patterns(__file__)

_WORDS = {"noon": 12, "midnight": 0, "tonight": 21, "evening": 19, "afternoon": 15}


def time_in(text: str) -> tuple[int, int] | None:
    """The hour and minute that a text names; None if it names none."""
    clock = _SAYS["clock"].search(text) or _SAYS["plain"].search(text) or _SAYS["at"].search(text)
    if clock is None or int(clock["hour"]) >= 24:
        return next(((hour, 0) for word, hour in _WORDS.items() if _SAYS[word].search(text)), None)
    given = clock.groupdict()
    hour, minute = int(given["hour"]), int(given.get("minute") or 0)
    half = (given.get("half") or "").lower()
    if hour < 12 and (half == "pm" or (not half and _SAYS["later_half"].search(text))):
        hour += 12
    return (0 if hour == 12 and half == "am" else hour), min(minute, 59)


def is_another_day(text: str) -> bool:
    return bool(_SAYS["another_day"].search(text))
