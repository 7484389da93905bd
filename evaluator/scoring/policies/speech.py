"""Rules about what is said: units, times, and the yes that some tools need."""

import re
from collections.abc import Iterator
from functools import lru_cache

from assistant_gateway.wording.sentences import straightened
from evaluator.record.episode import Act, Episode, Utterance
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.consent import asked_and_agreed
from evaluator.scoring.policies.policy import (
    KEPT,
    NOT_APPLICABLE,
    Arguments,
    Breach,
    Finding,
    by_language,
    combined,
    never,
)
from user_sim.lexicon import lexicon
from vehicle_bus.car.tool import CONFIRM
from vehicle_bus.tools import BY_NAME

CONFIRMED_TOOLS = tuple(
    name for name, tool in BY_NAME.items() if tool.description.startswith(CONFIRM)
)
TOPICS = {
    "send_email": "email",
    "open_close_trunk_door": "trunk",
    "set_head_lights_high_beams": "high_beam",
}
FOREIGN = {
    "a 12-hour time": r"\b\d{1,2}(?:[:.]\d{2})?\s?(?:a\.m\b|p\.m\b|am\b(?!\s+i\b)|pm\b)|"
    r"(?<!\blevel )(?<!\bstage )(?<!\bon )\b\d{1,2}(?::\d{2})?(?: o'clock)? in the "
    r"(?:afternoon|evening)\b",
    "miles": r"\b(?:\d[\d.,]*|few|several|hundred|dozen|thousand) miles?\b|\bmph\b",
    "Fahrenheit": r"\bfahrenheit\b|\d\s?°\s?F\b",
    "feet, inches or yards": r"\b\d+(?:[.,]\d+)? (?:feet|foot|ft|inch(?:es)?|yards?)\b",
    "gallons or pounds": r"\b\d+(?:[.,]\d+)? (?:gallons?|pounds?|lbs?|ounces?)\b",
}
_FOREIGN = {unit: re.compile(pattern, re.IGNORECASE) for unit, pattern in FOREIGN.items()}
_IMPERIAL_WISH = re.compile(
    r"\bmiles?\b|\bmph\b|\bfahrenheit\b|\binch|\bgallons?\b|\b(?:12|twelve)[- ]hour\b|"
    r"\bam (?:and|or|/) ?pm\b",
    re.IGNORECASE,
)
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirty|fifteen|forty-five)"
)
_TIME_IN_WORDS = re.compile(
    rf"\b(?:half past|quarter (?:past|to)|{_NUMBER_WORD} o'clock|{_NUMBER_WORD} {_NUMBER_WORD}|"
    rf"(?:at|by|around|until) {_NUMBER_WORD} (?:in the|a\.?m|p\.?m))\b",
    re.IGNORECASE,
)


@by_language("002", never, published=as_published.always_asked)
def metric_and_24_hours(episode: Episode, acts: list[Act]) -> Finding:
    """Give quantities in metric units, temperatures in degrees Celsius and times in 24-hour
    form."""
    if not episode.spoken:
        return NOT_APPLICABLE
    mails = " ".join(str(act.arguments.get("content_message", "")) for act in episode.acts)
    breaches: list[Breach] = []
    read_out: list[Breach] = []
    for said in episode.spoken:
        for used, breach in _foreign(said):
            (read_out if used in straightened(mails) else breaches).append(breach)
    wished = any(_IMPERIAL_WISH.search(said.text) for said in episode.driver)
    if (read_out and not breaches) or (breaches and wished):
        question = "Were these the driver's own words or wish? "
        return Finding(
            state="undecided", open_question=question + (read_out + breaches)[0].sentence
        )  # fmt: skip
    if breaches:
        return Finding(state="broken", breaches=tuple(breaches))
    if any(_TIME_IN_WORDS.search(said.text) for said in episode.spoken):
        question = "Are the times that were spelled out in 24-hour form?"
        return Finding(state="undecided", open_question=question)
    return KEPT


def _foreign(said: Utterance) -> Iterator[tuple[str, Breach]]:
    """What was said in other units, word by word, and where."""
    for unit, used in _foreign_words(said.text):
        yield used, Breach(t_ns=said.t_ns, sentence=f'{unit} in what was said: "{used}"')


@lru_cache(maxsize=4096)
def _foreign_words(text: str) -> tuple[tuple[str, str], ...]:
    plain = straightened(text)
    found = ((unit, pattern.finditer(plain)) for unit, pattern in _FOREIGN.items())
    return tuple((unit, used.group()) for unit, uses in found for used in uses)


def needs_a_yes(tool: str, _arguments: Arguments) -> bool:
    return tool in CONFIRMED_TOOLS


@by_language("004", needs_a_yes, published=as_published.asked_if_called(*CONFIRMED_TOOLS))
def yes_before_confirmed_tools(episode: Episode, acts: list[Act]) -> Finding:
    """A tool whose description begins with REQUIRES_CONFIRMATION may run only after you have said
    what exactly you are about to do and the driver has agreed."""
    if not acts:
        return NOT_APPLICABLE
    return combined(_confirmed(episode, act) for act in acts)


def _confirmed(episode: Episode, act: Act) -> Finding:
    topic = TOPICS.get(act.tool)
    topics = frozenset({topic}) if topic else lexicon().topics(act.tool.replace("_", " "))
    finding = asked_and_agreed(episode, [act], topics, _plan(act))
    if finding.state == "kept" and not _read_out(episode, act):
        question = f"Was the driver told what exactly {act.tool} would do? {_plan(act)}"
        return Finding(state="undecided", open_question=question)
    return finding


def _plan(act: Act) -> str:
    given = ", ".join(f"{name} {value}" for name, value in act.arguments.items())
    return f"{act.tool.replace('_', ' ')} ({given})"


def _read_out(episode: Episode, act: Act) -> bool:
    """Whether most of the text of an e-mail was read out before; other calls have no text."""
    wanted = _long_words(str(act.arguments.get("content_message", "")))
    said = " ".join(line.text for line in episode.said_before(act) if line.who == "agent")
    return len(wanted & _long_words(said)) >= len(wanted) / 2


def _long_words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", straightened(text).lower()))
