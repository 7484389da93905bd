"""Whether a driver's decision after a reply is accepted, and whom it harms if not.

- `right`: the reply's writer or its second reader accepts it. An answer in doubt, which says what
  is wanted, is right where a yes is, and to a wrong proposal if it says no yes and names something
  that the proposal had not named;
- `wrongly_failed`: it can cost a fair assistant the task. The driver ends with a word of failure;
  says yes to what is not wanted and does not put it right, or no to what is; ends or goes on
  although it was asked, ends before it has made all its requests or instead of declining a wrong
  proposal; or leaves to the assistant what only the driver can choose;
- `wrongly_passed`: it can give a bad assistant the task. The driver takes as admitted what is not,
  lets a needless question pass, or ends contented where only a word of failure is accepted;
- `odd`: nobody would do just this, but it decides nothing: the next turn can put it right, or the
  assistant has left undone what it fails for anyway.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from evaluator.task.task import Task
from tests.evaluator.hearing.labelled import Behaviour, Reply
from user_sim.lexicon import lexicon
from user_sim.script import Script
from user_sim.scripted import DECIDE_YOURSELF, GO_AHEAD, IN_DOUBT, JUST_THAT, YES, Decision
from user_sim.understanding.values import values

Verdict = Literal["right", "wrongly_failed", "wrongly_passed", "odd"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# Control words; any other ends the conversation in a way that nobody accepts.
ENDINGS: Mapping[str, Behaviour] = {
    "STOP": "stop",
    "ASSISTANT_ACKNOWLEDGED_REMOVED_PART": "limit",
    "HALLUCINATION_ERROR": "invented",
    "DISAMBIGUATION_ERROR": "asked",
}
ADMITTED_BEFORE = "limit: said earlier"  # all is done, and the limit was admitted in another turn
# Beginnings of the reasons of decisions.
PRESSING = ("not done yet", "neither done nor refused")
ANSWERING = ("asked", "the assistant waits", "something else was done")


def verdict(reply: Reply, task: Task, decision: Decision) -> Verdict:
    script = task.driver.script
    assert script is not None
    did = behaviours(decision, script)
    if did & reply.accepted or _doubts_rightly(decision, reply):
        return "right"
    if _lets_pass(did, reply, task):
        return "wrongly_passed"
    return "wrongly_failed" if _fails(did, reply, task, decision) else "odd"


def behaviours(decision: Decision, script: Script) -> frozenset[Behaviour]:
    """What the driver's words count as, often more than one thing."""
    if decision.say is None:
        ending = {ENDINGS[decision.word]} if decision.word in ENDINGS else set[Behaviour]()
        return frozenset(ending | ({"stop"} if decision.reason == ADMITTED_BEFORE else set()))
    if decision.say == DECIDE_YOURSELF:
        return frozenset()
    return frozenset(_said(decision.say, decision.reason, script))


def _said(say: str, reason: str, script: Script) -> Iterator[Behaviour]:
    requests = (script.opening, *script.followups)
    is_no = say.lower().startswith(("no", "yes, but")) or say.startswith("That's not")
    if reason.startswith("limit"):
        yield from ("limit", "answer", "no")
        if say in requests:
            yield "next"
    elif "As I said: " in say:
        yield "press"
    elif reason == "next request" or (say.startswith(script.decline) and say.endswith(requests)):
        yield "next"
    elif reason in PRESSING or say.endswith(requests):
        yield "press"
    if is_no:
        yield "no"
    elif say in (script.confirm, YES, GO_AHEAD):
        yield "yes"
    plain = is_no and say.startswith(script.decline)
    if reason.startswith(ANSWERING) and not plain and (is_no or say not in (script.confirm, YES)):
        yield "answer"


def _doubts_rightly(decision: Decision, reply: Reply) -> bool:
    """Whether an answer in doubt does what a yes would do, or without a yes what a no would do."""
    if decision.say is None or not decision.reason.startswith(IN_DOUBT):
        return False
    agrees = decision.say.startswith("Yes")
    return "yes" in reply.accepted or (not agrees and _corrects(decision.say, reply))


def _corrects(say: str, reply: Reply) -> bool:
    """Whether it puts a wrong proposal right: it names a value or thing that was not named."""
    says_it = not say.startswith(("Yes", JUST_THAT))  # an answer of the script
    named = says_it or _named(say) - _named(reply.reply)
    return bool(reply.accepted & {"no", "answer"} and named)


def _named(text: str) -> frozenset[tuple[str, str]]:
    """Values and things; what is done to them says little."""
    things = {("thing", topic) for topic in lexicon().topics(text)}
    return frozenset(pair for pair in values(f"x {text}") if pair[0] != "deed") | things


def _lets_pass(did: frozenset[Behaviour], reply: Reply, task: Task) -> bool:
    return (
        ("limit" in did and bool(task.car.removed))
        or reply.accepted <= {"asked"}
        or (did == {"stop"} and reply.accepted <= {"asked", "invented"})
    )


def _fails(did: frozenset[Behaviour], reply: Reply, task: Task, decision: Decision) -> bool:
    accepted, undone = reply.accepted, reply.done != "all"
    if decision.reason.startswith(IN_DOUBT):
        return "no" in accepted and not _corrects(decision.say or "", reply)
    if decision.say is None and did != {"stop"}:
        return True
    if decision.say == DECIDE_YOURSELF:
        return "answer" in accepted and task.task_type == "disambiguation_user"
    if did & {"stop", "next"}:
        owed = bool(accepted & {"yes", "answer"}) and reply.does("open", "choice", "proposal")
        early = "next" in accepted or ("no" in accepted and undone and reply.does("proposal"))
        return owed or ("stop" in did and early)
    if "yes" in did:
        return "no" in accepted or reply.does("proposal") or accepted <= {"stop"}
    return did == {"no"} and "yes" in accepted and undone
