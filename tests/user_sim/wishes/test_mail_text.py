"""Which mails that are read out the driver agrees to, and what is said instead of yes."""

import pytest

from user_sim.script import DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import Want

YES = "Yes, please."
FAN_OFF = Want(tool="set_fan_speed", arguments={"level": 0}, request=0)
HOW_LONG = "How long's the drive? And the fan off, please."
WHEN = "We leave at half past nine, no rest. When do we arrive?"
MAIL_IT = "Then e-mail Bartholomew Grunewald when we arrive."
NOT_RIGHT = "No, that's not right. E-mail Bartholomew Grunewald when we arrive."
BAKERY = "Write Octavian Papadakis where we buy bread."


def mail(text: str, to: str = "Bartholomew Grunewald", request: int = 2) -> Want:
    return Want(
        tool="send_email", arguments={"content_message": text}, names=(to,), request=request
    )


ARRIVAL = mail("We will arrive at 13:10.")


def driver(*wants: Want, requests: tuple[str, ...] = (HOW_LONG, WHEN, MAIL_IT)) -> ScriptedDriver:
    script = Script(opening=requests[0], followups=requests[1:])
    return ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants))


def asked_to_mail() -> ScriptedDriver:
    """A driver who has made all requests, the last one for the mail."""
    player = driver(FAN_OFF, ARRIVAL)
    player.after_turn("It takes 3 hours 40. The fan is off.", [("set_fan_speed", {"level": 0})])
    assert player.after_turn("You arrive at 13:10.").say == MAIL_IT
    return player


@pytest.mark.parametrize(
    "text",
    [
        "We will be there at ten past one.",
        "Hello Bartholomew, we leave at 9:30 and arrive at 13:10.",
        "We're off at half past nine, drive 3 hours 40 without a rest and arrive at 1:10 pm.",
    ],
)
def test_a_mail_with_more_true_facts_gets_its_yes(text: str) -> None:
    asked = f'I\'d write to Bartholomew Grunewald: "{text}" Shall I send it?'
    assert asked_to_mail().after_turn(asked).say == YES


@pytest.mark.parametrize(
    "proposal",
    [
        'I\'d write to Bartholomew Grunewald: "We arrive at 12:55." Shall I send it?',
        'To Bartholomew Grunewald: "We leave at 9:50 and arrive at 13:10." Shall I send it?',
        'To Bartholomew Grunewald: "We are on the road, see you soon." Shall I send it?',
        "I'd send Bartholomew Grunewald an e-mail that you will arrive at 12:55. Shall I send it?",
    ],
)
def test_a_mail_with_a_wrong_fact_is_not_right_in_the_words_of_its_request(proposal: str) -> None:
    assert asked_to_mail().after_turn(proposal).say == NOT_RIGHT


def test_a_wrong_mail_that_nobody_asked_for_yet_is_declined_without_its_request() -> None:
    proposal = 'I\'d write to Bartholomew Grunewald: "We arrive at 12:55." Shall I send it?'
    assert driver(FAN_OFF, ARRIVAL).after_turn(proposal).say == (
        "No, thanks. As I said: The fan off, please."
    )


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("We buy bread at Pekara Zdravec, which closes at 15:30.", True),
        ("We buy bread at Pekara Zlatna.", False),
        ("We buy bread in Ghent.", False),
    ],
)
def test_a_mail_has_to_name_the_place_that_is_wanted(text: str, *, agreed: bool) -> None:
    wanted = mail("We will buy bread at Pekara Zdravec.", "Octavian Papadakis", request=0)
    asked = f'I\'d write to Octavian Papadakis: "{text}" Okay?'
    said = driver(wanted, requests=(BAKERY,)).after_turn(asked).say
    assert said == (YES if agreed else f"No, that's not right. {BAKERY}")


def test_early_is_not_late() -> None:
    wanted = mail("I will be 16 minutes late.", request=0)
    player = driver(wanted, requests=("E-mail Bartholomew Grunewald how late I'll be.",))
    asked = 'To Bartholomew Grunewald: "I will be 16 minutes early." Send it?'
    assert (player.after_turn(asked).say or "").startswith("No, that's not right. ")


@pytest.mark.parametrize(
    ("turn", "right"),
    [
        ('Body: "We will arrive at 13:10." Release?', True),
        ('Grunewald it is. "We will arrive at 13:10." Ready to go out, OK?', True),
        ('I\'d write to Grunewald: "We will arrive at 13:10 tomorrow." Do you agree?', False),
        ('I\'d write to Grunewald: "We will be late, at 13:10." Do you agree?', False),
    ],
)
def test_a_mail_is_wrong_about_a_day_or_being_late_only_if_it_says_so(
    turn: str, right: bool
) -> None:
    said = asked_to_mail().after_turn(turn).say or ""
    assert said.startswith("Yes") == right


@pytest.mark.parametrize(
    ("to", "right"),
    [
        ("Two recipients, Sandoval and Johannsen; Fitzwilliam left out.", True),
        ("It goes to both, Sandoval first.", True),
        ("It goes to Jacqueline Sandoval.", False),
        ("It goes to Jacqueline Sandoval, Rosamunde Johannsen left out.", False),
        ("It goes to Jacqueline Sandoval, who meets you with three people.", False),
    ],
)
def test_a_mail_to_several_people_names_each_of_them(to: str, right: bool) -> None:
    both = Want(
        tool="send_email",
        arguments={"content_message": "I will arrive at 12:11."},
        names=("Jacqueline Sandoval", "Rosamunde Johannsen"),
        request=0,
    )
    request = "E-mail everybody in that meeting except Alessandra Fitzwilliam when I arrive."
    said = driver(both, requests=(request,)).after_turn(
        f'{to} Wording: "I will arrive at 12:11." May I send it?'
    )
    assert (said.say or "").startswith("Yes") == right


@pytest.mark.parametrize(
    ("turn", "right"),
    [
        (
            'I\'d write: "We will arrive at 13:10." A late lunch! Send it like this?',
            True,
        ),
        (
            "This goes to Bartholomew Grunewald. We will arrive at 13:10. Do I have your okay?",
            True,
        ),
        ('Ottilie Brandt gets those. "We will arrive at 13:10." Shall I send it to her?', False),
        (
            "This goes to Bartholomew Grunewald. We will arrive at ten to one. Shall it go out?",
            False,
        ),
        ("I'd write to b.grunewald12@post.example that you'll be there at 12:50. Okay?", False),
    ],
)
def test_a_mail_that_was_read_out_before_the_question_is_what_the_question_is_about(
    turn: str, right: bool
) -> None:
    assert (asked_to_mail().after_turn(turn).say or "").startswith("Yes") == right


def test_a_mail_to_somebody_who_is_to_be_left_out_is_wrong() -> None:
    request = "E-mail everybody in that meeting except Alessandra Fitzwilliam when I arrive."
    wanted = mail("I will arrive at 12:11.", "Jacqueline Sandoval", request=0)
    asked = 'To Jacqueline Sandoval and Alessandra Fitzwilliam: "I will arrive at 12:11." Send it?'
    assert (driver(wanted, requests=(request,)).after_turn(asked).say or "").startswith("No")
