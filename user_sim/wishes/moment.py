"""What a driver knows when a proposal is made: the words, the wants, and what is still open."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from user_sim.lexicon import lexicon
from user_sim.question_patterns import content_words
from user_sim.script import Script
from user_sim.understanding.values import Values, of_kind, values
from user_sim.wants import Want
from user_sim.wishes.wanted_values import (
    NAME_WORD,
    THINGS,
    spoken_names,
    topics_of,
    values_of,
)

# Their numbers are dates and times.
DATED = ("get_weather", "get_entries_from_calendar", "calculate_datetime")


class OwnWords:
    """What the driver says of their own accord or when asked, and what the wants are called."""

    def __init__(self, script: Script, wants: Sequence[Want]) -> None:
        self.text = " ".join(
            [script.opening, *script.followups, *(answer.say for answer in script.answers)]
        )
        self._opening, self._wants = script.opening, wants
        self._requests = (script.opening, *script.followups)
        # Of a look-up the driver does not know which things of the car it tells of.
        known = (topics_of(want) - (frozenset() if want.changes else THINGS) for want in wants)
        self.topics = lexicon().topics(self.text).union(*known)

    def request(self, number: int | None) -> str:
        """The words of a request; empty if it is not known which it is."""
        return dict(enumerate(self._requests)).get(-1 if number is None else number, "")

    def said_in(self, request: int | None) -> Values:
        """The values that a request names."""
        return values(f"x {self.request(request)}")

    @cached_property
    def values(self) -> Values:
        """What the driver has said, and what the look-ups are for."""
        said, later = values(f"x {self._opening}"), values(self.text)
        looked_up = (
            values_of(want)
            for want in self._wants if not want.changes and want.tool not in DATED
        )  # fmt: skip
        weather = any(want.tool == "get_weather" for want in self._wants)
        now = {("day", "today")} if weather and not of_kind(later, "day") else set()
        return frozenset(
            {pair for pair in said if pair[0] not in ("name", "day")}
            | {pair for pair in later if pair[0] in ("route", "day")}
            | {pair for pair in values(f"x {self.text}") if pair[0] == "name"}
            | {pair for found in looked_up for pair in found if pair[0] == "number"}
            | self.names
            | now
        )

    @cached_property
    def names(self) -> Values:
        """Of places, people and roads that are wanted."""
        phrases = " ".join(phrase for want in self._wants for phrase in want.names)
        return frozenset(("name", word.lower()) for word in NAME_WORD.findall(phrases))

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of these names and of the kinds of places, as `content_words` has them."""
        return content_words(
            " ".join(phrase for want in self._wants for phrase in (*want.names, *want.kinds))
        )

    def names_said(self, names: Iterable[str]) -> list[str]:
        """Those of the words of names that the driver says."""
        said = {word.lower() for word in NAME_WORD.findall(self.text)}
        return [name for name in names if name in said]

    def as_written(self, names: Collection[str]) -> list[str]:
        """The words of names as they are written in what is wanted."""
        return spoken_names([each for want in self._wants for each in want.names], names)

    @cached_property
    def words(self) -> frozenset[str]:
        return content_words(self.text)


@dataclass(frozen=True)
class Moment:
    """The wants that are not `done` yet, and the number of the last request."""

    own: OwnWords
    wants: Sequence[Want]
    done: frozenset[int]
    request: int

    def is_made(self, want: Want) -> bool:
        """Whether the request that a want belongs to was made, as far as is known."""
        return want.request is None or want.request <= self.request

    @property
    def of_requests_made(self) -> "Moment":
        """The same with what later requests want left out."""
        later = {number for number, want in enumerate(self.wants) if not self.is_made(want)}
        return replace(self, done=self.done | later)

    @cached_property
    def undone(self) -> list[Want]:
        return [want for number, want in enumerate(self.wants) if number not in self.done]

    @cached_property
    def open(self) -> list[Want]:
        """The changes that the car has not confirmed."""
        return [want for want in self.undone if want.changes]

    @cached_property
    def open_values(self) -> Values:
        return frozenset[tuple[str, str]]().union(*map(values_of, self.open))

    def is_to_know(self, request: int | None) -> bool:
        """Whether a request is known to ask for information and no change."""
        if request is None:
            return False
        changes = any(want.changes and want.request in (request, None) for want in self.wants)
        return bool(self.wants) and not changes
