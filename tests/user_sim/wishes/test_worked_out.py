"""Proposals whose values have to be worked out, looked up or read off before they can be right."""

import pytest

from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import Want

YES = "Yes, please."


def window(percentage: int, position: str = "DRIVER") -> Want:
    return Want(tool="open_close_window", arguments={"window": position, "percentage": percentage})


def level(tool: str, number: int, zone: str | None = None) -> Want:
    return Want(tool=tool, arguments={"level": number} | ({"seat_zone": zone} if zone else {}))


FURTHER = ("Open my window ten points further than it is.", (window(45),))
LIKE_HERS = ("My window like hers, and the fan two lower.", (window(35), level("set_fan_speed", 3)))
HER_SEAT = ("Heat her seat like mine.", (level("set_seat_heating", 3, "PASSENGER"),))
ALL_LIKE_IT = (
    "The window behind me as far as the others, mine half of that.",
    (window(80, "DRIVER_REAR"), window(40)),
)
ROOF_AS_LIKED = (
    "Open the roof as far as I like it when it's this cool.",
    (Want(tool="open_close_sunroof", arguments={"percentage": 25}),),
)
STRONGER = ("One level more on the fan.", (level("set_fan_speed", 4),))
BEAMS = (
    "Low beams, please.",
    (Want(tool="set_head_lights_low_beams", arguments={"on": True}),),
)
IN_BOOT = (
    "Open the trunk and shut my window.",
    (Want(tool="open_close_trunk_door", arguments={"action": "OPEN"}), window(0)),
)
TO_PRAGUE = (
    "I have to be in Linz first, then it's on to Prague.",
    (Want(tool="set_new_navigation", names=("A1", "fastest", "Linz", "E55", "Prague")),),
)
ONE_STOP_LESS = (
    "Take Ghent out of the trip.",
    (Want(tool="navigation_delete_waypoint", names=("Ghent", "Bruges", "A10")),),
)
HOW_WARM = (
    "How warm will it be in Linz at noon?",
    (Want(tool="get_weather", changes=False, request=0, names=("Linz",)),),
)


def answer(case: tuple[str, tuple[Want, ...]], turn: str, *answers: Answer) -> str:
    opening, wants = case
    script = Script(opening=opening, answers=answers, confirm=YES, decline="No, thanks.")
    brief = DriverBrief(instruction="", script=script, wants=wants)
    return ScriptedDriver(brief).after_turn(turn).say or ""


@pytest.mark.parametrize(
    ("case", "turn"),
    [
        (FURTHER, "Your window seems to be at 35. Ten more would be 45. Shall I?"),
        (FURTHER, "With the window being at 35 now, shall I open it to 45?"),
        (LIKE_HERS, "Yours goes to 35 too, and the fan from five to three. Shall I start?"),
        (LIKE_HERS, "Hers is 35 percent open. Yours to 35 as well?"),
        (HER_SEAT, "Yours is on three by now. Is it all right if hers goes to three as well?"),
        (ALL_LIKE_IT, "The two in the back are at 80. I'd set the one behind you to 80. Okay?"),
        (ROOF_AS_LIKED, "At this temperature you like the roof at 25. Shall I open it to that?"),
        (STRONGER, "Somebody put the fan on three. May I set it to four?"),
        (STRONGER, "It has to be four, because three is what it runs at. Shall I set the fan so?"),
        (BEAMS, "You want the low beams on, and the high beams stay off, right?"),
        (IN_BOOT, "Is there enough room behind the car? May I open the trunk?"),
        (TO_PRAGUE, "First Linz, then Prague, all on the fastest road. Shall I guide you so?"),
        (TO_PRAGUE, "Guidance to Linz and then Prague. Green light?"),
        (HOW_WARM, "Shall I look up the temperature in Linz?"),
    ],
)
def test_a_right_value_is_right_beside_those_that_it_comes_from(
    case: tuple[str, tuple[Want, ...]], turn: str
) -> None:
    assert answer(case, turn).startswith(("Yes", "Just what I asked for"))


@pytest.mark.parametrize(
    ("case", "turn"),
    [
        (FURTHER, "Your window was at 20 before, so shall I open it to 30?"),
        (FURTHER, "Shall I open your window to ten percent?"),
        (LIKE_HERS, "Yours goes to 35, and the fan to five. Shall I start?"),
        (HER_SEAT, "Shall I set hers to one?"),
        (STRONGER, "May I set the fan to one?"),
        (TO_PRAGUE, "I'd guide you to Prague first, and to Linz on the way back. Sounds good?"),
        (TO_PRAGUE, "The order is Prague, then Linz. Right?"),
        (ONE_STOP_LESS, "I would be dropping Bruges. Shall I?"),
    ],
)
def test_a_value_that_was_worked_out_wrongly_gets_a_no(
    case: tuple[str, tuple[Want, ...]], turn: str
) -> None:
    assert answer(case, turn).startswith("No")


def test_a_wrong_value_gets_no_and_the_answer_that_has_the_right_one() -> None:
    other = Answer(when=(r"\bdegrees\b",), say="Twenty-two degrees.")
    right = Answer(when=(r"\bhow strong\b",), say="On level four.")
    assert answer(STRONGER, "Shall I put the fan on six?", other, right) == "No. On level four."


@pytest.mark.parametrize(
    ("plan", "how"),
    [
        ("whirl the fan up to four", "Yes, as I said"),
        ("put the fan on four and pop the hood", "Just what I asked for, please"),
    ],
)
def test_unknown_words_beside_a_right_value_make_no_plan_wrong(plan: str, how: str) -> None:
    assert answer(STRONGER, f"I'd {plan}. Shall I?") == f"{how}: {STRONGER[0]}"
