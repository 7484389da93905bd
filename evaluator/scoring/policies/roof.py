"""Rules about sunroof and sunshade."""

from collections.abc import Iterator

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.policy import Arguments, Breach, at, by_code, looked_up


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
        asked = looked_up(episode, act, "get_weather")
        if act.after["sunroof_position"] > act.before["sunroof_position"] and not asked:
            yield at(act, "the sunroof was opened before the weather was looked at")
