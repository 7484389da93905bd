"""Whether the driver was told what a task wants to be told, and nothing that contradicts it."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from assistant_gateway.wording.numerals import numbers
from assistant_gateway.wording.quantities import Quantity, fits, quantities
from assistant_gateway.wording.sentences import sentences
from assistant_gateway.wording.values import Amount, Value, WeatherCondition, skies
from evaluator.record.episode import Episode
from evaluator.scoring.components import KEPT, OPEN, Component
from evaluator.scoring.expected import in_short
from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.task import Task, Telling
from evaluator.task.told_values import told_value
from user_sim.understanding.understand import acts_in, understand

NEAREST = 120  # letters shown of a sentence


def told(episode: Episode, course: ExpectedCourse) -> Component:
    """Every value of `expect.says` was told, and no other weather beside it."""
    says = episode.task.expect.says
    if not says:
        return OPEN
    missing = [why for telling in says if (why := _missing(telling, episode, course))]
    wrong = [] if missing else list(_contradictions(episode, course))
    found = (*missing, *wrong)
    return Component(0.0, in_short(found), found) if found else KEPT


def _missing(telling: Telling, episode: Episode, course: ExpectedCourse) -> str | None:
    """Why a telling does not count as done; None if it does."""
    text, later = _said_about(telling, episode)
    values = [told_value(written, episode.task, course) for written in telling.any_of]
    if any(value.is_told(text) for value in values):
        return None
    if telling.limit and any("admission" in acts_in(line) for line in text.splitlines()):
        return None
    if telling.limit:
        return f"never said that it cannot tell{_nearest((), text)}"
    wanted = telling.called or " or ".join(map(str, values))
    told_later = any(value.is_told(later) for value in values if not _is_bare_number(value))
    missing = "not told when it was asked for" if told_later else "never told"
    return f"{missing}: {wanted}{_nearest(values, text)}"


def _contradictions(episode: Episode, course: ExpectedCourse) -> Iterator[str]:
    """WeatherCondition that was told although neither car nor driver had said so."""
    if not any(_is_weather(value) for value in _values(episode.task, course)):
        return
    outputs = [*(act.output for act in episode.acts), *(one.output for one in course.answers)]
    known = "\n".join([*outputs, *(said.known.lower() for said in episode.driver)])
    degrees = numbers(known)
    degrees += [abs(one - other) for one, other in permutations(set(degrees), 2)]
    temperatures = [Quantity("temperature", number) for number in set(degrees)]
    spoken = (each for said in episode.spoken for each in understand(said.text))
    for sentence in (each.text for each in spoken if not each.asks):
        if _ONLY_PERHAPS.search(sentence):
            continue
        wrong = [sky for sky in skies(sentence) if sky not in known]
        wrong += [
            f"{told.amount:g} °C"
            for told in quantities(sentence)
            if told.unit == "temperature" and not any(fits(one, told) for one in temperatures)
        ]
        if wrong:
            yield f'told {" and ".join(wrong)}, which no result says: "{_shown(sentence)}"'


_ONLY_PERHAPS = re.compile(r"\b(?:if|in case|should|unless|might|may|could|would)\b", re.IGNORECASE)


def _is_weather(value: Value) -> bool:
    if isinstance(value, Amount):
        return value.quantity.unit == "temperature"
    return isinstance(value, WeatherCondition)


def _values(task: Task, course: ExpectedCourse) -> list[Value]:
    return [
        told_value(written, task, course)
        for telling in task.expect.says
        for written in telling.any_of
    ]


def _is_bare_number(value: Value) -> bool:
    return isinstance(value, Amount) and value.quantity.unit == "number"


def _said_about(telling: Telling, episode: Episode) -> tuple[str, str]:
    """What the agent said from the opening, or from a followup, to the followup after it; the rest.

    It is everything where the driver has other words for the followups.
    """
    script = episode.task.driver.script
    followups = script.followups if script is not None else ()
    since, until = (
        _first_said(followups[n], episode) if 0 <= n < len(followups) else None
        for n in (telling.followup - 1, telling.followup)
    )
    said = [each for each in episode.spoken if since is None or each.order > since]
    return (
        "\n".join(each.text for each in said if until is None or each.order < until),
        "\n".join(each.text for each in said if until is not None and each.order > until),
    )


def _first_said(request: str, episode: Episode) -> tuple[int, int] | None:
    """The order of the driver's first words that end with a request, such as behind a no."""
    orders = (said.order for said in episode.driver if said.text.endswith(request))
    return next(orders, None)


def _nearest(values: Sequence[Value], text: str) -> str:
    """The sentence that comes closest, ready to stand behind a reason."""
    said = sentences(text)
    if not said:
        return "; nothing was said"
    akin = [one for one in said if any(value.is_of_kind_in(one) for value in values)]
    return f'; nearest: "{_shown((akin or said)[-1])}"'


def _shown(sentence: str) -> str:
    return sentence if len(sentence) <= NEAREST else f"{sentence[:NEAREST]} ..."
