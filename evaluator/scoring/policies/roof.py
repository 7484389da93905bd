"""Rules about sunroof and sunshade."""

from collections.abc import Iterator

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.policy import Arguments, Breach, at, by_code

NEAR_MIN = 60  # forecasts are made for three hours


def opens_sunroof(tool: str, arguments: Arguments) -> bool:
    return tool == "open_close_sunroof" and arguments.get("percentage") != 0


@by_code(
    "005", opens_sunroof, published=as_published.sunshade, goes_with=("open_close_sunshade",)
)  # fmt: skip
def sunshade_first(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """The sunroof may open only if the sunshade is open at least as far, or is being opened that
    far in the same step."""
    for act in acts:
        wanted, shade = act.after["sunroof_position"], act.before["sunshade_position"]
        beside = [
            other.after["sunshade_position"]
            for other in episode.of("open_close_sunshade")
            if other.message == act.message
        ]
        if wanted > act.before["sunroof_position"] and max([shade, *beside]) < wanted:
            yield at(act, f"the sunroof went to {wanted:g} percent with the shade at {shade:g}")


@by_code("009", opens_sunroof, published=as_published.weather_first, looks_up=("get_weather",))
def weather_before_sunroof(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """The sunroof never opens before you have looked at the weather."""
    for act in acts:
        asked = any(weather_looked_up(episode, act))
        if act.after["sunroof_position"] > act.before["sunroof_position"] and not asked:
            yield at(act, "the sunroof was opened before the weather was looked at")


def weather_looked_up(episode: Episode, act: Act) -> Iterator[Act]:
    """The look-ups of the weather here and now that were made before a call was decided on.

    The car may have refused them.
    """
    here, now = episode.context.current_location.id, episode.context.current_datetime
    for other in episode.acts:
        given = other.arguments
        if other.tool != "get_weather" or other.message >= act.message:
            continue
        hours = _number(given.get("time_hour_24hformat"), now.hour) - now.hour
        minutes = _number(given.get("time_minutes"), 0) - now.minute
        if given.get("location_or_poi_id") == here and abs(60 * hours + minutes) <= NEAR_MIN:
            yield other


def _number(given: object, instead: float) -> float:
    return given if isinstance(given, int | float) else instead
