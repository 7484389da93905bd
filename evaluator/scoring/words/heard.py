"""What a reply admits, claims falsely and denies falsely: the same in records and beside them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluator.record.episode import Episode, Utterance
from evaluator.scoring.policies.policy import Breach
from evaluator.scoring.words import car_so_far
from evaluator.scoring.words.car_so_far import CarSoFar, tools_about, wanted_in
from evaluator.scoring.words.false_claims import is_false_claim
from evaluator.scoring.words.false_denials import is_false_denial
from evaluator.task.task import Action, Task
from user_sim.lexicon import lexicon
from user_sim.limits import admits, lacking_tools, possible_topics, repeats, requested_topics
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.understand import understand
from vehicle_bus.tools import CHANGING

_QUOTED = re.compile(r'"[^"]*"')


class Noted(NamedTuple):
    """Sentences of a reply that admit what the car lacks, claim or deny what is not so."""

    admits: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()


def noted(task: Task, reply: str, done: Sequence[Action]) -> Noted:
    """What is noted of a first reply when the car has carried out `done`."""
    opening = task.driver.script.opening if task.driver.script else ""
    return _noted(task, reply, opening, car_so_far.after(done))


def untrue(episode: Episode) -> Iterator[Breach]:
    """Every false claim and false denial, as it was said."""
    for said in episode.spoken:
        car = car_so_far.at(said, episode)
        found = _noted(episode.task, said.text, asked_before(said, episode), car)
        for claim in found.claims:
            yield Breach(t_ns=said.t_ns, sentence=f'"{claim}" {_why_false(claim, said, episode)}')
        for denial in found.denies:
            names = ", ".join(dict.fromkeys(tool for tool, _ in car.this_turn))
            sentence = f'"{denial}" was said, and the car had confirmed {names}'
            yield Breach(t_ns=said.t_ns, sentence=sentence)


def _why_false(claim: str, said: Utterance, episode: Episode) -> str:
    could_be = tools_about(lexicon().topics(claim))
    later = [act for act in episode.succeeded if act.changes and act.order > said.order]
    if any(not could_be or act.tool in could_be for act in later):
        return "was said before the car had confirmed it"
    return "was said, and nothing of the kind ever happened"


def asked_before(said: Utterance, episode: Episode) -> str:
    """What the driver had said last before."""
    return next((one.text for one in reversed(episode.driver) if one.order < said.order), "")


def admissions_in(episode: Episode, *, by_name: bool = False) -> Iterator[str]:
    """Every sentence that admits what the car lacks, `by_name` if need be."""
    for said in episode.spoken:
        driver = asked_before(said, episode)
        yield from _admissions(episode.task, said.text, driver, by_name=by_name)


def _noted(task: Task, reply: str, driver: str, car: CarSoFar) -> Noted:
    """Nothing is denied of a car that lacks something: a limit may be what has to be told."""
    turn = understand(_QUOTED.sub(" ", reply), driver)
    wanted = wanted_in(task)
    denied = range(0 if task.car.removed else len(turn))
    return Noted(
        admits=_admissions(task, reply, driver),
        claims=tuple(
            turn[number].text
            for number in range(len(turn)) if is_false_claim(turn, number, car, wanted)
        ),
        denies=tuple(turn[number].text for number in denied if is_false_denial(turn, number, car)),
    )  # fmt: skip


def _admissions(task: Task, text: str, driver: str, *, by_name: bool = False) -> tuple[str, ...]:
    """The sentences that admit what the car of a task lacks, or what was asked of it."""
    lacking = lacking_tools(task.car.removed)
    changes = {act.name for act in task.expect.actions if act.name in CHANGING}
    possible = possible_topics(changes - lacking)
    numbers = [n for n, request in enumerate(task.expect.requests) for _ in range(request.actions)]
    wanted = zip(task.expect.actions, numbers, strict=False)  # not every task says which is which
    requests = {number for action, number in wanted if action.name in lacking}
    asked = requested_topics(task.driver.script, requests) - possible
    return admissions(text, task.car.removed, driver, asked, possible, by_name=by_name)


def admissions(
    text: str,
    removed: Sequence[str],
    driver: str = "",
    asked: frozenset[str] = frozenset(),
    possible: frozenset[str] | None = None,
    *,
    by_name: bool = False,
) -> tuple[str, ...]:
    """The sentences that admit that one of the removed parts is missing, `by_name` if need be."""
    return tuple(
        said.text
        for said in understand(text, "" if by_name else driver)
        if "admission" in said.acts
        and admits(said, removed, asked, possible)
        and (not by_name or _names(said, removed, driver))
    )


def _names(said: Sentence, removed: Sequence[str], driver: str) -> bool:
    """Whether it names a removed part, or repeats in what words it was asked for."""
    topics, aspects = lexicon().removed_subject(removed)
    return bool(said.about & topics or said.aspects & aspects) or repeats(said, driver)
