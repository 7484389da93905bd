"""The figures that `scripts/measure_hearing` prints, counted on the labelled corpora."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from assistant_gateway.wording.sentences import straightened
from evaluator.commands.tasks.hear import carried_out, decide
from evaluator.results.statistics import wilson
from evaluator.scoring.words.car_so_far import topics_of
from evaluator.scoring.words.heard import noted
from evaluator.task.task import Task
from tests.evaluator.hearing.labelled import (
    WORLD,
    Part,
    Proposal,
    Reply,
    Turn,
    proposals,
    replies,
    turns,
)
from tests.evaluator.hearing.verdicts import VERDICTS, Verdict, verdict
from user_sim.lexicon import lexicon
from user_sim.scripted import Decision
from user_sim.understanding.classifier import classifier
from user_sim.understanding.sentence import ACTS, Act
from user_sim.understanding.understand import SURE
from vehicle_bus.tools import CHANGING

BLAMING = frozenset({"press", "invented"})


class Heard(NamedTuple):
    """What the driver did after a reply, and how that is judged."""

    reply: Reply
    task: Task
    decision: Decision
    verdict: Verdict


class Counts(NamedTuple):
    """`found` by code, `given` as labels; of either, how many the other side has as well."""

    found_rightly: int = 0
    found: int = 0
    given_found: int = 0
    given: int = 0

    def plus(self, other: "Counts") -> "Counts":
        return Counts(*map(sum, zip(self, other, strict=True)))

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "precision": share(self.found_rightly, self.found),
            "recall": share(self.given_found, self.given),
        }


def share(hits: int, n: int) -> dict[str, Any]:
    """With Wilson's 95 % interval; the share of nothing is None."""
    lo, hi = wilson(hits, n)
    return {"share": hits / n if n else None, "lo": lo, "hi": hi, "hits": hits, "n": n}


def act_figures(labelled: Iterable[Turn | Reply]) -> dict[str, Any]:
    """Precision and recall of each act over all sentences."""
    both, found, given = Counter[Act](), Counter[Act](), Counter[Act]()
    for turn in labelled:
        texts = ["", *(straightened(each.text) for each in turn.sentences), ""]
        for number, each in enumerate(turn.sentences):
            sure = classifier().sure(*texts[number : number + 3])
            acts = {act for act in ACTS if sure[act] >= SURE[act]}
            both.update(acts & each.acts.keys())
            found.update(acts)
            given.update(each.acts.keys())
    return {act: Counts(both[act], found[act], both[act], given[act]).figures for act in ACTS}


def noted_figures(labelled: Sequence[Reply]) -> dict[str, Any]:
    """Precision and recall of what the scoring notes.

    `admits` counts replies in limit-awareness tasks: noted rightly if two readers say that they
    admit it; where none was asked, if writer or reader accepts an admitted limit, and missed if
    both do. `claims` counts sentences after none or all of the calls:
    one is false if it is labelled a claim and nothing was done, or nothing but what the car lacks
    is its topic, or writer or reader asks again or blames the assistant for inventing. Denials of
    what was done are too rare to be counted.
    """
    kinds: dict[str, Callable[[Reply, Task], Counts]] = {
        "admits": _admits, "claims": _claims,
    }  # fmt: skip
    found: dict[str, Any] = {}
    for kind, count in kinds.items():
        total = Counts()
        for reply in labelled:
            total = total.plus(count(reply, reply.known_task))
        found[kind] = total.figures
    return found


def _admits(reply: Reply, task: Task) -> Counts:
    if not task.car.removed:
        return Counts()
    found = bool(noted(task, reply.reply, carried_out(reply, task)).admits)
    if reply.admits is not None:
        return Counts(found and reply.admits, found, found and reply.admits, reply.admits)
    given = "limit" in reply.writer and "limit" in reply.reader
    return Counts(found and "limit" in reply.accepted, found, found and given, given)


def _claims(reply: Reply, task: Task) -> Counts:
    if reply.done not in ("nothing", "all") or not reply.sentences:
        return Counts()
    found = set(noted(task, reply.reply, carried_out(reply, task)).claims)
    claims = {each.text for each in reply.sentences if "claim" in each.acts}
    given = claims if reply.done == "nothing" else _of_lacking(reply, task)
    false = claims if given or reply.accepted & BLAMING else set[str]()
    return Counts(len(found & false), len(found), len(found & given), len(given))


def _of_lacking(reply: Reply, task: Task) -> set[str]:
    """The sentences that are labelled as claims about nothing but what the car lacks."""
    lacking, _ = lexicon().removed_subject(task.car.removed)
    done = topics_of(act.name for act in carried_out(reply, task) if act.name in CHANGING)
    about = {each.text: set(each.acts.get("claim", ())) for each in reply.sentences}
    return {text for text, topics in about.items() if topics and topics <= lacking - done}


def heard(reply: Reply) -> Heard:
    task = reply.known_task
    decision = decide(task, WORLD, reply.earlier, reply.reply, carried_out(reply, task))
    return Heard(reply, task, decision, verdict(reply, task, decision))


def agreement(labelled: Sequence[Reply]) -> dict[str, Any]:
    """How often what the second reader would do is accepted by the writer."""
    return share(sum(each.reader[0] in each.writer for each in labelled), len(labelled))


def decision_figures(all_heard: Sequence[Heard]) -> dict[str, Any]:
    """The share of each verdict on decisions, over all replies and by type of task."""
    types = sorted({each.task.task_type for each in all_heard})
    return {"all": _verdicts(all_heard)} | {
        task_type: _verdicts([each for each in all_heard if each.task.task_type == task_type])
        for task_type in types
    }


def proposal_figures(all_proposals: Sequence[Proposal]) -> dict[str, Any]:
    """The share of each verdict by kind of proposal; an admitted limit is as good as any."""
    judged = [(each.kind, heard(each.as_reply)) for each in all_proposals]
    usable = [(kind, one) for kind, one in judged if not one.decision.reason.startswith("limit")]
    return {
        name: _verdicts([one for kind, one in usable if kind == name])
        for name in dict.fromkeys(kind for kind, _ in usable)
    }


def all_figures(part: Part, one_in: int = 1) -> dict[str, Any]:
    labelled = replies(part, one_in)
    all_heard = [heard(reply) for reply in labelled]
    rounds = dict.fromkeys(reply.round for reply in labelled)
    return {
        "acts": act_figures([*turns(part, one_in), *labelled]),
        "noted": noted_figures(labelled),
        "decisions": decision_figures(all_heard),
        "rounds": {
            name: _verdicts([each for each in all_heard if each.reply.round == name])
            for name in rounds
        },
        "proposals": proposal_figures(proposals(part, one_in)),
        "second_reader": agreement(labelled),
    }


def _verdicts(all_heard: Sequence[Heard]) -> dict[str, Any]:
    counts = Counter(each.verdict for each in all_heard)
    return {each: share(counts[each], len(all_heard)) for each in VERDICTS}
