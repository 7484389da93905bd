import copy
import pickle

import pytest
from pydantic import ValidationError

from user_sim.script import Answer, DriverBrief, Interjection, Script
from user_sim.script_problems import script_problems
from user_sim.scripted import ScriptedDriver
from user_sim.spoken_line import ways_of

OPENINGS = ["Open the trunk.", "Trunk open, please.", "Could you open the trunk?"]
SHUT = ["And shut it again.", "Then close it."]
WRITTEN = {
    "opening": OPENINGS,
    "followups": ["Thanks.", SHUT],
    "answers": [{"when": ["how far"], "say": ["All the way.", "Fully.", "Completely.", "Wide."]}],
    "interjections": [{"turn": 1, "after_words": 2, "say": ["Mhm.", "Uh-huh."]}],
    "on_limit": ["Pity.", "Too bad."],
}
SCRIPT = Script.model_validate(WRITTEN)


def said(trial: int, seed: str = "10/base_trunk") -> Script:
    return SCRIPT.saying(SCRIPT.words(trial, seed))


def test_a_line_reads_as_its_first_way() -> None:
    assert SCRIPT.opening == "Open the trunk."
    assert SCRIPT.followups == ("Thanks.", "And shut it again.")
    assert SCRIPT.answers[0].say == "All the way."
    assert [ways_of(line) for line in SCRIPT.followups] == [("Thanks.",), tuple(SHUT)]


def test_a_script_in_several_ways_is_written_as_it_was_read() -> None:
    dumped = SCRIPT.model_dump(mode="json", exclude_unset=True)
    assert {name: dumped[name] for name in ("opening", "followups", "on_limit")} == {
        name: WRITTEN[name] for name in ("opening", "followups", "on_limit")
    }
    assert Script.model_validate(SCRIPT.model_dump()).lines.keys() == SCRIPT.lines.keys()
    assert Script.model_validate(SCRIPT.model_dump()).ways == SCRIPT.ways == 4


@pytest.mark.parametrize("copied", [copy.deepcopy(SCRIPT), pickle.loads(pickle.dumps(SCRIPT))])
def test_a_copy_knows_all_ways(copied: Script) -> None:
    assert ways_of(copied.opening) == tuple(OPENINGS)
    assert copied.opening == OPENINGS[0]


def test_trials_in_a_row_say_every_line_in_other_words() -> None:
    for first in (0, 3, 30):
        assert {said(first + trial).opening for trial in range(3)} == {*OPENINGS}
    assert {said(trial).followups[1] for trial in (0, 1)} == {*SHUT}
    assert {each.interjections[0].say for each in map(said, (0, 1))} == {"Mhm.", "Uh-huh."}
    assert {each.on_limit for each in map(said, (0, 1))} == {"Pity.", "Too bad."}


def test_the_words_of_a_trial_are_always_the_same() -> None:
    assert [said(trial) for trial in range(8)] == [said(trial) for trial in range(8)]
    assert said(0, "1") != said(0, "2") or said(0, "1") != said(0, "3")


def test_lines_are_chosen_independently() -> None:
    together = {(said(trial).opening, said(trial).answers[0].say) for trial in range(200)}
    assert len(together) == len(OPENINGS) * 4


def test_what_is_played_is_one_text_per_line() -> None:
    assert said(2).ways == 1
    assert {type(line) for line in said(2).lines.values()} == {str}
    assert said(2).confirm == "Yes, please."


def test_only_lines_with_several_ways_are_noted() -> None:
    assert set(SCRIPT.words(0, "")) == {
        "opening", "on_limit", "followups.1", "answers.0.say", "interjections.0.say",
    }  # fmt: skip
    assert Script(opening="Hello.").words(0, "") == {}


def test_words_of_lines_that_are_gone_are_left_out() -> None:
    assert Script(opening="Hello.").saying({"followups.3": "Bye."}) == Script(opening="Hello.")


@pytest.mark.parametrize("wrong", [[], ["Open it.", "Open it."], [5], [["Open it."]]])
def test_ways_are_different_texts(wrong: object) -> None:
    with pytest.raises(ValidationError):
        Script.model_validate({"opening": wrong})


def test_the_driver_answers_in_the_words_of_his_trial() -> None:
    script = said(1)
    driver = ScriptedDriver(DriverBrief(instruction="", script=script))
    assert driver.opening() == script.opening
    assert driver.after_turn("How far shall I open it?").say == script.answers[0].say


def test_every_way_is_checked() -> None:
    blind = Script.model_validate({"opening": ["Open it.", " "], "interjections": []})
    assert script_problems(blind) == ["opening is empty"]
    given_away = Script.model_validate(
        {
            "opening": ["Warm my seat.", "Warm my seat to level 3."],
            "answers": [Answer(when=(r"which", r"how warm"), say="3, please.")],
        }
    )
    assert script_problems(given_away, task_type="base") == []
    assert len(script_problems(given_away, task_type="disambiguation_user")) == 1


def test_no_way_of_a_line_refuses_what_another_grants() -> None:
    mixed = Script.model_validate({"opening": "Open it.", "decline": ["No, thanks.", "Fine."]})
    [problem] = script_problems(mixed)
    assert problem == "some ways of decline refuse something and others do not"
    assert script_problems(SCRIPT) == []
    changing = {"opening": "Open it.", "followups": [["No, wait, shut it.", "Shut it again."]]}
    assert script_problems(Script.model_validate(changing)) == []


def test_an_interjection_has_ways_too() -> None:
    [one] = SCRIPT.interjections
    assert isinstance(one, Interjection)
    assert ways_of(one.say) == ("Mhm.", "Uh-huh.")
