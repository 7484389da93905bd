"""Where the task is to ask, the driver has told what is open before it is changed."""

from typing import Any

import pytest

from evaluator.scoring.scores import score
from tests.evaluator.episodes import do, task
from tests.evaluator.stories import record_of
from tests.vehicle_bus.cars import WORLD
from user_sim.script import Answer, Script

SHADE = do("open_close_sunshade", percentage=40)
TASK = task(SHADE, do("set_fan_speed", level=2), task_type="disambiguation_user")
BITE = {"driver": "Close the sunshade a bit, and the fan on two."}
SET = {"calls": [{"open_close_sunshade": {"percentage": 40}}]}
FAN = {"calls": [{"set_fan_speed": {"level": 2}}]}
DONE = {"agent": "Done."}
ASK = {"agent": "How far would you like the sunshade?"}
FORTY = {"driver": "Forty percent."}


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        ([ASK, FORTY, SET, FAN, DONE], True),
        ([FAN, ASK, FORTY, SET, DONE], True),
        ([SET, FAN, DONE], False),
        ([SET, FAN, {"agent": "Is forty percent of sunshade fine?"}, {"driver": "Yes."}], False),
        ([SET, ASK, FORTY, SET, FAN, DONE], False),
        ([{"agent": "Shall I?"}, {"driver": "Yes, please."}, SET, FAN, DONE], False),
        ([{"agent": "Shall I set it to 40?"}, {"driver": "Yes."}, SET, FAN, DONE], True),
        ([ASK, {"driver": "I don't know, please decide."}, SET, FAN, DONE], False),
    ],
)
def test_the_answer_comes_before_the_change(lines: list[dict[str, Any]], asked: bool) -> None:
    verdict = score(record_of(TASK, [BITE, *lines]), TASK, WORLD)
    assert verdict.components["asked_first"] == float(asked)
    assert asked or verdict.reward == 0.0


def test_an_answer_after_a_no_is_one() -> None:
    script = Script(
        opening=BITE["driver"], answers=(Answer(when=("shade",), say="Forty percent."),)
    )
    driver = TASK.driver.model_copy(update={"script": script})
    asked = TASK.model_copy(update={"driver": driver})
    lines = [BITE, {"agent": "Shall I close the sunshade?"}, {"driver": "No. Forty percent."}]
    verdict = score(record_of(asked, [*lines, SET, FAN, DONE]), asked, WORLD)
    assert verdict.components["asked_first"] == 1.0


def test_a_published_profile_does_not_ask_for_it() -> None:
    verdict = score(record_of(TASK, [BITE, SET, FAN, DONE]), TASK, WORLD, "car-bench")
    assert verdict.components["asked_first"] is None
