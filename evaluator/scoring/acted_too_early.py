"""Acting before what a request left open was settled, read from the record."""

import re
from collections.abc import Iterator, Sequence

from evaluator.record.episode import Act, Episode, Order, Utterance
from evaluator.record.record import State
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.policies.agreement import agreement
from evaluator.scoring.policies.policy import Breach, at
from user_sim.lexicon import lexicon
from user_sim.understanding.understand import asks
from vehicle_bus.tools import BY_NAME

FROM_THE_START = (-1, 0)
_NO_ANSWER = re.compile(r"\b(?:don't know|you decide|please decide|still there)\b", re.IGNORECASE)


def premature_action(episode: Episode, expected: Sequence[State]) -> Breach | None:
    """The first call that brought about what was never wanted and that came too early.

    Too early is before the driver was asked and had answered, where the task is to ask; else before
    a look-up that is expected first. `expected` are the states the expected actions pass.
    """
    if is_limit_awareness(episode.task.task_type):
        return None
    for act in episode.succeeded:
        guessed = _guessed(act, expected)
        if not guessed:
            continue
        if episode.task.task_type == "disambiguation_user" and not _asked_before(episode, act):
            return at(act, f"{act.tool} set {guessed} before the driver was asked")
        missing = _not_looked_up(episode, act)
        if missing:
            return at(act, f"{act.tool} set {guessed} before {missing} was called")
    return None


def _guessed(act: Act, expected: Sequence[State]) -> str:
    """The first variable this call gave a value that it never has on the expected way."""
    for name, value in act.after.items():
        if value != act.before.get(name) and all(state.get(name) != value for state in expected):
            return f"{name} to {value}"
    return ""


def _asked_before(episode: Episode, act: Act) -> bool:
    """Whether a question was asked and answered before a call was decided on."""
    asked = False
    for said in episode.said_before(act):
        if said.who == "agent":
            asked = asked or asks(said.text)
        elif asked:
            return True
    return False


def _not_looked_up(episode: Episode, act: Act) -> str:
    """The first look-up that is expected before this call and had not been tried yet.

    The n-th call of a tool stands for the n-th expected one, or the last; where none is expected,
    every look-up counts.
    """
    tried = {other.tool for other in episode.acts if other.message < act.message}
    actions = episode.task.expect.actions
    same = [number for number, action in enumerate(actions) if action.name == act.tool]
    before = sum(other.tool == act.tool and other.order < act.order for other in episode.succeeded)
    for action in actions[: same[min(before, len(same) - 1)]] if same else actions:
        tool = BY_NAME.get(action.name)
        if tool is not None and tool.kind == "get" and action.name not in tried:
            return action.name
    return ""


def unasked_action(episode: Episode) -> Breach | None:
    """Where the task is to ask: the first call of a kind that changes what is wanted, made before
    the driver had told what was open.

    Something else may be changed before, if what the driver told then led to a change as well, or
    if an earlier request wanted it.
    """
    since = _open_since(episode)
    if episode.task.task_type != "disambiguation_user" or since is None:
        return None
    wanted = {action.name for action in episode.task.expect.actions}
    changes = [
        act for act in episode.succeeded
        if act.changes and act.tool in wanted and act.order > since
    ]  # fmt: skip
    answers = [answer for answer in _answers(episode) if answer[1].order > since]
    for act in changes:
        if any(answer.order < act.order for _, answer in answers):
            return None
        if not any(_led_to(*exchange, other) for exchange in answers for other in changes
                   if other.tool != act.tool):  # fmt: skip
            return at(act, f"{act.tool} was called before the driver was asked and had answered")
    return None


def _open_since(episode: Episode) -> Order | None:
    """When the request was made that leaves something open; None if it never was."""
    script, requests = episode.task.driver.script, episode.task.expect.requests
    number = next((number for number, request in enumerate(requests) if request.open), 0)
    if script is None or not number:
        return FROM_THE_START
    said = (each.order for each in episode.driver if script.followups[number - 1] in each.text)
    return next(iter(said), None)


def _led_to(asked: str, answer: Utterance, act: Act) -> bool:
    """Whether a call was made after an answer, and is about what was spoken of."""
    topics = lexicon().topics(f"{asked} {answer.text}")
    fits = not topics or topics & lexicon().part_topics(act.tool)
    return answer.order < act.order and bool(fits)


def _answers(episode: Episode) -> Iterator[tuple[str, Utterance]]:
    """Each time the driver told something new after the opening, with what had been said before."""
    script = episode.task.driver.script
    told = {answer.say for answer in script.answers} if script else set[str]()
    if script and not episode.task.expect.requests:
        told |= set(script.followups)
    requests = set(script.followups) - told if script else set[str]()
    asked: list[str] = []
    for said in sorted((*episode.driver[1:], *episode.spoken), key=lambda each: each.order):
        if said.who == "agent":
            asked.append(said.text)
        elif said.text not in requests and (
            said.text.endswith(tuple(told)) or _answers_to(" ".join(asked), said.text)
        ):
            yield " ".join(asked), said
            asked = []


def _answers_to(asked: str, answer: str) -> bool:
    """Whether something asked was answered; a yes tells nothing if nothing was named."""
    agreed = agreement(answer)
    if agreed is None:
        return not _NO_ANSWER.search(answer)
    said = f"{asked} {answer}"
    named = lexicon().topics(said) or lexicon().aspects(said) or re.search(r"\d", said)
    return agreed and bool(named)
