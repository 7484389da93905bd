"""The voice of a driver: how fast from age and style, whose from the seed."""

import re
from itertools import count
from random import Random

from assistant_gateway.protocol import SEATS, Zone
from assistant_gateway.sound.voice import Voice
from user_sim.script import Persona

ACCENTS = ("en-us", "en-gb-x-rp", "en-gb-scotland")
SPEAKERS = ("m1", "m3", "m7", "f2", "f3", "f4")  # variants that are easy to understand
QUICK = re.compile(
    r"\b(anxious|brief|brisk|busy|chatty|cheerful|commanding|flustered|humorous|impatient|lively"
    r"|nervous|quick|self-assured|spontaneous|stressed|talkative|tense|worried)\b"
)
SLOW = re.compile(
    r"\b(absent-minded|calm|cautious|circumspect|considerate|deliberate|dreamy|easy-going"
    r"|leisurely|patient|relaxed|reserved|scatterbrained|sleepy|soft-spoken|thoughtful|tired|worn)\b"
)
USUAL_WPM, STYLE_WPM = 165, 15
OLD, A_YEAR_WPM = 60, 1.0  # from this age on, each year takes so much off
PEOPLE_DIFFER_WPM, PITCHES_DIFFER = 8, 8


def other_voices(driver: Voice, seed: str) -> dict[Zone, Voice]:
    """Those of the other seats; none sounds like the driver."""
    return {
        zone: next(
            voice
            for number in count()
            if (voice := persona_voice(Persona(), f"{seed}/{zone}/{number}")).name != driver.name
        )
        for zone in SEATS
        if zone != "driver"
    }


def persona_voice(persona: Persona, seed: str) -> Voice:
    """The same for the same persona and seed."""
    chance = Random(f"{seed}/voice")
    manner = (persona.manner or "").lower()
    faster = STYLE_WPM * (bool(QUICK.search(manner)) - bool(SLOW.search(manner)))
    slower = A_YEAR_WPM * max(0, (persona.age or 0) - OLD)
    differs = chance.uniform(-PEOPLE_DIFFER_WPM, PEOPLE_DIFFER_WPM)
    return Voice(
        name=f"{chance.choice(ACCENTS)}+{chance.choice(SPEAKERS)}",
        words_per_minute=max(120, round(USUAL_WPM + faster - slower + differs)),
        pitch=50 + chance.randint(-PITCHES_DIFFER, PITCHES_DIFFER),
    )
