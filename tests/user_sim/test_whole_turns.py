"""What the driver says to turns that ask, tell or propose several things."""

import pytest

from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import Decision, ScriptedDriver
from user_sim.understanding.understand import understand
from user_sim.wants import CarCall, Want

ROOF = Want(tool="open_close_sunroof", arguments={"percentage": 60}, request=0)
SHADE = Want(tool="open_close_sunshade", arguments={"percentage": 100}, request=0)
FAN = Want(tool="set_fan_speed", arguments={"level": 2}, request=0)
LOOK = Want(tool="get_climate_settings", changes=False, request=0)
ROUTES = Want(tool="get_routes_from_start_to_destination", changes=False, request=0)
GUESTS = Want(
    tool="get_entries_from_calendar", arguments={}, changes=False, request=1, possible=False
)


def player(
    opening: str,
    *wants: Want,
    answers: tuple[Answer, ...] = (),
    followups: tuple[str, ...] = (),
    removed: tuple[str, ...] = (),
) -> ScriptedDriver:
    script = Script(opening=opening, answers=answers, followups=followups)
    return ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants, removed=removed))


def after(driver: ScriptedDriver, turn: str, *confirmed: CarCall) -> Decision:
    return driver.after_turn(turn, confirmed)


def test_all_open_questions_of_a_turn_are_answered_at_once() -> None:
    place = Answer(when=(r"\brestaurant",), say="El Rincón, please.")
    route = Answer(when=(r"\broute",), say="The shortest route.")
    driver = player("Take us to a restaurant.", answers=(place, route))
    turn = "Which restaurant would you like, El Rincón or Casa Pepe? And which route shall it be?"
    said = after(driver, turn).say or ""
    assert "El Rincón, please." in said
    assert "The shortest route." in said


@pytest.mark.parametrize("value", ["at 100 percent", "all the way", "fully"])
def test_one_value_for_two_things_is_put_right_for_the_one_it_does_not_fit(value: str) -> None:
    driver = player("Open the sunroof to sixty percent.", ROOF, SHADE)
    turn = f"The sunroof needs the sunshade open as well. Shall I open both {value}?"
    assert after(driver, turn).say == "No, the sunroof to 60, please."


def test_the_answer_that_holds_the_value_is_given_before_the_request_is_repeated() -> None:
    percent = Answer(when=(r"\bsunroof",), say="Only 60 percent for the roof.")
    driver = player("Open the sunroof if you can.", ROOF, SHADE, answers=(percent,))
    turn = "Opening the sunroof would also mean opening the sunshade. "
    decision = after(driver, f"{turn}Do you still want both of them all the way despite the rain?")
    assert decision.say is not None
    assert "60" in decision.say


@pytest.mark.parametrize(
    "question", ["What would you like me to change?", "Which of these should I adjust for you?"]
)
def test_an_open_question_after_an_answered_request_gets_the_next_one(question: str) -> None:
    change = "Put the fan on two, then."
    driver = player(
        "What are the climate settings?",
        LOOK,
        FAN.model_copy(update={"request": 1}),
        followups=(change,),
    )
    told = f"The fan is on level 4 and the temperature is 22 degrees on both sides. {question}"
    assert after(driver, told, ("get_climate_settings", {})).say == change


def test_an_admission_of_something_else_ends_nothing_before_the_request_was_made() -> None:
    mail = "And mail everyone in my winter market meeting that I bring the tent."
    driver = player(
        "Is there a toll on my route?",
        ROUTES,
        GUESTS,
        followups=(mail,),
        removed=("result.get_entries_from_calendar.meetings.attendees",),
    )
    turn = "Your route includes a toll road. How much the toll is, the navigation doesn't tell me."
    called: CarCall = ("get_routes_from_start_to_destination", {})
    assert after(driver, turn, called).say == mail
    assert (
        after(driver, "I'm sorry, the calendar doesn't tell me who takes part.").word
        == "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
    )


def test_a_right_plan_gets_the_whole_request_once_and_then_a_plain_yes() -> None:
    wants = (FAN, Want(tool="set_air_conditioning", arguments={"on": True}, request=0))
    opening = "Put the fan on two and switch the air conditioning on."
    for plan in ("put the fan on two", "put the fan on two and switch the air conditioning on"):
        driver = player(opening, *wants)
        assert after(driver, f"Shall I {plan}?").say == f"Yes, as I said: {opening}"
        assert after(driver, f"Shall I {plan}?").say == "Yes, please."


def test_a_claim_of_another_value_is_put_right() -> None:
    driver = player("Put the fan on two.", FAN)
    decision = after(driver, "I've set the fan to level 3.", ("set_fan_speed", {"level": 3}))
    assert decision.say == "No, 2, please."


def test_a_request_for_information_that_is_passed_over_is_made_again() -> None:
    opening = "Is there a toll on the way to Brno?"
    driver = player(opening, ROUTES)
    assert after(driver, "I've started the guidance for you.").say == opening
    told = "Yes, there is a toll of 9 euros on it."
    assert after(driver, told, ("get_routes_from_start_to_destination", {})).word == "STOP"


def test_a_mail_address_names_a_person() -> None:
    want = Want(
        tool="send_email",
        arguments={"content_message": "I bring the music."},
        names=("Clara Wenger",),
        request=0,
    )
    driver = player("Mail Clara Wenger that I bring the music.", want)
    turn = "May I send that to tobias.wenger@postbox.example?"
    assert not (after(driver, turn).say or "").startswith("Yes")


def test_a_report_of_what_was_done_is_no_proposal() -> None:
    light = Want(
        tool="set_ambient_lights", arguments={"on": True, "lightcolor": "ORANGE"}, request=0
    )
    driver = player("If it stays dry, make the ambient light orange.", light)
    turn = "It will be partly cloudy with no rain, so I've set the ambient light to orange."
    called: CarCall = ("set_ambient_lights", {"on": True, "lightcolor": "ORANGE"})
    assert after(driver, turn, called).word == "STOP"


def test_an_offer_of_another_choice_or_a_change_is_no_question() -> None:
    (offer,) = understand(
        "Tell me if you would like another route or the stop in Poznan taken out."
    )
    assert not offer.asks


MAIL = Want(
    tool="send_email",
    arguments={"content_message": "We will be there at 14:51."},
    names=("Evangeline Eisenmenger",),
)


@pytest.mark.parametrize(
    "proposal",
    [
        "It would read: Hello Evangeline, we will arrive in Aachen at 14:51. Shall I send it?",
        'The text is "We will be in Aachen at 14:51." Shall I send that, or change something?',
    ],
)
def test_a_mail_may_name_the_place_and_offer_a_change(proposal: str) -> None:
    driver = player("E-mail Evangeline Eisenmenger what time we're there.", MAIL)
    said = after(driver, f"I have an e-mail to Evangeline Eisenmenger. {proposal}").say
    assert said is not None
    assert said.startswith("Yes")


def test_where_to_go_may_be_asked_where_the_way_has_to_be_settled() -> None:
    script = Script(opening="I pay no tolls today.", followups=("Take me to Graz.",))
    brief = DriverBrief(instruction="", script=script, settle_alone="which route to take")
    driver = ScriptedDriver(brief)
    assert driver.after_turn("No tolls today. Where would you like to go?").word == "CONTINUE"


def test_an_answer_about_a_fact_is_none_to_what_is_proposed_with_it() -> None:
    seats = Answer(when=(r"\blena\b",), say="Lena sits beside me, Tom behind me.")
    driver = player("Which windows are open? And the fan on two.", FAN, answers=(seats,))
    turn = "Only Lena's window is open, all the others are shut, so should I put the fan on two?"
    assert after(driver, turn).say == "Yes, as I said: The fan on two."


def test_a_question_about_what_the_request_wants_gets_the_request_in_whatever_words() -> None:
    side = Want(tool="set_climate_temperature", arguments={"temperature": 21}, request=0)
    driver = player("My side like Lena's.", side)
    turn = "Gladly. What temperature does she have over there?"
    assert after(driver, turn).say == "My side like Lena's."


def test_of_roads_that_were_told_without_a_question_the_wanted_one_is_chosen() -> None:
    slow = Answer(when=(r"\bwhich route",), say="The one via B12 and B3, please.")
    go = Want(tool="set_new_navigation", names=("Bern",), request=0)
    driver = player("To Bern. Tell me what there is, I'll choose.", ROUTES, go, answers=(slow,))
    turn = "There's the A1 in two hours, and a quiet one by way of B12 and B3."
    decision = after(driver, turn, (ROUTES.tool, {}))
    assert decision.say == "The one via B12 and B3, please."


@pytest.mark.parametrize(
    "turn",
    [
        "The window behind you, which had to be closed, is shut by now; but since the strength of "
        "the air is a matter of taste, on which level would you have the fan?",
        "It is done with the window, which I have closed as the air conditioning wants it, and "
        "before I go on I should like to be told which level of the fan you prefer.",
    ],
)
def test_a_long_sentence_ends_with_its_question(turn: str) -> None:
    level = Answer(when=(r"\blevel\b",), say="Level two.")
    driver = player("Close the window, and the fan on.", FAN, answers=(level,))
    assert after(driver, turn).say == "Level two."


def test_what_suits_both_names_no_side() -> None:
    window = Want(
        tool="open_close_window", arguments={"window": "PASSENGER", "percentage": 20}, request=0
    )
    driver = player("Put her window at twenty percent.", window)
    said = after(driver, "I'd bring her window up to twenty percent, if that suits you both.").say
    assert said == "Yes, as I said: Put her window at twenty percent."


def test_what_is_so_now_is_no_part_of_the_plan() -> None:
    seat = Want(tool="set_seat_heating", arguments={"level": 2}, request=0)
    driver = player("My seat one level above hers.", seat)
    said = after(driver, "Hers just 1 now. So 2 for you?").say or ""
    assert not said.startswith("No")


def test_what_was_told_without_a_question_gets_an_answer_only_if_that_chooses_among_it() -> None:
    stop = Want(tool="navigation_delete_waypoint", request=0, names=("Olten",))
    answers = (Answer(when=(r"\bstops?\b",), say="Leave out Olten."),)
    driver = player("Leave one of the two stops out.", stop, answers=answers)
    told = "The stops on your trip are Olten and Chur."
    assert after(driver, told, ("get_current_navigation_state", {})).say == "Leave out Olten."
    fan = Answer(when=(r"\bfan\b",), say="On one.")
    driver = player("Another fan level, please.", FAN, answers=(fan,))
    told = "The fan can blow at five levels."
    said = after(driver, told, ("get_climate_settings", {})).say
    assert said == "As I said: Another fan level, please."


CASES = "If it rains there, e-mail Otto, otherwise the fan on two."


def test_what_is_wanted_in_one_case_is_never_said_without_the_other() -> None:
    driver = player(CASES, FAN)
    assert after(driver, "It rains. Shall I e-mail Otto?").say == f"No, thanks. As I said: {CASES}"
    driver = player(CASES, FAN)
    assert after(driver, "It stays dry. The fan on two then?").say == f"Yes, as I said: {CASES}"


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("We can't agree on the fan. Put it on two. And the light off.",
         "We can't agree on the fan. Put it on two."),
        ("Is the fan on? I only want to know.", "Is the fan on? I only want to know."),
        ("Is the fan on? Put the fan on two.", "Put the fan on two."),
    ],
)  # fmt: skip
def test_what_goes_on_about_the_thing_is_repeated_with_it(request_: str, said: str) -> None:
    driver = player(request_, FAN)
    assert after(driver, "The fan, then?").say == f"Yes, as I said: {said}"


def test_the_first_yes_says_what_is_wanted_although_the_proposal_names_nothing_of_it() -> None:
    driver = player("Cool me down with the fan on two, please.", FAN)
    assert (
        after(driver, "Shall I?").say == "Yes, as I said: Cool me down with the fan on two, please."
    )
    assert after(driver, "Shall I?").say == "Yes, please."


def test_of_a_wrong_value_in_one_case_the_right_one_is_not_given_away() -> None:
    driver = player(CASES, FAN)
    assert (
        after(driver, "It stays dry. The fan on three then?").say
        == f"No, that's not right. {CASES}"
    )


def test_what_is_done_in_part_is_not_asked_for_again_with_a_yes() -> None:
    lower = Want(tool="set_fan_speed", arguments={"level": 2}, request=0)
    driver = player("The fan one level down, and open the sunroof to 60 percent.", lower, ROOF)
    done: CarCall = ("set_fan_speed", {"level": 2})
    turn = "The fan is on two. Shall I open the sunroof to 60 percent?"
    assert after(driver, turn, done).say == "Yes, please."


@pytest.mark.parametrize(
    "turn",
    [
        "Shall I switch on the fog lights and the low beams for you now, which is what the rules "
        "ask for in a fog as thick as this one?",
        "Would you like me to put the fan on two and to open the sunroof to sixty percent, where "
        "it was when we left home early this morning?",
    ],
)
def test_a_relative_clause_is_no_question_of_its_own(turn: str) -> None:
    assert len(understand(turn)) == 1


@pytest.mark.parametrize(
    "turn",
    [
        "Do you still want the sunroof open, and if so, all the way?",
        "Shall I open the sunroof fully?",
    ],
)
def test_all_the_way_is_an_amount(turn: str) -> None:
    say = "The sunroof to 60 percent, please."
    driver = player("Open the sunroof.", ROOF, answers=(Answer(when=(r"\bpercent\b",), say=say),))
    assert after(driver, turn).say == f"No. {say}"
