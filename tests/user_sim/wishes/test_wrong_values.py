"""A driver says yes to a proposal only if nothing in it is wrong."""

import pytest

from user_sim.script import DriverBrief, Script
from user_sim.scripted import ScriptedDriver
from user_sim.wants import Want

GRAZ = Want(tool="set_new_navigation", names=("Graz", "A9", "fastest"))
FAN = Want(tool="set_fan_speed", arguments={"level": 3})
COOLING = Want(tool="set_air_conditioning", arguments={"on": True})
REAR_LEFT = Want(tool="open_close_window", arguments={"window": "DRIVER_REAR", "percentage": 0})
LIMIT = Want(tool="set_charge_limit", arguments={"limit_percent": 80})
LAMP = Want(tool="set_reading_light", arguments={"position": "DRIVER", "on": False})
CALL = Want(
    tool="call_phone_by_number", arguments={"phone_number": "+49 1"}, names=("Yusuf Demir",)
)
MAIL = Want(
    tool="send_email",
    arguments={"content_message": "Hello Ilse, the keys are under the flower pot."},
    names=("Ilse Vermeulen",),
)
FORECAST = Want(
    tool="send_email",
    arguments={
        "content_message": "Hi Ilse, just a heads-up about the weather in Ghent for our sales "
        "meeting today at 2:30 PM. The forecast shows cloudy conditions with rain and about 7 "
        "degrees. Please plan your travel accordingly, bring an umbrella and dress warmly. The "
        "rain might affect traffic, so consider leaving earlier. Best regards"
    },
    names=("Ilse Vermeulen",),
)
ROOF = Want(tool="open_close_sunroof", arguments={"percentage": 60})
SHADE = Want(tool="open_close_sunshade", arguments={"percentage": 100})
TO_GRAZ = ("Take me to Graz on the fastest route, tolls are fine.", (GRAZ,))
AIR = ("It's like an oven! Turn on the air conditioning and set the fan to three.", (FAN, COOLING))
WINDOW = ("Close the window behind me.", (REAR_LEFT,))
BOTH = ("Set the charge limit to eighty, and turn my reading light off.", (LIMIT, LAMP))
RING = ("Call Yusuf Demir.", (CALL,))
WRITE = ("E-mail Ilse Vermeulen that the keys are under the flower pot.", (MAIL,))
TELL = ("Look up the weather in Ghent at 2:30 PM and mail it to Ilse Vermeulen.", (FORECAST,))
SUN = ("Open the sunroof to 60 percent, and the shade all the way.", (ROOF, SHADE))
SKY = ("Open the sunroof to 60 percent.", (ROOF, SHADE))

RELATIVES = (
    "Mail Frank Walker and Emma Walker that I am late.",
    (
        Want(
            tool="send_email",
            arguments={"content_message": "Hello, I am late."},
            names=("Frank Walker", "Emma Walker"),
        ),
    ),
)
SHARE = (
    "Please send Rachel Walker the phone number and e-mail address of David Harris.",
    (
        Want(
            tool="send_email",
            arguments={
                "content_message": "Hi Rachel, I wanted to share David Harris's contact details: "
                "+49 550 435701, david.harris3615@postbox.example"
            },
            names=("Rachel Walker",),
        ),
    ),
)
HERE = "Hello Rachel, here are David Harris's phone number and e-mail address."
NUMBERS = "Phone: +49 550 435701. E-mail: david.harris3615@postbox.example."
LATE = (
    "Mail Ilse Vermeulen and Otto Kern that I get to Ghent at 16:17.",
    (
        Want(
            tool="send_email",
            arguments={"content_message": "Hello, I get to Ghent at 16:17."},
            names=("Ilse Vermeulen", "Otto Kern"),
        ),
    ),
)
OTHER_STOP = (
    "I'd rather stop in Nantes than in Toulouse.",
    (Want(tool="navigation_replace_one_waypoint", names=("Toulouse", "Nantes", "Marseille")),),
)
FOG = (
    "Fog lights on, and the other lights the way they have to be.",
    (
        Want(tool="set_fog_lights", arguments={"on": True}),
        Want(tool="set_head_lights_low_beams", arguments={"on": True}),
    ),
)

REMIND = (
    "Please send Ilse Vermeulen a reminder mail of our meeting in Graz.",
    (
        Want(
            tool="send_email",
            arguments={
                "content_message": "Hello everyone, a friendly reminder of our meeting in Graz "
                "today at 3:30 PM. Looking forward to seeing you!"
            },
            names=("Ilse Vermeulen",),
        ),
    ),
)
WRONG = (
    (REMIND, 'To Ilse: "Hello, a reminder of our meeting in Graz today at 17:00." Send it?'),
    (SHARE, f"I would send this e-mail to Rachel Allen: {HERE} {NUMBERS} Shall I send it?"),
    (LATE, 'To Ilse Vermeulen and Otto Kern: "I get to Ghent at 17:17." Send it?'),
    (LATE, 'Ilse Vermeulen, only her: "I get to Ghent at 16:17." Send it?'),
    (OTHER_STOP, "Nantes goes in ahead, and Toulouse stays. Shall I change the trip like that?"),
    (OTHER_STOP, "I'd end the trip in Nantes, and Marseille comes off. Is that right?"),
    (FOG, "I'd put the fog lights on and not touch any of the other lights. Okay?"),
    (RELATIVES, 'To Rachel Walker: "Hello, I am late." Send it?'),
    (WINDOW, "The window behind you, all the way down?"),
    (AIR, "The fan to three, and the air conditioning as soon as you're in the shade. Okay?"),
    (TO_GRAZ, "The fastest route to Lucerne takes two hours. Shall I start the guidance?"),
    (TO_GRAZ, "The shortest route to Graz takes two hours. Shall I start the guidance?"),
    (TO_GRAZ, "Shall I cancel the navigation to Graz?"),
    (AIR, "You want the air conditioning instead of the fan, right?"),
    (AIR, "I'd only set the fan to three. Is that okay?"),
    (AIR, "Fan on three and the air conditioning on, starting at seven tonight?"),
    (AIR, "I'd set the fan to three and leave the air conditioning as it is. Okay?"),
    (AIR, "Shall I look for a swimming pool while it cools down?"),
    (WINDOW, "The rear right one is at 60 percent. Close it?"),
    (WINDOW, "Shall I close the front window on your side?"),
    (BOTH, "I'd set the limit to 80 percent and turn your reading light on. Correct?"),
    (BOTH, "Charge limit to 80, and the reading light stays as it is. Right?"),
    (RING, "You mean Yusuf Aydin, on his mobile? Shall I ring him?"),
    (RING, "I'd ring Yusuf Demir tomorrow morning. Does that work?"),
    (RING, "I'll start an e-mail to Yusuf Demir, then. Is that what you'd like?"),
    (WRITE, 'My draft reads: "Hello Ilse, the keys are under the doormat." Send it?'),
    (WRITE, 'I\'d write: "Hi Ilse. The keys are on the doormat. See you!" Shall I send it?'),
    (TELL, 'To Otto Vermeulen I\'d write: "Hello, rain in Ghent at 14:30, 7 degrees." Send it?'),
    (TELL, 'I\'d tell Ilse: "Hello Ilse. In Ghent it rains at 14:30, 19 degrees." Send it?'),
    (TELL, 'I\'d write to Ilse: "Hello. You are late again. Sort it out." Shall I send it?'),
    (SUN, "Shall I open the sunroof to 60 percent? I'd open the sunshade to 60 percent, too."),
)
RIGHT = (
    (
        REMIND,
        "I would send one e-mail to Ilse Vermeulen. It would read: Hello, a reminder of our "
        "meeting in Graz today, 13 March 2025, at 15:30. It will last 30 minutes. See you "
        "there. Shall I?",
    ),
    (SHARE, f"I would send this e-mail to Rachel Walker: {HERE} {NUMBERS} Shall I send it?"),
    (SHARE, f'To Rachel Walker: "{HERE} {NUMBERS}" Shall I send it?'),
    (LATE, 'To Ilse and Otto: "I get to Ghent at seventeen minutes past four." Send it?'),
    (LATE, 'To Ilse and Otto: "We leave Bruges now and should arrive at 16:17." Send it?'),
    (LATE, 'To Ilse and Otto: "I get to Ghent at 16:17." May I send it, or shall I change it?'),
    (OTHER_STOP, "Toulouse comes off, and Nantes is the stop. Shall I change it?"),
    (WINDOW, "Shall I roll the window behind you all the way up?"),
    (WINDOW, "I'd like to hear from you first. Shall I close the window behind you?"),
    (WINDOW, "I'd rather check with you first. Shall I close the window behind you?"),
    (TO_GRAZ, "The fastest route to Graz takes two hours. Shall I start the guidance?"),
    (AIR, "Your window is open, so some of it is wasted. Do it anyway?"),
    (AIR, "Fan to three and air conditioning on. Shall I do both?"),
    (AIR, "Air conditioning on, fan on three. Have I got that right?"),
    (WINDOW, "Closing the rear window on your side, and leaving the others alone. Okay?"),
    (BOTH, "I'd set the limit to 80 percent and turn your reading light off. Correct?"),
    (RING, "Yusuf Demir, on his mobile. Shall I dial?"),
    (WRITE, 'My draft reads: "Hi Ilse, the keys are under the flower pot." Send it?'),
    (
        WRITE,
        'I\'d send Ilse Vermeulen: "Hello Ilse, before our meeting in Graz at 18:00: the keys are '
        'under the flower pot." May I?',
    ),
    (
        TELL,
        'To Ilse Vermeulen I\'d write: "Hello Ilse, at 14:30, when we meet in Ghent, it is cloudy '
        "with rain, 7 degrees and a light wind of 9 kilometres per hour. The roads will be wet, so "
        'please allow some extra time. See you there." Shall I send it like that?',
    ),
    (
        TELL,
        "Shall I send Ilse Vermeulen the mail I read out: that it will be 7 degrees with rain and "
        "a light wind in Ghent at 14:30, and that the roads will be wet?",
    ),
    (SUN, "Shall I open the sunroof to 60 percent? I'd open the sunshade all the way, too."),
    (SKY, "I'd open the sunshade and the sunroof to 60 percent. Shall I?"),
    (SKY, "I'd open the sunshade all the way and the sunroof to 60 percent. Shall I?"),
    (RELATIVES, 'To Emma Walker and Frank Walker: "Hello, I am late." Send it?'),
)  # fmt: skip


def answer(case: tuple[str, tuple[Want, ...]], proposal: str) -> str:
    opening, wants = case
    script = Script(opening=opening, confirm="Yes, please.", decline="No, thanks.")
    decision = ScriptedDriver(DriverBrief(instruction="", script=script, wants=wants)).after_turn(
        proposal
    )
    return decision.say or decision.word


@pytest.mark.parametrize(("case", "proposal"), WRONG)
def test_a_proposal_with_something_wrong_is_declined(
    case: tuple[str, tuple[Want, ...]], proposal: str
) -> None:
    assert answer(case, proposal).startswith(("No, ", "No. "))


@pytest.mark.parametrize(("case", "proposal"), RIGHT)
def test_a_right_proposal_is_agreed_to(case: tuple[str, tuple[Want, ...]], proposal: str) -> None:
    said = answer(case, proposal)
    assert said == "Yes, please." or said.startswith("Yes, as I said: ")


@pytest.mark.parametrize(
    ("case", "proposal"),
    [
        (
            TO_GRAZ,
            "There is a shorter one, too, but it's slower. Shall I take the fastest to Graz?",
        ),
        (WINDOW, "The one behind you is at 60 percent, all others are closed. Shall I close it?"),
        (WINDOW, "Shall I close the one behind you?"),
    ],
)
def test_a_plan_that_shares_a_value_or_a_thing_gets_the_request_once_more(
    case: tuple[str, tuple[Want, ...]], proposal: str
) -> None:
    assert answer(case, proposal) == f"Yes, as I said: {case[0]}"


def test_a_right_proposal_with_a_word_of_its_own_gets_the_request_once_more() -> None:
    proposal = 'I\'d write to Frank Walker and his sister: "Hello, I am late." Send it?'
    assert answer(RELATIVES, proposal) == f"Just what I asked for, please: {RELATIVES[0]}"


def test_half_a_degree_is_one_number() -> None:
    wants = (Want(tool="set_climate_temperature", arguments={"temperature": 22.5}),)
    warmer = ("Twenty-two and a half degrees, please.", wants)
    assert answer(warmer, "Shall I set it to 22.5 degrees?") == f"Yes, as I said: {warmer[0]}"
    assert answer(warmer, "Shall I set it to twenty-two degrees?") == "No, 22.5, please."
