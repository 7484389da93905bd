"""Checks a driver's turn that a model wrote, before it is spoken. Pure."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant_gateway.protocol import GO_ON
from user_sim.by_model.briefing import words_offered
from user_sim.by_model.facts import invented_names, invented_numbers
from user_sim.by_model.word_doubts import HeardTurns
from user_sim.script import DriverBrief
from user_sim.scripted import CONTROL_WORDS
from vehicle_bus.validation_problem import first_problem

MOST_WORDS = 80
_IDENTIFIER = re.compile(r"\b[a-zA-Z]+(?:_[a-zA-Z]+)+\b")
_MARKUP = re.compile(r"```|#{2,}|\*\*|[{}]|\n\s*[-*\d]")


class DriverTurn(BaseModel):
    """The turn of a driver, as a model answers it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str = Field(min_length=1)
    word: str
    say: str | None


class NoTurn(Exception):
    """The answer is no turn at all; the text says what is wrong with it."""


def read_turn(text: str) -> DriverTurn:
    """The turn in a model's answer; raises `NoTurn`."""
    try:
        return DriverTurn.model_validate_json(text)
    except ValidationError as error:
        problem = first_problem(error, "the answer")
        raise NoTurn(f"expected JSON with reason, word and say; {problem}") from error


def complaints(
    turn: DriverTurn, brief: DriverBrief, heard: HeardTurns, *, opening: bool
) -> list[str]:
    """Everything that is wrong with a turn, each as a sentence its author can act on."""
    found = [*_word(turn, brief, opening), *_ending(turn, heard)]
    if turn.say and turn.word == GO_ON:
        revealed = [*_revealed(turn.say)]
        found += [*revealed, *_spoken(turn.say)]
        found += [] if revealed else _invented(turn.say, brief, heard)
    return found


def _word(turn: DriverTurn, brief: DriverBrief, opening: bool) -> Iterator[str]:
    offered = words_offered(brief)
    if turn.word not in offered:
        yield f"{turn.word} is not offered; choose one of {', '.join(offered)}"
    elif opening and turn.word != GO_ON:
        yield "the conversation has not begun; say what you want"
    if turn.word == GO_ON and not (turn.say or "").strip():
        yield f"{GO_ON} needs something to say"


def _ending(turn: DriverTurn, heard: HeardTurns) -> Iterator[str]:
    """Nobody is content before the first reply; whether a word fits is asked, not refused."""
    if turn.word == "STOP" and not any(said.strip() for said in heard.all):
        yield "the assistant has not replied yet; nothing was done"


def _revealed(say: str) -> Iterator[str]:
    for word in sorted(CONTROL_WORDS):
        # A driver may well say "stop" or "continue", but not as a word of command to the bench.
        if re.search(rf"\b{word}\b", say, 0 if "_" not in word else re.IGNORECASE):
            yield f"{word} is not for the assistant's ears; put it into `word` alone"
    for name in sorted(set(_IDENTIFIER.findall(say))):
        if name.upper() in CONTROL_WORDS:
            continue
        yield f"nobody says {name!r} aloud; use everyday words"


def _spoken(say: str) -> Iterator[str]:
    if _MARKUP.search(say):
        yield "markup cannot be spoken; say it in plain words"
    if len(say.split()) > MOST_WORDS:
        yield f"more than {MOST_WORDS} words are no spoken turn; say less"


def _invented(say: str, brief: DriverBrief, heard: HeardTurns) -> Iterator[str]:
    persona = brief.persona
    told = " \n".join(
        [brief.instruction, persona.text, persona.style, persona.words, str(persona.age or "")]
    )
    last, earlier = heard.last or "", " \n".join(heard.all)
    for number in invented_numbers(say, told, last, earlier):
        yield f"{number} was never mentioned; say only what you were told or heard"
    for name in invented_names(say, f"{told} \n{earlier}"):
        yield f"{name!r} was never mentioned; say only what you were told or heard"
