"""Problems of a script, found before it is played."""

import re
from collections.abc import Iterator

from user_sim.answering import is_refusal
from user_sim.derived.draft import values
from user_sim.question_patterns import matches, question_for
from user_sim.script import Answer, Script
from user_sim.spoken_line import ways_of


def script_problems(script: Script, *, task_type: str | None = None) -> list[str]:
    """One sentence per problem, empty for a script that is sound in all its ways.

    With `task_type` "disambiguation_user" the opening may not give away what an answer holds.
    """
    found = [
        *_bad_patterns(script),
        *_answers_out_of_reach(script),
        *_refusals_or_not(script),
    ]
    for trial in range(script.ways):
        said = script.saying(script.words(trial, ""))
        found += [
            *_empty_lines(said),
            *(_given_away_early(said) if task_type == "disambiguation_user" else ()),
        ]
    return list(dict.fromkeys(found))


def _refusals_or_not(script: Script) -> Iterator[str]:
    for place, line in script.lines.items():
        replies = place in ("confirm", "decline") or place.startswith("answers")
        if replies and len({is_refusal(way) for way in ways_of(line)}) > 1:
            yield f"some ways of {place} refuse something and others do not"


def _empty_lines(script: Script) -> Iterator[str]:
    lines = {
        "opening is empty": script.opening,
        "confirm is empty": script.confirm,
        "on_limit is empty": script.on_limit,
        **{f"followup {n} is empty": text for n, text in enumerate(script.followups, 1)},
        **{
            f"interjection {n} says nothing": it.say for n, it in enumerate(script.interjections, 1)
        },
        **{f"answer {n} says nothing": it.say for n, it in enumerate(script.answers, 1)},
    }
    yield from (problem for problem, text in lines.items() if text is not None and not text.strip())
    for number, answer in enumerate(script.answers, 1):
        if answer.at_most < 1:
            yield f"answer {number} is never given: at_most is {answer.at_most}"
    if is_refusal(script.confirm):
        yield f"confirm is {script.confirm!r}, which declines; that is for `decline`"
    if script.patience < 0:
        yield f"patience is {script.patience}; 0 is the least"


def _bad_patterns(script: Script) -> Iterator[str]:
    for number, answer in enumerate(script.answers, 1):
        if not answer.when:
            yield f"answer {number} has no pattern in `when`"
        for pattern in answer.when:
            if error := _error_in(pattern):
                yield f"answer {number}: {pattern!r} is no regular expression ({error})"


def _answers_out_of_reach(script: Script) -> Iterator[str]:
    """An answer is out of reach if no question leads to it or an earlier one always catches it."""
    for index, answer in enumerate(script.answers):
        if not answer.when or any(map(_error_in, answer.when)):
            continue
        try:
            question = question_for(answer)
        except ValueError:
            yield f"answer {index + 1} ({answer.say!r}) is never reached by a question"
            continue
        for earlier, other in enumerate(script.answers[:index]):
            if other.only_if or any(map(_error_in, other.when)):
                continue
            if matches(other, question):
                yield f"answer {index + 1}: {question!r} is caught by answer {earlier + 1}"
                break


def _given_away_early(script: Script) -> Iterator[str]:
    if not script.answers:
        yield "the assistant should ask, but there is no answer to give"
    for number, answer in enumerate(script.answers, 1):
        if not answer.say.strip():
            continue
        given_away = sorted(
            value
            for value in values(answer.say) & values(script.opening)
            if not _stands_in_question(value, answer)
        )
        if answer.say.strip(" .") in script.opening:
            yield f"the opening already says answer {number}: {answer.say!r}"
        elif given_away:
            yield f"the opening already tells {', '.join(given_away)} of answer {number}"


def _stands_in_question(value: str, answer: Answer) -> bool:
    """The assistant knows the word when it asks, so it is not what the answer adds."""
    return any(value.lower() in pattern.lower() for pattern in answer.when)


def _error_in(pattern: str) -> re.error | None:
    try:
        re.compile(pattern)
    except re.error as error:
        return error
    return None
