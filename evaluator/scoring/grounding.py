"""Ids and values in calls that nobody ever mentioned: invented rather than looked up.

Known is what the instructions said, what the driver said before the call, and what the car answered
to earlier messages. Ids, addresses and phone numbers have to be known letter by letter. Numbers and
choices are judged mildly, and only where they change something: they may follow from words
("halfway"), from a relative wish ("a bit warmer") or from a rule of the car. A place may be looked
up by any name, since everybody knows some geography; people may not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from assistant_gateway.wording.numerals import numbers
from assistant_gateway.wording.sentences import straightened
from assistant_gateway.wording.values import choice_words
from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies.instructions import rules, situation
from evaluator.scoring.policies.policy import Breach
from vehicle_bus.data_folder import quick_yaml
from vehicle_bus.tools import BY_NAME
from vehicle_bus.world.world import edit_distance

# Letters of names may have accents, as in loc_wür_639207.
ID = re.compile(r"^(?:[a-z]{3}_[^\WA-Z]*\d|[a-z]{3}_[^\W\dA-Z_]{3}_[^\WA-Z]+)$")
EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.\w+$")
PHONE = re.compile(r"^\+?[\d\s()/-]{6,}$")
CHOICE = re.compile(r"^[A-Z][A-Z_]+$")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)?")
UNCHECKED_TOOLS = frozenset(
    {"think", "planning_tool", "calculate_math", "calculate_datetime", "get_user_preferences"}
)
FREE_TEXT = frozenset({"content_message", "filters", "category_poi"})
TIME_PARTS = frozenset({"month", "day", "time_hour_24hformat", "time_minutes"})
NAMES = frozenset({"contact_first_name", "contact_last_name"})
MOST_TEXTS = 2048  # read before: other trials of a task know the same
SLIP = 2  # letters that a name may be off by


@dataclass(frozen=True)
class Synonyms:
    """How numbers and choices are said; None needs no saying."""

    numbers: dict[float, re.Pattern[str]]
    choices: dict[str, re.Pattern[str] | None]
    relative: re.Pattern[str]


@cache
def synonyms() -> Synonyms:
    """The table that ships, read once."""
    table = quick_yaml(Path(__file__).with_suffix(".yaml"))
    return Synonyms(
        numbers={float(value): _whole_words(said) for value, said in table["numbers"].items()},
        choices={
            part: _whole_words(said) if said else None
            for part, said in {**choice_words(), **table["choices"]}.items()
        },
        relative=_whole_words(table["relative"]),
    )


def _whole_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


@lru_cache(maxsize=MOST_TEXTS)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower()))


@lru_cache(maxsize=MOST_TEXTS)
def _tokens(text: str) -> frozenset[str]:
    """Ids and addresses as they stand."""
    return frozenset(token.strip(".-") for token in re.findall(r"[\w@.+-]+", text.lower()))


@lru_cache(maxsize=MOST_TEXTS)
def _digits(text: str) -> frozenset[float]:
    return frozenset(float(found.replace(",", ".")) for found in NUMBER.findall(text.lower()))


@dataclass(frozen=True)
class Known:
    """Everything that was mentioned before a call: by the instructions, the car, the driver.

    `said` has the driver's words, proposals they have answered, and their stored preferences.
    """

    instructions: tuple[str, ...]
    answers: tuple[str, ...]
    said: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.instructions, *self.answers, self.said)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.texts).lower()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset().union(*map(_words, self.texts))

    @cached_property
    def things(self) -> str:
        """What driver and car spoke of; the names of fields are words too."""
        return "\n".join((self.said, *self.answers)).replace("_", " ").lower()

    @cached_property
    def numbers(self) -> frozenset[float]:
        return frozenset(numbers(self.said)).union(*map(_digits, self.texts))

    def has_token(self, value: str) -> bool:
        """Whether an id or address was mentioned letter by letter."""
        return any(value in _tokens(text) for text in self.texts)


def ungrounded(episode: Episode) -> tuple[Breach, ...]:
    """Every argument that nothing before its call explains, with the moment of the call."""
    return tuple(
        Breach(t_ns=act.t_ns, sentence=f"{act.tool}: {name} {value!r} was never mentioned before")
        for act in episode.acts
        if act.tool not in UNCHECKED_TOOLS
        for name, value in _invented(act, known_before(episode, act))
    )


def known_before(episode: Episode, act: Act) -> Known:
    """What the agent could know when it decided on a call."""
    requests = [said.known for said in episode.driver if said.order < act.order]
    asked = [
        said.text for said in episode.spoken if said.order < act.order and said.turn < act.turn
    ]
    answered = [other for other in episode.acts if other.message < act.message]
    likes = [other.output for other in answered if other.tool == "get_user_preferences"]
    return Known(
        instructions=(rules(), situation(episode.task.car.start)),
        answers=tuple(other.output for other in answered),
        said=straightened("\n".join((*requests, *asked, *likes))),
    )


def _invented(act: Act, known: Known) -> Iterator[tuple[str, Any]]:
    tool = BY_NAME.get(act.tool)
    schema = tool.parameters.get("properties", {}) if tool else {}
    numbers_count = act.changes or act.tool == "get_weather"
    for name, value in act.arguments.items():
        if name in FREE_TEXT or value is None or isinstance(value, bool):
            continue
        for item in _leaves(value):
            if isinstance(item, int | float) and not numbers_count:
                continue
            if not _is_grounded(name, item, schema.get(name, {}), known):
                yield name, item


def _leaves(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
        case _:
            yield value


def _is_grounded(name: str, value: Any, schema: dict[str, Any], known: Known) -> bool:
    match value:
        case bool():
            return True
        case int() | float():
            return _number_is_known(name, float(value), schema, known)
        case str() if ID.match(value) or EMAIL.match(value):
            return known.has_token(value.lower())
        case str() if PHONE.match(value):
            return re.sub(r"\D", "", value) in re.sub(r"[^\d\n]", "", known.text)
        case str() if CHOICE.match(value):
            return all(_choice_is_known(part, known) for part in value.split("_"))
        case str() if name in NAMES:
            return all(_name_is_known(word, known) for word in re.findall(r"\w+", value.lower()))
    return True


def _number_is_known(name: str, value: float, schema: dict[str, Any], known: Known) -> bool:
    if value in known.numbers or (name in TIME_PARTS and _is_a_time(value, known)):
        return True
    said_as = synonyms().numbers.get(value)
    if said_as is not None and said_as.search(known.said):
        return True
    return synonyms().relative.search(known.said) is not None and _follows(value, schema, known)


def _is_a_time(value: float, known: Known) -> bool:
    """Full and half hours, hours by the twelve-hour clock, and hours next to a known one."""
    if value in (0, 30) or value - 12 in known.numbers:
        return True
    return any(abs(value - number) <= 1 for number in known.numbers)


def _follows(value: float, schema: dict[str, Any], known: Known) -> bool:
    """Whether a small step, or a known difference, leads here from something known."""
    low, high = schema.get("minimum", 0), schema.get("maximum", 100)
    step = (high - low) / 4
    within = [number for number in known.numbers if low <= number <= high]
    return any(
        abs(value - number) <= step or abs(value - number) in known.numbers for number in within
    )


def _choice_is_known(part: str, known: Known) -> bool:
    said_as = synonyms().choices.get(part, ...)
    if said_as is ...:
        return part.lower() in known.words
    return said_as is None or said_as.search(known.things) is not None


def _name_is_known(word: str, known: Known) -> bool:
    return word in known.words or any(
        edit_distance(word, other, SLIP) <= SLIP for other in known.words if len(other) > SLIP + 1
    )
