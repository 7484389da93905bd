"""Expected actions that faults made impossible, although the assistant did what it could."""

import re
from collections.abc import Mapping
from typing import Any

from evaluator.record.episode import Episode, Utterance
from evaluator.task.task import Action, Task
from user_sim.understanding.sentence import Act
from user_sim.understanding.understand import acts_in

TRIES = 2
_ASKS_FOR_ANOTHER_TRY = re.compile(
    r"\b(?:again|retry|later|moment|temporar\w+|busy|currently|timed? ?out|shortly)\b",
    re.IGNORECASE,
)
SPOILT: frozenset[Act] = frozenset({"admission", "failure", "denial"})
WORDING = "content_message"


def impossible_actions(episode: Episode) -> tuple[Action, ...]:
    """The expected changes of which every call was hit by a fault, and the agent said so.

    A refusal that speaks of another try asks for one; any other may be taken as final. What was
    never answered may be left at one, for a mail that is sent twice is worse than one of which
    nobody knows.
    """
    if not episode.record.faults:
        return ()
    return tuple(a for a in episode.task.expect.actions if _is_impossible(episode, a))


def _is_impossible(episode: Episode, action: Action) -> bool:
    wanted = _known_part(action.arguments)
    calls = [
        act for act in episode.acts
        if act.tool == action.name and _known_part(act.arguments) == wanted
    ]  # fmt: skip
    if not calls or not all(act.changes and act.call.spoilt for act in calls):
        return False
    last = calls[-1].call.reply
    final = any(act.call.reply is None for act in calls) or (
        last is not None
        and last.status == "FAILURE"
        and not _ASKS_FOR_ANOTHER_TRY.search(last.output)
    )
    return (final or len(calls) >= TRIES) and any(
        admits(said) for said in episode.spoken if said.order > calls[-1].order
    )


def _known_part(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without the wording of a mail, which everybody finds for themselves."""
    return {name: value for name, value in arguments.items() if name != WORDING}


def admits(said: Utterance) -> bool:
    """Whether it was said that something did not work, or nobody knows whether it did."""
    return bool(acts_in(said.text) & SPOILT)


def possible_part(task: Task, impossible: tuple[Action, ...]) -> Task:
    """The task without the expected actions that faults made impossible."""
    if not impossible:
        return task
    left = tuple(action for action in task.expect.actions if action not in impossible)
    expect = task.expect.model_copy(update={"actions": left, "requests": ()})
    return task.model_copy(update={"expect": expect})
