"""What can be chosen for a scenario, in a few words."""

import re
from collections.abc import Mapping, Sequence

from assistant_gateway.timing.latency import LATENCY_PROFILES, LatencyProfile
from assistant_gateway.timing.speech import SPEECH_PROFILES, SpeechProfile
from evaluator.adversaries.courses import COURSES

EXPLAINED: Mapping[str, Mapping[str, str]] = {
    "agent": {
        "rules": "understands English by rules, without a model",
        "reference": "knows the expected calls of the task",
        "claims": "says “It's done.” and does nothing",
        "null": "says and does nothing",
        "refuse": "refuses everything",
        "wizard": "you, in the view Wizard",
    },
    "budget_profile": {
        "strict": "limits x 0.75",
        "default": "limits as documented",
        "lenient": "limits x 1.5",
    },
    "pace": {"live": "real time", "fast": "waiting is skipped"},
    "faults": {
        "none": "nothing goes wrong",
        "flaky": "now and then refused, lost or late",
        "slow_bus": "replies take their time",
        "offline_once": "away once for some seconds",
        "lying": "look-ups that are out of date or wrong",
    },
}


def explained(choices: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """By field and choice; a choice of the command line has no explanation."""
    courses = {name: course.does for name, course in COURSES.items()}
    known = {
        **EXPLAINED,
        "agent": {**courses, **EXPLAINED["agent"]},
        "latency_profile": _sources(LATENCY_PROFILES.shipped),
        "speech_profile": _sources(SPEECH_PROFILES.shipped),
    }
    return {
        name: {choice: known[name][choice] for choice in values if choice in known[name]}
        for name, values in choices.items()
    }


def _sources(
    profiles: Mapping[str, LatencyProfile] | Mapping[str, SpeechProfile],
) -> dict[str, str]:
    """What was measured for each profile, without where and when."""
    return {name: re.split(" ?[,;(]", profile.source)[0] for name, profile in profiles.items()}
