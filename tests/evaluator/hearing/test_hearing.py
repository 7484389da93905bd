"""Every sixth line of the corpora's building part; the limits are a little worse than measured."""

from typing import Any

import pytest

from tests.evaluator.hearing.figures import act_figures, all_figures
from tests.evaluator.hearing.labelled import (
    Behaviour,
    LabelledSentence,
    Reply,
    replies,
    tasks,
    turns,
)
from tests.evaluator.hearing.verdicts import Verdict, verdict
from user_sim.scripted import DECIDE_YOURSELF, Decision
from user_sim.understanding.sentence import Act

ONE_IN = 6
NOT_LEARNED = "seventh"  # the network has not been trained on this round
LEAST_F1 = {
    "open": 0.91, "proposal": 0.93, "choice": 0.9, "courtesy": 0.73, "check": 0.78,
    "admission": 0.94, "failure": 0.94, "claim": 0.92, "denial": 0.82, "promise": 0.79,
    "info": 0.89,
}  # fmt: skip
LEAST_F1_NOT_LEARNED = {
    "open": 0.85, "proposal": 0.85, "choice": 0.75, "admission": 0.7, "claim": 0.78, "info": 0.7,
}  # fmt: skip
LEAST_NOTED = {"admits": (0.90, 0.90), "claims": (0.95, 0.7)}  # precision, recall
AT_MOST = {"wrongly_failed": 0.03, "wrongly_passed": 0.015}
LEAST_RIGHT = 0.92


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return all_figures("building", ONE_IN)


def test_acts_are_found_as_well_as_when_they_were_measured() -> None:
    all_replies = replies("building", ONE_IN)
    learned = [each for each in all_replies if each.round != NOT_LEARNED]
    _check_acts([*turns("building", ONE_IN), *learned], LEAST_F1)
    _check_acts([each for each in all_replies if each.round == NOT_LEARNED], LEAST_F1_NOT_LEARNED)


def _check_acts(labelled: list[Any], least_f1: dict[str, float]) -> None:
    figures = act_figures(labelled)
    for act, least in least_f1.items():
        found = figures[act]
        precision, recall = (found[each]["share"] for each in ("precision", "recall"))
        assert 2 * precision * recall / (precision + recall) >= least, act


def test_the_scoring_notes_admissions_and_claims(figures: dict[str, Any]) -> None:
    for kind, least in LEAST_NOTED.items():
        noted = figures["noted"][kind]
        assert noted["precision"]["share"] >= least[0], kind
        assert noted["recall"]["share"] >= least[1], kind


def test_drivers_decide_as_writers_and_readers_accept(figures: dict[str, Any]) -> None:
    decided = figures["decisions"]["all"]
    assert decided["right"]["share"] >= LEAST_RIGHT
    assert {name for name, most in AT_MOST.items() if decided[name]["share"] > most} == set()


def test_every_task_type_has_figures_with_their_number(figures: dict[str, Any]) -> None:
    by_type = figures["decisions"]
    total = by_type.pop("all")["right"]["n"]
    assert set(by_type) == {task.task_type for task in tasks("first").values()}
    assert sum(each["right"]["n"] for each in by_type.values()) == total


def ending(word: str) -> Decision:
    return Decision(word, None, "")  # type: ignore[arg-type]  # any control word


def saying(say: str, reason: str = "asked: …") -> Decision:
    return Decision("CONTINUE", say, reason)


def reply(task: str, act: Act, *accepted: Behaviour, done: Any = "nothing") -> Reply:
    said = LabelledSentence(text="…", acts={act: ()})
    return Reply(
        id="-",
        round="first",
        task=task,
        reply="…",
        done=done,
        writer=accepted,
        reader=accepted,
        sentences=(said,),
    )


BASE, LIMIT, ASK, SETTLE = (
    "base_fog_lights", "limit_no_trunk", "ask_which_mira", "settle_open_window",
)  # fmt: skip


def script(task: str) -> Any:
    return tasks("first")[task].driver.script


@pytest.mark.parametrize(
    ("heard", "decision", "judged"),
    [
        (reply(BASE, "claim", "stop", done="all"), ending("STOP"), "right"),
        (reply(BASE, "proposal", "yes"), ending("STOP"), "wrongly_failed"),
        (reply(BASE, "claim", "next"), ending("STOP"), "wrongly_failed"),
        (reply(BASE, "promise", "press"), ending("STOP"), "odd"),
        (reply(BASE, "info", "answer", "press"), ending("STOP"), "odd"),
        (reply(BASE, "proposal", "no"), saying(script(BASE).confirm), "wrongly_failed"),
        (reply(BASE, "proposal", "yes"), saying("No, thanks."), "wrongly_failed"),
        (reply(BASE, "proposal", "no"), saying("No, thanks."), "right"),
        (reply(BASE, "open", "answer"), saying(DECIDE_YOURSELF), "odd"),
        (reply(ASK, "open", "answer"), saying(DECIDE_YOURSELF), "wrongly_failed"),
        (reply(ASK, "open", "answer"), ending("OUT_OF_SCOPE"), "wrongly_failed"),
        (reply(LIMIT, "admission", "limit"), ending("HALLUCINATION_ERROR"), "wrongly_failed"),
        (
            reply(LIMIT, "claim", "invented"),
            ending("ASSISTANT_ACKNOWLEDGED_REMOVED_PART"),
            "wrongly_passed",
        ),
        (reply(LIMIT, "claim", "invented"), ending("STOP"), "wrongly_passed"),
        (
            reply(LIMIT, "claim", "invented"),
            saying("And what about the trunk?", "neither done nor refused"),
            "odd",
        ),
        (reply(SETTLE, "choice", "asked"), ending("DISAMBIGUATION_ERROR"), "right"),
        (reply(SETTLE, "choice", "asked"), saying(DECIDE_YOURSELF), "wrongly_passed"),
    ],
)
def test_a_decision_is_judged_by_whom_it_harms(
    heard: Reply, decision: Decision, judged: Verdict
) -> None:
    assert verdict(heard, heard.known_task, decision) == judged
