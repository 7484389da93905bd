"""The driver's part of a task: who is driving, what they want, and what they say when asked."""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from assistant_gateway.protocol import Zone
from user_sim.spoken_line import Line, one_way, ways_of
from user_sim.wants import Owed, Want

ScriptOrigin = Literal["written", "derived", "reviewed"]
SINGLE_LINES = ("opening", "confirm", "decline", "press", "on_limit")


class Answer(BaseModel):
    """Said when a question matches any of the patterns, at most `at_most` times.

    With `only_if` the turn has to match one of these patterns as well ("if tolls are mentioned");
    such an answer goes before those without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: tuple[str, ...]
    say: Line
    only_if: tuple[str, ...] = ()
    at_most: int = 2


class Interjection(BaseModel):
    """Said over the assistant's answer to the driver's utterance number `turn`, counted from 1.

    It begins once `after_words` of the answer were heard. What is short enough is a "mhm" and
    interrupts nobody; with `must` it is said after the answer if that was too short.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int = Field(ge=1)
    after_words: int = Field(ge=1)
    say: Line
    must: bool = True


class Script(BaseModel):
    """What a scripted driver says; each line is a text, or several that mean the same.

    `confirm` answers a proposal of what is wanted where the request is not repeated, `decline` any
    other; `press` asks once more for what was neither done nor refused, by default in words made
    from the task. `on_limit` is said after an acknowledged limit when the driver has something left
    to say, `patience` is how many silent turns the driver accepts. `followups` are said one after
    the other, each when the agent has finished without a question. A driver who is
    `impatient_after_s` asks whether anybody is there when so much time passed without a word. One
    who `hangs_up` ends when all is done, instead of declining an offer. `speakers` has the seats of
    lines that others say, by place.
    `origin` is "derived" for a script made from prose by rules, and "reviewed" once somebody has
    read it beside the prose.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    opening: Line
    answers: tuple[Answer, ...] = ()
    followups: tuple[Line, ...] = ()
    confirm: Line = "Yes, please."
    decline: Line = "No, thanks."
    press: Line | None = None
    hangs_up: bool = False
    on_limit: Line | None = None
    patience: int = 1
    interjections: tuple[Interjection, ...] = ()
    speakers: dict[str, Zone] = {}
    impatient_after_s: float | None = Field(default=None, gt=0)
    origin: ScriptOrigin = "written"

    @property
    def interrupts(self) -> bool:
        """Whether the driver speaks without having been given the floor."""
        return bool(self.interjections) or self.impatient_after_s is not None

    @property
    def lines(self) -> dict[str, str]:
        """Everything that can be said, by its place in the script."""
        single = {name: getattr(self, name) for name in SINGLE_LINES}
        return {
            **{name: line for name, line in single.items() if line is not None},
            **{f"followups.{n}": line for n, line in enumerate(self.followups)},
            **{f"answers.{n}.say": each.say for n, each in enumerate(self.answers)},
            **{f"interjections.{n}.say": each.say for n, each in enumerate(self.interjections)},
        }

    @model_validator(mode="after")
    def _speakers_have_lines(self) -> "Script":
        if unknown := sorted(self.speakers.keys() - self.lines.keys()):
            places = ", ".join(self.lines)
            raise ValueError(f"speakers: {unknown[0]} is no line; expected one of {places}")
        return self

    def zone_of(self, text: str) -> Zone:
        """The seat from which a text is said that has a line of this script in it."""
        lines = self.lines
        said = (zone for place, zone in self.speakers.items() if lines[place] in text)
        return next(said, "driver")

    @property
    def ways(self) -> int:
        """How many trials it takes until every line was said in each of its ways."""
        return max(len(ways_of(line)) for line in self.lines.values())

    def words(self, trial: int, seed: str) -> dict[str, str]:
        """What is said in a trial of the lines that can be said in several ways, by their place."""
        return {
            place: one_way(line, trial, f"{seed}/{place}")
            for place, line in self.lines.items() if len(ways_of(line)) > 1
        }  # fmt: skip

    def saying(self, words: Mapping[str, str]) -> "Script":
        """The same with these lines, each by its place."""
        return self.model_copy(
            update={
                **{name: words[name] for name in SINGLE_LINES if name in words},
                "followups": tuple(
                    words.get(f"followups.{n}", line) for n, line in enumerate(self.followups)
                ),
                "answers": tuple(
                    each.model_copy(update={"say": words.get(f"answers.{n}.say", each.say)})
                    for n, each in enumerate(self.answers)
                ),
                "interjections": tuple(
                    each.model_copy(update={"say": words.get(f"interjections.{n}.say", each.say)})
                    for n, each in enumerate(self.interjections)
                ),
            }
        )


class Persona(BaseModel):
    """Who is driving; colours a model-driven driver, never the expected end state."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    age: int | None = None
    style: str = ""
    words: str = ""
    text: str = ""

    @property
    def manner(self) -> str | None:
        """How they talk, in a word or three; public personas name it in quotes before a colon."""
        named = re.search(r"'(\w[\w -]*):", self.text)
        return self.style or (named.group(1).lower() if named else None)


class DriverBrief(BaseModel):
    """All a driver knows: the part of a task that belongs to the driver.

    `removed` is what the car lacks in limit-awareness tasks (dotted paths), `settle_alone` the
    element the assistant has to settle without asking in internal disambiguation. `wants`
    and `owed` are filled in from what the task expects and stand in no file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    instruction: str
    persona: Persona = Persona()
    script: Script | None = None
    removed: tuple[str, ...] = ()
    settle_alone: str | None = None
    wants: tuple[Want, ...] = ()
    owed: SkipJsonSchema[tuple[Owed, ...]] = ()
