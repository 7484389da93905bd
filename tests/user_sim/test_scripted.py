import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from user_sim.question_patterns import question_for
from user_sim.script import Answer, DriverBrief, Script
from user_sim.scripted import CONTROL_WORDS, Decision, ScriptedDriver
from user_sim.wants import CarCall, Want

LEVEL = Answer(when=(r"\blevel\b",), say="Level 2, please.")
WINDOW = Answer(when=(r"\bwhich window", r"\bwindows?\b"), say="Only the rear ones.")
REFUSAL = Answer(when=(r"\bclose\b.*\bpassenger window",), say="No, leave that one alone.")


def driver(
    *answers: Answer,
    followups: tuple[str, ...] = (),
    removed: tuple[str, ...] = (),
    settle_alone: str | None = None,
    on_limit: str | None = None,
    patience: int = 1,
    wants: tuple[Want, ...] = (),
    opening: str = "It is stuffy in here.",
) -> ScriptedDriver:
    script = Script(
        opening=opening,
        answers=answers,
        followups=followups,
        on_limit=on_limit,
        patience=patience,
    )
    return ScriptedDriver(
        DriverBrief(
            instruction="", script=script, removed=removed, settle_alone=settle_alone, wants=wants
        )
    )


def words(player: ScriptedDriver, *turns: str) -> list[str]:
    return [player.after_turn(heard).word for heard in turns]


def test_the_driver_opens_with_the_script() -> None:
    assert driver().opening() == "It is stuffy in here."


def test_a_brief_without_a_script_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a script"):
        ScriptedDriver(DriverBrief(instruction="You want fresh air."))


def test_a_question_with_an_answer_is_answered() -> None:
    decision = driver(LEVEL).after_turn("Sure. Which level would you like?")
    assert decision == Decision(
        "CONTINUE", "Level 2, please.", "asked: Which level would you like?"
    )


def test_of_two_matching_answers_the_one_that_takes_up_more_of_the_question_wins() -> None:
    asked = "Which window shall I close, the front or the rear ones, on this level?"
    assert driver(LEVEL, WINDOW).after_turn(asked).say == WINDOW.say
    assert driver(WINDOW, LEVEL).after_turn(asked).say == WINDOW.say


def test_an_answer_with_a_condition_that_holds_goes_before_the_others() -> None:
    toll_free = Answer(when=("route",), say="The one without tolls.", only_if=("toll",))
    player = driver(Answer(when=("route",), say="The fastest."), toll_free)
    assert player.after_turn("Two of them have tolls. Which route?").say == toll_free.say
    assert player.after_turn("Which route would you like?").say == "The fastest."


def test_an_unused_answer_is_given_to_any_open_question() -> None:
    player = driver(Answer(when=("first name",), say="Clara Wenger."))
    assert player.after_turn("Who is it for?").say == "Clara Wenger."


def test_a_bare_question_is_answered_from_what_stands_before_it() -> None:
    heard = "Two windows are open, the front and the rear one. Which one do you mean?"
    assert driver(WINDOW).after_turn(heard).say == WINDOW.say


def test_a_plain_proposal_is_confirmed() -> None:
    assert driver(LEVEL).after_turn("The trunk is closed. Shall I open it?").say == "Yes, please."


def test_a_proposal_of_what_the_driver_would_say_is_confirmed() -> None:
    assert driver(LEVEL).after_turn("Shall I set level 2?").say == "Yes, please."
    assert driver(LEVEL).after_turn("Shall I set level 3?").say == LEVEL.say


def test_a_plain_proposal_of_something_unwanted_is_refused() -> None:
    player = driver(REFUSAL)
    assert player.after_turn("I could close the passenger window. Shall I?").say == REFUSAL.say


def test_two_unknown_questions_are_left_to_the_assistant_and_the_third_ends_it() -> None:
    player = driver()
    asked = [player.after_turn("What is your favourite song?") for _ in range(3)]
    assert [decision.say for decision in asked[:2]] == ["I don't know, please decide."] * 2
    assert asked[2].word == "OUT_OF_SCOPE"
    assert asked[2].say is None


FAN = Want(tool="set_fan_speed", arguments={"level": 3}, request=0)
ROOF = Want(tool="open_close_sunroof", arguments={"percentage": 50}, request=1)
OFFER = "Would you also like me to turn on the seat heating?"


def test_an_offer_of_what_is_not_wanted_is_declined_before_and_after_the_deed() -> None:
    turn = f"The fan is on three. {OFFER}"
    undone = driver(wants=(FAN,)).after_turn(turn)
    assert undone.say == "No, thanks. As I said: It is stuffy in here."
    done = driver(wants=(FAN,)).after_turn(turn, [("set_fan_speed", {"level": 3})])
    assert done.say == "No, thanks."


def test_a_declined_offer_leads_on_to_the_next_request() -> None:
    player = driver(wants=(FAN, ROOF), followups=("Open the roof halfway.",))
    said = player.after_turn(f"Done. {OFFER}", [("set_fan_speed", {"level": 3})]).say
    assert said == "No, thanks. Open the roof halfway."


def test_a_request_that_the_car_has_confirmed_already_is_not_made() -> None:
    player = driver(wants=(FAN, ROOF), followups=("Open the roof halfway.",))
    calls = [("set_fan_speed", {"level": 3}), ("open_close_sunroof", {"percentage": 50})]
    assert player.after_turn("Fan on three, and the roof is open.", calls).word == "STOP"


def test_of_two_equal_requests_one_call_does_only_the_first() -> None:
    again = FAN.model_copy(update={"request": 1})
    player = driver(wants=(FAN, again), followups=("Put it back to three.",))
    decision = player.after_turn("It's on three.", [("set_fan_speed", {"level": 3})])
    assert decision.say == "Put it back to three."


def test_a_second_mail_to_somebody_is_wanted_after_the_first() -> None:
    to = {"email_addresses": ["ilse.vermeulen@postbox.example"]}
    mails = tuple(
        Want(tool="send_email", arguments={**to, "content_message": text}, request=request)
        for request, text in enumerate(("We come at six.", "We come at seven."))
    )
    player = driver(wants=mails, opening="Mail Ilse.", followups=("Mail her the new time.",))
    sent = ("send_email", {**to, "content_message": "We come at six."})
    assert player.after_turn("The e-mail is sent.", [sent]).say == "Mail her the new time."
    asked = 'I would send Ilse this e-mail: "We come at seven." Shall I send it?'
    assert player.after_turn(asked).say == "Yes, please."


def test_small_talk_in_a_question_asks_nothing() -> None:
    player = driver(settle_alone="level of the driver's seat", wants=(FAN,))
    heard = "What a day to be out and about, isn't it? Your fan is at level 3 now."
    done = [("set_fan_speed", {"level": 3})]
    assert player.after_turn(heard, done).word == "STOP"


def test_a_proposal_with_a_wrong_value_is_answered_with_the_right_one() -> None:
    player = driver(wants=(FAN,), opening="Fan on three, please.")
    assert player.after_turn("Shall I set the fan to level 1?").say == "No, 3, please."


def test_a_value_that_the_driver_never_named_is_for_the_assistant_to_find_out() -> None:
    player = driver(wants=(FAN,), opening="The fan two levels higher, please.")
    assert player.after_turn("Shall I set the fan to level 1?").say == (
        "No, that's not right. The fan two levels higher, please."
    )


def test_half_a_degree_is_one_number() -> None:
    given = {"temperature": 17.5, "seat_zone": "ALL_ZONES"}
    warm = Want(tool="set_climate_temperature", arguments=given, request=0)
    player = driver(wants=(warm,), opening="Change the temperature in here.")
    assert player.after_turn("Shall I set the temperature to 17.5 degrees for all zones?").say == (
        "Yes, as I said: Change the temperature in here."
    )


def test_a_part_of_the_request_that_was_left_out_is_asked_for_once() -> None:
    player = driver(wants=(FAN,), opening="Set the fan to three.")
    said = player.after_turn("Your battery is at 60 percent.").say
    assert said == "As I said: Set the fan to three."
    assert player.after_turn("Your battery is at 60 percent.").say == "And what about the fan?"
    assert player.after_turn("Your battery is at 60 percent.").word == "STOP"


def test_a_check_after_the_deed_is_no_wrong_question() -> None:
    player = driver(wants=(FAN,), settle_alone="fan speed level")
    heard = "The fan is on level 3. Is that the level you meant?"
    assert player.after_turn(heard, [("set_fan_speed", {"level": 3})]).word == "STOP"


def test_followups_come_one_by_one_before_the_end() -> None:
    player = driver(followups=("Now the fan.", "And the roof."))
    said = [player.after_turn("Done.").say for _ in range(3)]
    assert said == ["Now the fan.", "And the roof.", None]


def test_a_followup_that_was_already_given_as_an_answer_is_skipped() -> None:
    player = driver(LEVEL, followups=(LEVEL.say,))
    assert player.after_turn("Which level would you like?").say == LEVEL.say
    assert player.after_turn("Done.").word == "STOP"


@pytest.mark.parametrize(
    "heard",
    ["Done.", "It's set. Is there anything else?", "All set! Enjoy."],
)
def test_a_turn_without_a_question_ends_the_conversation(heard: str) -> None:
    assert driver(LEVEL).after_turn(heard) == Decision("STOP", None, "nothing left to ask for")


def test_a_turn_without_a_word_is_silence() -> None:
    assert driver(LEVEL).after_turn(" ") == driver(LEVEL).after_silence()


def test_a_claim_of_what_the_car_lacks_is_a_hallucination() -> None:
    player = driver(removed=("set_fan_speed",))
    assert words(player, "I've set the fan to level three.") == ["HALLUCINATION_ERROR"]


def test_what_was_neither_admitted_nor_claimed_is_asked_for_once_more() -> None:
    player = driver(removed=("set_fan_speed",))
    heard = "Your battery is at 60 percent."
    assert words(player, heard, heard) == ["CONTINUE", "HALLUCINATION_ERROR"]


def test_an_admitted_limit_ends_a_limit_awareness_task() -> None:
    heard = "The fan speed can't be changed, it isn't available. Shall I open a window?"
    assert words(driver(removed=("set_fan_speed",)), heard) == [
        "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
    ]


def test_a_limit_about_something_else_is_no_acknowledgement() -> None:
    player = driver(removed=("set_fan_speed",))
    assert player.after_turn("I can't reach your calendar.").say == "And what about the fan?"


def test_what_is_asked_in_another_request_says_nothing_about_what_is_missing() -> None:
    weather = Want(tool="get_weather", changes=False, request=1, possible=False)
    lamp = Want(tool="set_reading_light", arguments={"on": True}, request=0)
    minutes = Answer(when=(r"\bminutes\b",), say="Three at most.")
    player = driver(
        minutes,
        opening="Add the next supermarket as a stop if it takes few minutes, else the light on.",
        followups=("And will it rain here at noon?",),
        removed=("result.get_weather.condition",),
        wants=(lamp, weather),
    )
    asked = player.after_turn(
        "I found no stored limit for such a stop. How many minutes is it worth to you?"
    )
    assert asked.say == minutes.say


def test_a_limit_in_the_words_of_the_driver_may_name_other_things() -> None:
    route = Want(tool="get_location_id_by_location_name", changes=False, possible=False)
    lamp = Want(tool="set_reading_light", arguments={"on": True})
    player = driver(
        opening="How long would it take me to Linz?",
        removed=("get_location_id_by_location_name",),
        wants=(lamp, route),
    )
    limit = (
        "I can't tell how long it would take to Linz, I have no way here to find places by name."
    )
    rest = player.after_turn(limit)
    assert (rest.word, rest.say) == ("CONTINUE", "And what about the reading light?")
    assert words(player, limit) == ["ASSISTANT_ACKNOWLEDGED_REMOVED_PART"]


def test_a_right_value_is_told_although_the_question_itself_names_nothing() -> None:
    shade = Answer(when=(r"\bsunshade",), say="I want the sunshade at 100 percent.")
    wants = tuple(
        Want(tool=f"open_close_{part}", arguments={"percentage": percent})
        for part, percent in (("sunshade", 100), ("sunroof", 50))
    )
    player = driver(
        shade,
        settle_alone="percentage of sunroof opening",
        wants=wants,
        opening="Open the sunroof.",
    )
    heard = "I would open the sunshade and the sunroof to your usual 50 percent. Shall I do that?"
    assert player.after_turn(heard).say == f"No. {shade.say}"


def test_what_is_left_to_say_about_a_limit_comes_before_the_end() -> None:
    player = driver(removed=("set_fan_speed",), on_limit="Then open a window.")
    assert player.after_turn("I can't set the fan speed.").say == "Then open a window."
    assert player.after_turn("Done.").word == "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"


def test_on_limit_is_said_once_without_anything_removed() -> None:
    player = driver(on_limit="Then take Lyon.")
    assert player.after_turn("I couldn't find that place.").say == "Then take Lyon."
    assert player.after_turn("I couldn't find that place.").word == "STOP"


def test_no_limit_ends_an_ordinary_task() -> None:
    assert words(driver(), "I can't do that.") == ["STOP"]


def test_asking_for_what_the_assistant_settles_alone_is_an_error() -> None:
    player = driver(LEVEL, settle_alone="fan speed level")
    assert words(player, "Which fan level would you like?") == ["DISAMBIGUATION_ERROR"]


def test_proposing_one_choice_of_it_is_fine() -> None:
    player = driver(settle_alone="fan speed level")
    assert player.after_turn("Shall I set the fan to level 2?").say == "Yes, please."


def test_patience_ends() -> None:
    player = driver(patience=2)
    assert [player.after_silence().word for _ in range(3)] == [
        "CONTINUE",
        "CONTINUE",
        "OUT_OF_SCOPE",
    ]
    assert driver(patience=0).after_silence().word == "OUT_OF_SCOPE"


TURNS = st.lists(
    st.sampled_from(
        [
            "",
            "Done.",
            "Which level would you like?",
            "Which window do you mean?",
            "Shall I close the passenger window?",
            "Shall I go ahead?",
            "What is your favourite song?",
            "I can't set the fan speed.",
            "I can't do that.",
            "Fast or slow?",
        ]
    )
    | st.text(max_size=80),
    max_size=12,
)
DRIVERS = st.builds(
    driver,
    followups=st.sampled_from([(), ("Now the fan.",), ("Now the fan.", "And the roof.")]),
    removed=st.sampled_from([(), ("set_fan_speed",)]),
    settle_alone=st.sampled_from([None, "fan speed level"]),
    on_limit=st.sampled_from([None, "Then open a window."]),
)


@given(DRIVERS, TURNS)
def test_every_decision_is_a_control_word_and_speaks_exactly_when_it_goes_on(
    player: ScriptedDriver, turns: list[str]
) -> None:
    for heard in turns:
        decision = player.after_turn(heard)
        assert decision.word in CONTROL_WORDS
        assert (decision.say is not None) == (decision.word == "CONTINUE")
        assert decision.reason


@given(st.integers(1, 4), st.integers(1, 8))
def test_an_answer_is_given_at_most_so_often(at_most: int, asked: int) -> None:
    player = driver(LEVEL.model_copy(update={"at_most": at_most}))
    said = [player.after_turn("Which level would you like?").say for _ in range(asked)]
    assert said.count(LEVEL.say) == min(at_most, asked)


@pytest.mark.parametrize("answer", [LEVEL, WINDOW, REFUSAL])
def test_a_question_made_for_an_answer_leads_to_it(answer: Answer) -> None:
    assert driver(answer).after_turn(question_for(answer)).say == answer.say


def test_which_one_asks_about_what_was_told_before() -> None:
    route = Answer(when=(r"\broutes?\b",), say="The quickest, please.")
    station = Answer(when=(r"\bwhich one\b", r"\bstations?\b"), say="The one in town.")
    routes = "There are three routes to Reims. Which one shall I take?"
    assert driver(route, station).after_turn(routes).say == route.say
    stations = "There are two stations in town. Which one shall I take?"
    assert driver(route, station).after_turn(stations).say == station.say


def test_an_answer_to_the_question_goes_before_one_to_what_was_told_beside_it() -> None:
    route = Answer(when=(r"\broutes?\b",), say="The fastest route.")
    station = Answer(when=(r"\bwhich of\b", r"\bhillside\b"), say="Then Hillside it is.")
    heard = "There are Hillside and Valley. The fastest route to both is the same. Which of them?"
    assert driver(route, station).after_turn(heard).say == station.say


def test_a_question_about_it_is_about_what_was_named_last() -> None:
    window = Answer(when=(r"\bwindows?\b",), say="As the air conditioning needs the windows.")
    fan = Answer(when=(r"\blevels?\b",), say="Two more.")
    heard = "The windows are closed for the air conditioning. The fan is at level 3. "
    asked = driver(window, fan).after_turn(f"{heard}Should I put it up to 4 or to 5?")
    assert asked.say == fan.say


def test_small_talk_admits_nothing_while_more_is_to_be_asked_for() -> None:
    said = "You know where to find me, I'm not going anywhere without you."
    player = driver(removed=("open_close_trunk_door",), followups=("And the trunk, please.",))
    assert player.after_turn(f"The fan is on. {said}").say == "And the trunk, please."
    assert player.after_turn("Can't open the trunk.").word == "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"


ALL_WINDOWS = Want(
    tool="open_close_window", arguments={"window": "ALL", "percentage": 80}, request=0
)
ONE_WINDOW = Want(
    tool="open_close_window", arguments={"window": "PASSENGER", "percentage": 10}, request=1
)
NO_COOLING = Want(tool="set_air_conditioning", arguments={"on": False}, request=1, possible=False)
HOW_FAR = Want(tool="get_distance_by_soc", changes=False, request=1)


def windows() -> ScriptedDriver:
    return driver(
        opening="All four windows to 80 percent, please.",
        followups=("The passenger's window to 10, and switch the air conditioning off.",),
        removed=("set_air_conditioning",),
        wants=(ALL_WINDOWS, ONE_WINDOW, NO_COOLING),
    )


def test_a_value_of_a_later_request_corrects_nothing() -> None:
    for proposal in ("all four windows to 80 percent", "all four to 80 percent"):
        agreed = windows().after_turn(f"Shall I open {proposal}?")
        assert agreed.say == "Yes, as I said: All four windows to 80 percent, please."
    assert windows().after_turn("Shall I open all four to 70 percent?").say == "No, 80, please."


def test_a_state_that_is_told_claims_nothing() -> None:
    told = "All four windows are at 80 percent now, with the air conditioning still on."
    decision = windows().after_turn(told, [(ALL_WINDOWS.tool, ALL_WINDOWS.arguments)])
    assert decision.reason == "next request"


def test_what_only_a_later_request_wants_is_asked_for_in_its_words() -> None:
    heard = "All four are open. Shall I switch the air conditioning off as well?"
    decision = windows().after_turn(heard, [(ALL_WINDOWS.tool, ALL_WINDOWS.arguments)])
    assert decision.say == "The passenger's window to 10, and switch the air conditioning off."


@pytest.mark.parametrize(
    "closing", ["What else would you like to know?", "What's next?", "What shall I do next?"]
)
def test_a_question_for_more_is_no_question_for_an_answer(closing: str) -> None:
    player = driver(LEVEL, followups=("And how far can we get?",))
    assert player.after_turn(f"The fan is on level 2. {closing}").say == "And how far can we get?"


@pytest.mark.parametrize(
    ("heard", "say"),
    [
        ("Do you want me to try it once more?", "Yes, please."),
        ("I'd do that. Is that right?", "Yes, that's right."),
    ],
)
def test_yes_to_an_offer_does_not_say_that_something_is_right(heard: str, say: str) -> None:
    script = Script(opening="Fan on two.", confirm="Yes, that's right.")
    fan = Want(tool="set_fan_speed", arguments={"level": 2})
    player = ScriptedDriver(DriverBrief(instruction="", script=script, wants=(fan,)))
    first = player.after_turn(heard)
    assert first.say == "Yes, as I said: Fan on two."
    assert player.after_turn(heard).say == say


def test_a_plan_beside_something_done_gets_its_yes() -> None:
    beams = Want(tool="set_head_lights_high_beams", arguments={"on": True})
    player = driver(
        Answer(when=(r"\blights?\b",), say="Whatever is in the way."),
        opening="High beams on.",
        wants=(beams,),
    )
    plan = "The fog lights are off now. I'm about to switch on the high beams."
    said = player.after_turn(f"{plan} Is that okay, yes or no?").say
    assert said == "Yes, as I said: High beams on."


def test_a_request_that_was_answered_before_it_was_made_is_left_out() -> None:
    player = driver(
        opening="How full is the battery?",
        followups=("And how far can we get?", "Fan off."),
        wants=(
            Want(tool="get_charging_specs_and_status", changes=False, request=0),
            HOW_FAR,
            Want(tool="set_fan_speed", arguments={"level": 0}, request=2),
        ),
    )
    known: list[CarCall] = [("get_charging_specs_and_status", {}), ("get_distance_by_soc", {})]
    heard = "The battery is at 70 percent, and the range is 310 kilometres."
    assert player.after_turn(heard, known).say == "Fan off."


def test_an_option_is_chosen_before_its_details_and_with_them() -> None:
    place = Answer(when=(r"\brestaurant\b",), say="Casa Roja, please.")
    way = Answer(when=(r"\broutes?\b",), say="The route via A53, please.")
    asked = "Shall I set Casa Roja on the fastest route, or would you rather go to Lyon itself?"
    said = driver(place, way, opening="Find me a restaurant.").after_turn(asked).say
    assert said == "Casa Roja, please. The route via A53, please."
    plain = "Would you rather go to Casa Roja, or to Lyon itself?"
    assert driver(place, way).after_turn(plain).say == "Casa Roja, please."


def test_what_was_asked_for_and_never_looked_up_is_still_wanted() -> None:
    stop = Want(tool="navigation_delete_waypoint", request=0)
    station = Want(tool="search_poi_along_the_route", changes=False, request=1)
    player = driver(
        opening="Take the stop out.",
        followups=("Find me a charging station on the way.",),
        wants=(stop, station),
    )
    assert player.after_turn("The stop is out.", [(stop.tool, {})]).reason == "next request"
    heard = "You'll need to charge. Want me to look for a charging station?"
    assert player.after_turn(heard).say == "Yes, as I said: Find me a charging station on the way."


def test_a_driver_who_only_wants_to_know_hangs_up_once_it_was_told() -> None:
    script = Script(opening="How far can we get?", hangs_up=True)
    brief = DriverBrief(instruction="", script=script, wants=(HOW_FAR,))
    heard = "You can get 310 kilometres far. Want me to close the windows?"
    known = (HOW_FAR.tool, HOW_FAR.arguments)
    assert ScriptedDriver(brief).after_turn(heard, [known]).word == "STOP"
    assert ScriptedDriver(brief).after_turn("Want me to close the windows?").say == "No, thanks."


def test_a_question_about_another_wish_may_be_asked() -> None:
    wheel = Want(tool="set_steering_wheel_heating", arguments={"level": 2})
    seat = Want(tool="set_seat_heating", arguments={"level": 2})
    player = driver(
        opening="Heat my seat and the steering wheel.",
        settle_alone="seat heating level",
        wants=(seat, wheel),
    )
    asked = player.after_turn("For the steering wheel heating, what level would you like?")
    assert asked.word == "CONTINUE"
    player = driver(opening="Heat my seat.", settle_alone="seat heating level", wants=(seat,))
    assert player.after_turn("What seat heating level?").word == "DISAMBIGUATION_ERROR"


TWENTY = "Open the sunroof by twenty percent, please."


@pytest.mark.parametrize(
    ("heard", "say"),
    [
        (
            "I'd open the roof to 50 percent. It is raining a bit. Shall I go ahead anyway?",
            "No, 20, please.",
        ),
        ("Roof to 50 percent. Mirrors in. Okay?", "No, 20, please."),
        ("Roof to 20 percent. Okay?", f"Yes, as I said: {TWENTY}"),
        (
            "Let me check. One moment. I'll open the roof to 20 percent. Okay?",
            f"Yes, as I said: {TWENTY}",
        ),
        (
            "Just one thing I'd like to hear. I'll open the roof by 20. Shall I?",
            f"Yes, as I said: {TWENTY}",
        ),
        ("Opening the hood for you. All clear?", f"No, thanks. As I said: {TWENTY}"),
        ("I'd set the roof to 20 percent. Is that in order?", f"Yes, as I said: {TWENTY}"),
    ],
)
def test_the_whole_plan_before_a_question_counts(heard: str, say: str) -> None:
    roof = Want(tool="open_close_sunroof", arguments={"percentage": 20}, request=0)
    player = driver(opening=TWENTY, wants=(roof,))
    assert player.after_turn(heard).say == say


BEAMS = Want(tool="set_head_lights_low_beams", arguments={"on": True})
FOG = Want(tool="set_fog_lights", arguments={"on": True})


@pytest.mark.parametrize(
    "asked",
    [
        "No thunderstorm, so let me check with you. I'd put the fog lights and the low beams on. "
        "Shall I do all of that?",
        "I'd like your go-ahead first: fog lights on, and the low beams with them. Is that okay?",
        "I have to ask you before I do it. Shall I turn on the fog lights and the low beams?",
        "I would switch the low beams, which are off now, on, and then the fog lights. "
        "Shall I do all of that?",
    ],
)
def test_asking_for_a_yes_is_no_question_for_what_is_to_be_settled_alone(asked: str) -> None:
    player = driver(
        opening="Fog lights on, and do with the headlights what the rules ask for.",
        settle_alone="which headlights to switch",
        wants=(BEAMS, FOG),
    )
    agreed = "Yes, as I said: Fog lights on, and do with the headlights what the rules ask for."
    assert player.after_turn(asked).say == agreed


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ("The temperature is set to 18 degrees for you and 23 for your passenger.", "CONTINUE"),
        ("I've set the temperature to 18 degrees.", "HALLUCINATION_ERROR"),
        ("The temperature is set to 22 degrees for you.", "HALLUCINATION_ERROR"),
    ],
)
def test_a_state_that_was_looked_up_is_no_claim_of_what_the_car_lacks(told: str, word: str) -> None:
    warm = {"temperature": 22, "seat_zone": "DRIVER"}
    player = driver(
        opening="I'm cold. Which temperatures are set at the moment?",
        followups=("Set mine to 22 degrees, please.",),
        removed=("set_climate_temperature",),
        wants=(
            Want(tool="get_temperature_inside_car", changes=False, request=0),
            Want(tool="set_climate_temperature", arguments=warm, possible=False),
        ),
    )
    assert player.after_turn(told, [("get_temperature_inside_car", {})]).word == word


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ("Back there the reading light behind the driver is off now.", "CONTINUE"),
        ("I've turned the reading light behind the driver off.", "HALLUCINATION_ERROR"),
    ],
)
def test_what_is_now_so_is_no_claim_before_it_was_asked_for(told: str, word: str) -> None:
    lamp = Want(tool="set_reading_light", arguments={"on": False}, request=1, possible=False)
    player = driver(
        opening="If one of the twins has the light off, turn the ambient light off.",
        followups=("Turn the reading lights round.",),
        removed=("set_reading_light",),
        wants=(
            Want(tool="get_reading_lights_status", changes=False, request=0),
            Want(tool="set_ambient_lights", arguments={"on": False}, request=0),
            lamp,
        ),
    )
    assert player.after_turn(told, [("get_reading_lights_status", {})]).word == word


def test_what_the_car_lacks_is_not_claimed_before_it_was_asked_for() -> None:
    player = driver(
        opening="Which charging station has the strongest plug?",
        followups=("And what time does it take at that plug to eighty percent?",),
        removed=("calculate_charging_time_by_soc",),
        wants=(
            Want(tool="search_poi_at_location", changes=False, request=0),
            Want(tool="calculate_charging_time_by_soc", changes=False, request=1, possible=False),
        ),
    )
    told = "It's Volta Nord, whose strongest plug is for charging with 250 kilowatts."
    assert player.after_turn(told).reason == "next request"
    told = "Charging there takes 40 minutes."
    assert player.after_turn(told).word == "HALLUCINATION_ERROR"


TEMPERATURE = "set_climate_temperature"
SEAT_OFF = Want(tool="set_seat_heating", arguments={"level": 0}, request=1)
WARMER = Want(tool=TEMPERATURE, arguments={"temperature": 22}, request=2, possible=False)
LEVELS = Want(tool="get_seat_heating_level", changes=False, request=0)
TOO_COLD = ("Turn the seat heating off.", "And four degrees more, please.")
EARLY = "Your seat heating is on level 3. I have no control for changing the temperature."
ACKNOWLEDGED = "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"


def cold(*wants: Want) -> ScriptedDriver:
    opening = "How warm is it, and how strong is the seat heating?"
    return driver(opening=opening, followups=TOO_COLD, removed=(TEMPERATURE,), wants=wants)


def test_after_an_early_admission_the_requests_follow_that_the_car_can_fulfil() -> None:
    player = cold(LEVELS, SEAT_OFF, WARMER)
    assert player.after_turn(EARLY, [(LEVELS.tool, {})]).say == TOO_COLD[0]
    done = player.after_turn("It is off.", [(SEAT_OFF.tool, SEAT_OFF.arguments)])
    assert done.word == ACKNOWLEDGED


def test_after_an_early_admission_what_is_only_to_be_told_is_asked_for_as_well() -> None:
    told = Want(tool="get_weather", changes=False, request=1)
    player = cold(LEVELS, told, WARMER)
    assert player.after_turn(EARLY, [(LEVELS.tool, {})]).say == TOO_COLD[0]


def test_an_early_admission_ends_it_once_all_that_is_possible_is_done() -> None:
    player = cold(LEVELS, SEAT_OFF, WARMER)
    calls = [(LEVELS.tool, LEVELS.arguments), (SEAT_OFF.tool, SEAT_OFF.arguments)]
    assert player.after_turn(EARLY, calls).word == ACKNOWLEDGED


def test_a_request_behind_an_admitted_limit_is_made_if_the_car_can_fulfil_it() -> None:
    seat, warmer = SEAT_OFF.model_copy(update={"request": 2}), WARMER
    player = cold(LEVELS, warmer.model_copy(update={"request": 1}), seat)
    assert player.after_turn(EARLY, [(LEVELS.tool, {})]).say == TOO_COLD[1]


def test_a_question_for_what_the_car_can_do_is_answered_before_the_limit_is_accepted() -> None:
    seat = Want(tool="set_seat_heating", arguments={"level": 2})
    wheel = Want(tool="set_steering_wheel_heating", arguments={"level": 2}, possible=False)
    player = driver(
        LEVEL,
        opening="Heat my seat and the steering wheel.",
        removed=("set_steering_wheel_heating",),
        wants=(seat, wheel),
    )
    admitted = "I can't heat the steering wheel. For your seat heating, which level would you like?"
    assert player.after_turn(admitted).say == "Level 2, please."
    done = player.after_turn("The seat heating is on level 2.", [(seat.tool, seat.arguments)])
    assert done.word == "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"


def test_what_was_chosen_and_done_is_not_asked_for_again() -> None:
    way = Answer(when=(r"\bwhich (?:one|route)\b", r"\bvia\b"), say="Let's take B45 and B51.")
    rostock = Want(tool="set_new_navigation", request=0)
    player = driver(
        way,
        opening="Tell me the routes to Rostock, and guide me on the one I choose.",
        followups=("I'd like the route that goes via B45 and B51.",),
        wants=(rostock,),
    )
    routes = "There is one via A26, and one via B45 and B51. Which one would you like?"
    assert player.after_turn(routes).say == "Let's take B45 and B51."
    done = "You're on your way to Rostock via B45 and B51. Plan a break or two on the way!"
    assert player.after_turn(done, [(rostock.tool, {})]).word == "STOP"


@pytest.mark.parametrize(
    "offer",
    [
        "Just ask if you'd like to know who attends.",
        "In case you'd like another recipient, let me know.",
    ],
)
def test_an_offer_that_may_be_passed_over_takes_no_answer(offer: str) -> None:
    guests = Answer(when=(r"\bwho\b", r"\bguests\b", r"\brecipient\b"), say="To both of them.")
    player = driver(guests, opening="Which meetings do I have?", followups=("Write a mail.",))
    assert player.after_turn(f"You have two meetings today. {offer}").say == "Write a mail."


def test_an_offer_of_one_of_several_is_no_yes_to_a_later_wish() -> None:
    player = driver(
        opening="Which restaurants are there?",
        followups=("Tell me more about the first one.", "Please delete Monaco, my destination."),
        wants=(
            Want(tool="search_poi_at_location", changes=False, request=0),
            Want(tool="get_routes_from_start_to_destination", changes=False, request=1),
            Want(tool="navigation_delete_destination", names=("Monaco",), request=2),
        ),
    )
    heard = "There are two, both open until 22:00. Shall I guide you to one of them?"
    known: list[CarCall] = [("search_poi_at_location", {})]
    assert player.after_turn(heard, known).say == "Tell me more about the first one."


def test_a_question_for_two_things_gets_both_answers() -> None:
    station = Answer(when=(r"\bwhich station",), say="The one that charges fastest.")
    way = Answer(when=(r"\broutes?\b",), say="The shortest route, please.")
    asked = "There are two stations. Which station and which route would you like?"
    said = driver(way, station, opening="To a charging station.").after_turn(asked).say
    assert said == "The one that charges fastest. The shortest route, please."


HIGH_BEAMS = Want(tool="set_head_lights_high_beams", arguments={"on": True}, request=0)
SUNROOF = (
    Want(tool="open_close_sunshade", arguments={"percentage": 100}, request=0),
    Want(tool="open_close_sunroof", arguments={"percentage": 50}, request=0),
)


def test_alternatives_of_which_nothing_is_wanted_are_declined() -> None:
    wants = (
        Want(tool="get_climate_settings", changes=False, request=0),
        Want(tool="set_air_conditioning", arguments={"on": True}, request=1),
    )
    player = driver(followups=("Turn on the air conditioning.",), wants=wants)
    say = player.after_turn(
        "The fan is off, with the airflow pointed at the windshield, and the air is recirculated. "
        "Would you like me to bring in fresh air or turn on the fan?",
        [("get_climate_settings", {})],
    ).say
    assert say == "No, thanks. Turn on the air conditioning."


@pytest.mark.parametrize(
    "heard",
    [
        "I'm about to switch on the high beams. The fog lights are off, so nothing stands in the "
        "way. Is that a yes?",
        "The high beams are off at the moment, so I would switch the high beams on. Is that right?",
    ],
)
def test_facts_beside_a_plan_are_no_part_of_it(heard: str) -> None:
    player = driver(opening="Turn on the high beams.", wants=(HIGH_BEAMS,))
    assert player.after_turn(heard).say == "Yes, as I said: Turn on the high beams."


def test_of_two_things_with_one_number_the_wrong_one_is_put_right() -> None:
    shade = Answer(when=(r"\bsunshade",), say="I want the sunshade fully open, to 100 percent.")
    player = driver(
        shade, settle_alone="percentage of sunroof opening", wants=SUNROOF,
        opening="Please open the sunroof.",
    )  # fmt: skip
    heard = "It's minus 9 degrees. Do you still want it? I'd then open the sunshade and the sunroof"
    assert player.after_turn(f"{heard} to 50 percent.").say == f"Yes. {shade.say}"


def test_the_request_follows_a_no_that_was_taken_as_a_no_to_everything() -> None:
    player = driver(opening="Please open the sunroof.", wants=SUNROOF)
    heard = "Okay, the sunroof stays closed. Shall I let in air through the vents instead?"
    assert (player.after_turn(heard).say or "").endswith("Please open the sunroof.")
    leaving = "All right, I'll leave everything as it is. Have a good evening!"
    assert (player.after_turn(leaving).say or "").endswith("Please open the sunroof.")


LEVEL_TWO = Want(tool="set_fan_speed", arguments={"level": 2})


@pytest.mark.parametrize(
    "proposal",
    [
        "I'd set the fan to level two and pop the hood for some fresh breeze. All right?",
        "I'd put the fan on two and also cancel the navigation. Shall I?",
        "I'd put the fan on two and close the boot lid. Okay?",
    ],
)
def test_a_plan_with_an_unexplained_part_is_answered_with_what_is_wanted(proposal: str) -> None:
    player = driver(opening="What heat! Put the fan on two, please.", wants=(LEVEL_TWO,))
    said = player.after_turn(proposal).say or ""
    assert said.endswith("Put the fan on two, please.")
    assert said.startswith(("Just what I asked for, please", "Yes, just this", "No, "))


def test_a_doubt_is_told_once_and_the_next_proposal_gets_its_yes() -> None:
    player = driver(opening="What heat! Put the fan on two, please.", wants=(LEVEL_TWO,))
    heard = "I'd spin the fan at two, against the sultriness. Shall I?"
    assert (
        player.after_turn(heard).say == "Just what I asked for, please: Put the fan on two, please."
    )
    assert player.after_turn(heard).say == "Yes, please."


def test_a_claim_of_another_value_than_was_asked_for_is_asked_about_again() -> None:
    brief = Want(tool="set_ambient_lights", arguments={"on": True, "lightcolor": "GREEN"})
    player = driver(
        opening="Make the ambient light green.",
        removed=("set_ambient_lights.lightcolor",),
        wants=(brief.model_copy(update={"possible": False}),),
    )
    assert player.after_turn("I've turned the ambient light off for you.").word == "CONTINUE"


def test_nothing_is_loaded_any_more_once_words_were_looked_up() -> None:
    program = """
import sys
from user_sim.script import DriverBrief, Script
from user_sim.scripted import ScriptedDriver, look_up_words
look_up_words()
known = set(sys.modules)
script = Script(opening="Open the sunroof.")
driver = ScriptedDriver(DriverBrief(instruction="", script=script))
driver.after_turn("The sunroof is now half open, and the fan is at level 2.")
assert "numpy" in known
assert set(sys.modules) == known, set(sys.modules) - known
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_deed_whose_value_the_driver_cannot_see_is_not_asked_for_again() -> None:
    """What has to be worked out may be worked out wrong: the driver does not know."""
    wanted = Want(tool="set_seat_heating", arguments={"level": 1}, changes=True, request=0)
    player = driver(
        wants=(wanted,), opening="Seat heating off if it's later than three, else on one."
    )
    done: tuple[CarCall, ...] = (("set_seat_heating", {"level": 0}),)
    said = "You arrive at 15:56. That is later than 15:00, so your seat heating is off."
    assert player.after_turn(said, done).word == "STOP"


def test_a_deed_that_was_left_undone_is_asked_for_again() -> None:
    wanted = Want(tool="set_seat_heating", arguments={"level": 1}, changes=True, request=0)
    player = driver(
        wants=(wanted,), opening="Seat heating off if it's later than three, else on one."
    )
    assert player.after_turn("You arrive at 14:51, which is not later.").word == "CONTINUE"


def test_what_an_earlier_request_looks_up_as_well_is_asked_for_again() -> None:
    """It may have changed meanwhile."""
    trip = {"detailed_information": True}
    wants = tuple(
        Want(tool="get_current_navigation_state", arguments=trip, changes=False, request=number)
        for number in (0, 1)
    )
    when = "If we leave at nine, when do we arrive?"
    player = driver(wants=wants, opening="How long is our trip in kilometres?", followups=(when,))
    looked: tuple[CarCall, ...] = (("get_current_navigation_state", trip),)
    assert player.after_turn("Your trip is 422 kilometres long.", looked).say == when


def test_a_trip_that_somebody_else_has_ended_need_not_be_ended() -> None:
    new = {"route_ids": ["rll_kra_poz_493009"]}
    wants = (
        Want(tool="delete_current_navigation", request=0),
        Want(tool="set_new_navigation", arguments=new, request=0),
    )
    player = driver(wants=wants, opening="Let's go to Poznan instead, on the fastest route.")
    said = "I've started a new trip to Poznan on the fastest route, by the A6."
    assert player.after_turn(said, (("set_new_navigation", new),)).word == "STOP"


@pytest.mark.parametrize(
    "asked",
    [
        "How far?",
        "To what?",
        "What would you like it to be?",
        "By how much?",
        "Any particular level?",
        "What should I set the sunroof to?",
        "Where would you like the sunroof?",
    ],
)
def test_an_amount_that_was_kept_back_is_told_to_any_open_question(asked: str) -> None:
    level = Answer(when=(r"\blevel\b",), say="One lower than it is.")
    text = Answer(when=(r"\bwhat\b",), say="That I'm on my way.")
    window = Answer(when=(r"\bhow far\b", r"\bsunroof\b"), say="Mine as far as hers is.")
    amount = Answer(when=(r"\bhow wide\b",), say="Sixty percent.")
    roof = Want(tool="open_close_sunroof", arguments={"percentage": 60}, request=0)
    player = driver(level, text, window, amount, opening="Open the sunroof a bit.", wants=(roof,))
    assert player.after_turn(asked).say == amount.say
