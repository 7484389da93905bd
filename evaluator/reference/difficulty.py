"""How much a task asks for: calls, domains, rules, details kept back, conditions, kind of driver.

All of it is computed from the task.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from evaluator.reference.rule_steps import looked_up_before
from evaluator.scoring.policies import POLICIES
from evaluator.task.task import Task
from user_sim.answering import is_refusal
from user_sim.script import Script
from user_sim.understanding.values import all_numbers, values
from vehicle_bus.same_object import SameObject
from vehicle_bus.tools import BY_NAME

# The parts of the car by the file in which a tool stands; tools in none of these belong to no part.
DOMAINS = {
    **dict.fromkeys(("navigation", "waypoints", "routes", "places"), "navigation"),
    **dict.fromkeys(("lights", "openings"), "vehicle"),
    **dict.fromkeys(("climate", "seats"), "climate"),
    "charging": "charging", "people": "productivity", "weather": "weather",
}  # fmt: skip
CONDITION = re.compile(
    r"\b(?:if|unless|in case|as long as|provided)\b"
    r"(?! (?:not|so|need be|possible|you|any|that's ok|(?:I|we) (?:leave|left|set)))",
    re.IGNORECASE,
)
NOTHING_NEW = {"deed", "direction", "role", "guidance"}  # kinds of values that settle nothing
NAME_WORDS = 2  # an answer of so few words may be a name, which no kind of value is
FILLERS = "please the mine only level both all sure yes to at here now right first way percent"
# How people talk, by the beginnings of the words that a style is described with.
MANNERS = {
    "brisk": "commanding brisk brief hurr impatient annoyed grump grumbl short quick direct "
    "decided point busy tense loud business dry stress",
    "talkative": "chatty talkative conversational lively exuberant sociable excited spontaneous "
    "good-humoured humorous hearty warm cheerful",
    "questioning": "questioning curious asks sceptical suspicious puzzled cautious circumspect "
    "careful new",
    "vague": "absent distracted scatter forgetful little dreamy sleepy tired worn nervous worried "
    "anxious hesitant whisper plaintive fluster",
    "polite": "polite courteous formal considerate apologetic reserved diplomatic obliging helpful "
    "friendly caring soft",
    "calm": "calm casual relaxed easy-going unhurried matter patient thoughtful deliberate "
    "organised precise planning confident self-assured thrifty leisurely",
}
# The bands of each axis: up to this number, up to the next, and beyond.
BANDS = {
    "calls": (1, 3, 5), "domains": (1, 2), "rules": (0, 2), "kept_back": (0, 1), "conditions": (0,),
}  # fmt: skip
AXES = (*BANDS, "manner")


class Difficulty(BaseModel):
    """`kept_back` counts answers with something new; `manner` is how the driver talks."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    calls: int
    domains: tuple[str, ...]
    rules: tuple[str, ...]
    kept_back: int
    conditions: int
    manner: str

    def bands(self) -> dict[str, str]:
        """Where the task stands on each axis: `{"calls": "4-5", "domains": "2", …}`."""
        numbers = {
            "calls": self.calls,
            "domains": len(self.domains),
            "rules": len(self.rules),
            "kept_back": self.kept_back,
            "conditions": self.conditions,
        }
        return {name: band(number, BANDS[name]) for name, number in numbers.items()} | {
            "manner": self.manner
        }


def band(number: int, limits: Sequence[int]) -> str:
    """The band that a number is in: `1`, `2-3` or `4+` for the limits 1 and 3."""
    least = 0
    for place, limit in enumerate(limits):
        if number <= limit:
            return str(limit) if place == 0 or least == limit else f"{least}-{limit}"
        least = limit + 1
    return f"{least}+"


def facts_of(task: Task) -> dict[str, Any]:
    """What a result repeats of its task, so that runs can be read without their tasks."""
    return {
        "title": task.title,
        "family": task.family,
        "twin": task.twin,
        "persona": task.driver.persona.manner,
        "expected_actions": len(task.expect.actions),
        "settled_by": task.settled_by,
        "difficulty": difficulty(task),
    }


def difficulty(task: Task) -> Difficulty:
    return _difficulty(SameObject(task))


@lru_cache(maxsize=1024)
def _difficulty(same: SameObject[Task]) -> Difficulty:
    task = same.thing
    script = task.driver.script
    return Difficulty(
        calls=len(task.expect.actions),
        domains=tuple(sorted(domains(task))),
        rules=tuple(sorted(rules_met(task))),
        kept_back=kept_back(script) if script else 0,
        conditions=len(CONDITION.findall(_requests(script))) if script else 0,
        manner=manner_class(task.driver.persona.manner),
    )


def rules_met(task: Task) -> set[str]:
    """The rules that are about some expected call."""
    return {
        rule for rule, policy in POLICIES.items() for action in task.expect.actions
        if policy.about(action.name, action.arguments)
    }  # fmt: skip


def domains(task: Task) -> set[str]:
    """The parts of the car that a task is about.

    What is looked at only for a rule does not count.
    """
    names = [action.name for action in task.expect.actions if action.name in BY_NAME]
    ruled = {name for action in task.expect.actions for name in looked_up_before(action)}
    files = {BY_NAME[name].run.__module__.rpartition(".")[2] for name in names if name not in ruled}
    return {DOMAINS[file] for file in files if file in DOMAINS}


def kept_back(script: Script) -> int:
    """How many answers tell a value or a number that no request has."""
    if not script.answers:
        return 0
    said = _requests(script)
    known, words, counted = values(said), _words(said), all_numbers(said)
    return sum(
        not is_refusal(say) and bool(_new(say, known, words) or all_numbers(say) - counted)
        for say in (answer.say for answer in script.answers)
    )


def _new(say: str, known: frozenset[tuple[str, str]], words: set[str]) -> set[str]:
    told = {
        value for kind, value in values(say) - known
        if kind not in NOTHING_NEW and (kind, value) != ("zone", "all") and value not in words
    }  # fmt: skip
    short = _words(say) - {*FILLERS.split()}
    whole = {each for each in short - words if not each.isdigit()}
    return told | (whole if len(re.findall(r"\w+", say)) <= NAME_WORDS else set())


def manner_class(manner: str | None) -> str:
    """One of a few kinds of drivers; the first word that tells decides."""
    for word in (manner or "").lower().split():
        for name, beginnings in MANNERS.items():
            if word.startswith(tuple(beginnings.split())):
                return name
    return "other"


def _requests(script: Script) -> str:
    return " ".join([script.opening, *script.followups])


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))
