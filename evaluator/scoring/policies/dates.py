"""Rules about what can be asked for today only."""

from collections.abc import Iterator

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.policy import Arguments, Breach, at, by_code


def asks_calendar(tool: str, _arguments: Arguments) -> bool:
    return tool == "get_entries_from_calendar"


def asks_weather(tool: str, _arguments: Arguments) -> bool:
    return tool == "get_weather"


@by_code(
    "023",
    asks_calendar,
    published=as_published.logged("023", "get_entries_from_calendar"),
    attempts=True,
)
def calendar_of_today(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """The calendar can be asked for today only."""
    yield from _other_days(episode, acts, "the calendar")


@by_code("024", asks_weather, published=as_published.logged("024", "get_weather"), attempts=True)
def weather_of_today(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """The weather can be asked for today only."""
    yield from _other_days(episode, acts, "the weather")


def _other_days(episode: Episode, acts: list[Act], what: str) -> Iterator[Breach]:
    now = episode.context.current_datetime
    for act in acts:
        month, day = act.arguments.get("month"), act.arguments.get("day")
        if month is not None and day is not None and (month, day) != (now.month, now.day):
            yield at(act, f"{what} was asked for {month}/{day}; today is {now.month}/{now.day}")
