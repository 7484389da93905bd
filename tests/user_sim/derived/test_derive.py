import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.user_sim.public import public_tasks
from user_sim.derived.derive import derive_script, question_for
from user_sim.script import DriverBrief, Script
from user_sim.script_problems import script_problems
from user_sim.scripted import ScriptedDriver
from user_sim.understanding.understand import asks

OWN_TASKS = Path(__file__).parents[3] / "tasks"
ROOF = (
    "You are driving along the coast and the sun is out. You want to open the sunroof because you "
    "like the wind. If the assistant asks how far to open it, you want it opened to 40%. "
    "It is expected that the assistant asks - do not tell the percentage on your own."
)


def derived(prose: str, task_type: str = "base", settle_alone: str | None = None) -> Script:
    return derive_script(prose, task_type, settle_alone=settle_alone)


def says(script: Script, heard: str, settle_alone: str | None = None) -> str | None:
    brief = DriverBrief(instruction="", script=script, settle_alone=settle_alone)
    return ScriptedDriver(brief).after_turn(heard).say


def test_scenery_motive_and_stage_directions_are_not_spoken() -> None:
    script = derived(ROOF, "disambiguation_user")
    assert script.opening == "I want to open the sunroof."
    assert script.origin == "derived"


def test_information_for_a_question_becomes_an_answer() -> None:
    script = derived(ROOF, "disambiguation_user")
    assert [answer.say for answer in script.answers] == ["I want it opened to 40 percent."]
    assert says(script, "How far should I open it?") == "I want it opened to 40 percent."


@pytest.mark.parametrize(
    ("prose", "opening"),
    [
        ("Ask the assistant to close the trunk.", "Please close the trunk."),
        ("You ask the assistant to dim your reading light.", "Please dim my reading light."),
        ("You'll ask the assistant to call your mother.", "Please call my mother."),
        ("You want to know if you are on time.", "I want to know if I am on time."),
        ("You want the assistant to find you a bakery.", "Please find me a bakery."),
        ("You'd like some music for you and your dog.", "I'd like some music for me and my dog."),
        ("Tell the assistant that your hands are cold.", "My hands are cold."),
        (
            "Ask the assistant whether your car is charged.",
            "Please tell me whether my car is charged.",
        ),
        ("You request to turn on the fog lights.", "Please turn on the fog lights."),
        (
            "It's loud on the motorway and you want to close all windows.",
            "I want to close all windows.",
        ),
        (
            "You say what you need by saying something like 'Warm my feet' or 'Cold feet'.",
            "Warm my feet.",
        ),
    ],
)
def test_a_wish_is_said_in_the_first_person(prose: str, opening: str) -> None:
    assert derived(prose).opening == opening


def test_the_same_wish_is_said_once() -> None:
    script = derived("You want to navigate to Lyon. You ask the assistant to navigate to Lyon.")
    assert script.opening == "I want to navigate to Lyon."


def test_what_comes_afterwards_is_a_request_of_its_own() -> None:
    script = derived(
        "You want to set the fan to level 1. After that, you want to open the driver window. "
        "Once the window is open, ask the assistant to turn on your reading light."
    )
    assert script.opening == "I want to set the fan to level 1."
    assert script.followups == (
        "I want to open the driver window.",
        "Please turn on my reading light.",
    )


def test_a_wish_that_is_denied_becomes_a_refusal() -> None:
    script = derived(
        "Ask the assistant to turn on the defrost. If the assistant asks to raise the fan speed, "
        "you deny as you want to do that yourself."
    )
    assert says(script, "Shall I raise the fan speed?") == "No, I want to do that myself."
    assert says(script, "Shall I turn on the defrost?") == "Yes, please."


def test_a_restriction_is_said_and_kept() -> None:
    script = derived("Ask the assistant to cool the car. You do not want to open the windows.")
    assert script.opening == "Please cool the car. I do not want to open the windows."
    assert says(script, "Shall I open the windows?") == "No, I do not want to open the windows."


def test_a_condition_that_only_confirms_needs_no_answer() -> None:
    script = derived(
        "You want to send an email to Ines. When the assistant asks for confirmation, you will "
        "say 'yes'."
    )
    assert script.answers == ()
    assert says(script, "Shall I send it?") == "Yes, please."


def test_a_name_that_only_the_answer_may_tell_is_left_out_of_the_opening() -> None:
    prose = (
        "You want to call your friend Ines Duarte from the car. When the assistant finds multiple "
        "contacts named Ines, you specifically want Ines Duarte."
    )
    script = derived(prose, "disambiguation_user")
    assert script.opening == "I want to call my friend Ines from the car."
    assert says(script, "I know two contacts named Ines. Which one?") == "I want Ines Duarte."
    assert "Duarte" in derived(prose, "base").opening


def test_without_conditions_the_last_wish_is_the_answer_to_a_question() -> None:
    script = derived(
        "You ask the assistant for some fresh air. In the end, you want the assistant to open the "
        "rear windows.",
        "disambiguation_user",
    )
    assert "rear windows" not in script.opening
    assert says(script, "What would you like me to do?") == "Please open the rear windows."


def test_an_answer_about_what_the_assistant_settles_alone_is_dropped() -> None:
    prose = (
        "Ask the assistant to heat the seat. If the assistant asks which level of seat heating, "
        "you want level 3. If the assistant asks which window to close, specify the rear ones."
    )
    script = derived(prose, "disambiguation_internal", "seat heating level")
    assert [answer.say for answer in script.answers] == ["The rear ones, please."]


def test_choosing_as_usual_is_part_of_the_request() -> None:
    script = derived(
        "You want to navigate to Lyon. If the assistant presents route options, you say you want "
        "to take the one you usually prefer.",
        "disambiguation_internal",
        "route selection",
    )
    assert (
        script.opening == "I want to navigate to Lyon. I want to take the route I usually prefer."
    )


def test_what_is_shown_without_a_question_is_followed_up() -> None:
    script = derived(
        "Ask the assistant to find bakeries in Lyon. When the assistant shows bakeries, choose the "
        "second one and ask the assistant to call it."
    )
    assert script.followups == ("The second one, and please call it.",)


def test_a_place_that_is_not_found_is_corrected() -> None:
    script = derived(
        "Ask the assistant to navigate to Lyom. If the assistant does not find Lyom, you want to "
        "choose Lyon instead.",
        "disambiguation_user",
    )
    assert script.on_limit == "Lyon instead, please."


def test_prose_without_a_wish_still_gives_an_opening() -> None:
    assert derived("You are cold.").opening == "I am cold."
    assert derived("").opening


def test_own_tasks_have_sound_scripts_that_can_be_asked() -> None:
    scripts = list(_own_scripts())
    assert scripts
    for name, task_type, script in scripts:
        assert script_problems(script, task_type=task_type) == [], name
        _every_answer_can_be_asked_for(script, None, name)


def test_public_scripts_are_sound() -> None:
    for task in public_tasks():
        script = _of(task)
        assert script_problems(script, task_type=task["task_type"]) == [], task["task_id"]


def test_every_public_answer_can_be_asked_for() -> None:
    for task in public_tasks():
        element = task["disambiguation_element_internal"]
        _every_answer_can_be_asked_for(_of(task), element, task["task_id"])


def test_no_public_opening_gives_away_what_an_answer_holds() -> None:
    tasks = [task for task in public_tasks() if task["task_type"] == "disambiguation_user"]
    assert len(tasks) == 31
    for task in tasks:
        script = _of(task)
        assert script.answers, task["task_id"]
        for answer in script.answers:
            assert answer.say not in script.opening, task["task_id"]
            numbers = set(re.findall(r"\d+", script.opening))
            assert not numbers & set(re.findall(r"\d+", answer.say)), task["task_id"]


def test_nothing_public_is_said_that_only_directs_the_driver() -> None:
    direction = re.compile(
        r"\bexpected\b|\bmake up\b|\bcome up with\b|\bconversation\b|\bclarification\b"
        r"|\bstored preference|\bthe assistant\b|\byou want\b|\bdisambiguat|-->|\*\*|→",
        re.IGNORECASE,
    )
    for task in public_tasks():
        for said in _spoken(_of(task)):
            assert not direction.search(said), (task["task_id"], said)


def test_public_speech_is_made_of_whole_short_sentences() -> None:
    for task in public_tasks():
        script = _of(task)
        assert 3 <= len(script.opening.split()) <= 85, task["task_id"]
        for said in _spoken(script):
            assert re.fullmatch(r"['\w].*[.?!]", said), (task["task_id"], said)
            assert not re.search(r"\s[,.]|\s\s|\b(\w+) \1\b|\bI are\b|\bme (?:am|want)\b", said), (
                said
            )


def _of(task: dict[str, Any]) -> Script:
    return derive_script(
        task["instruction"],
        task["task_type"],
        settle_alone=task["disambiguation_element_internal"],
    )


def _spoken(script: Script) -> list[str]:
    limit = [script.on_limit] if script.on_limit else []
    return [script.opening, *script.followups, *(a.say for a in script.answers), *limit]


def _every_answer_can_be_asked_for(script: Script, element: str | None, name: str) -> None:
    for answer in script.answers:
        question = question_for(answer)
        assert asks(question), name
        assert says(script, question, element) == answer.say, (name, question)


def _own_scripts() -> list[tuple[str, str, Script]]:
    read = [yaml.safe_load(file.read_text("utf-8")) for file in sorted(OWN_TASKS.rglob("*.yaml"))]
    return [
        (task["task_id"], task["task_type"], Script.model_validate(task["driver"]["script"]))
        for task in read
    ]
