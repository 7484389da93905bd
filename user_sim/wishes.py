"""Whether a proposal is part of what the driver wants, judged by topics and values."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief, Script
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, of_kind, values
from user_sim.wants import CarCall, Want

_LOOKING = re.compile(
    r"\b(?:ask|try|attempt|again|look|check|search|find|see|tell|show|list|hear|know|read|details?|get)\b",
    re.IGNORECASE,
)
_DEEDS = {"delete": "remove", "add": "add"}
# How a topic is spoken of when the driver asks for it again.
NOUNS = {
    "steering_wheel": "the steering wheel heating",
    "place_search": "the places",
    "lights": "the lights",
    "car_color": "the colour of the car",
    "occupancy": "who is sitting where",
    "clock": "the time",
    "arithmetic": "the calculation",
}


# Of people a wrong first name is a wrong person; of places the driver knows only some.
LOOK_UPS = ("get_", "search_", "calculate_", "convert_", "think", "planning")
PEOPLE = frozenset({"contact", "email", "phone", "recipient"})


def is_of_people(proposal: Sentence) -> bool:
    """Whether the names in it are of people; the text of a mail holds names of all kinds."""
    return bool(proposal.about & PEOPLE) and not re.search(r'[:"]', proposal.context)


class Wishes:
    """What one driver wants, and how much of it the car has confirmed."""

    def __init__(self, brief: DriverBrief) -> None:
        script = brief.script or Script(opening="")
        self._wants = brief.wants
        self._removed = brief.removed
        self._own_words = " ".join(
            [script.opening, *script.followups, *(answer.say for answer in script.answers)]
        )
        self._own_names = of_kind(values(f"x {script.opening}"), "name")
        self._done: set[int] = set()
        self.progressed = self.acted = False  # in the last turn
        self._called: set[str] = set()

    def confirm(self, calls: Iterable[CarCall]) -> None:
        """The car has carried out these calls; of equal changes a call does only the first."""
        self.progressed = self.acted = False
        for tool, arguments in calls:
            self._called.add(tool)
            self.acted = self.acted or not tool.startswith(LOOK_UPS)
            done: list[dict[str, Any]] = []
            for number, want in enumerate(self._wants):
                fits = want.changes and number not in self._done
                if fits and want.is_done_by(tool, arguments) and want.arguments not in done:
                    done.append(want.arguments)
                    self._done.add(number)
                    self.progressed = True

    def open(self, request: int | None = None) -> list[Want]:
        """The wanted changes that the car has not confirmed, of one request or of all."""
        return [
            want for number, want in enumerate(self._wants)
            if want.changes and number not in self._done
            and (request is None or want.request in (None, request))
        ]  # fmt: skip

    def is_done(self, request: int) -> bool:
        """Whether a request asks for changes and all of them are confirmed."""
        changes = [
            number for number, want in enumerate(self._wants)
            if want.changes and want.request == request
        ]  # fmt: skip
        return bool(changes) and self._done.issuperset(changes)

    @property
    def is_only_information(self) -> bool:
        return not any(want.changes for want in self._wants)

    @property
    def all_done(self) -> bool:
        return not self.is_only_information and not self.open()

    @property
    def topics(self) -> frozenset[str]:
        """Of all changes that are wanted."""
        return frozenset[str]().union(*(_topics(want) for want in self._wants if want.changes))

    @property
    def topics_looked_up(self) -> frozenset[str]:
        """Of all that is wanted, look-ups included."""
        return frozenset[str]().union(*map(_topics, self._wants))

    def missing(self, request: int, text: str) -> frozenset[str]:
        """Topics that a request names and for whose possible changes nothing was done at all."""
        named = lexicon().topics(text)
        return frozenset[str]().union(
            *(_topics(want) & named for want in self.open(request) if self._is_untouched(want))
        )

    @property
    def is_nothing_touched(self) -> bool:
        """Whether there are wanted changes and for none of them anything was done."""
        changes = [want for want in self._wants if want.changes]
        return bool(changes) and all(map(self._is_untouched, changes))

    def _is_untouched(self, want: Want) -> bool:
        return want.possible and want.tool not in self._called

    def is_settled(self, element: str) -> bool:
        """Whether all that is wanted of the element's topics has been done."""
        topics, _ = lexicon().element_subject(element)
        about = [
            number for number, want in enumerate(self._wants)
            if want.changes and (not topics or topics & _topics(want))
        ]  # fmt: skip
        return bool(about) and self._done.issuperset(about)

    def wants(self, proposal: Sentence) -> bool:
        """Whether a yes would bring the driver closer to what they want."""
        if not self._wants:
            return True
        open_wants = self.open()
        relevant = open_wants
        if open_wants or (self.is_only_information and _LOOKING.search(proposal.text)):
            relevant = [*open_wants, *(want for want in self._wants if not want.changes)]
        if not relevant or self.contradicts(proposal):
            return False
        about = proposal.about
        return not about or any(about & _topics(want) for want in relevant)

    @property
    def notices_what_lacks(self) -> bool:
        """Whether what is lacking was asked for; of look-ups for it the driver knows nothing."""
        named = lexicon().topics(self._own_words)
        return bool(self.open()) or self.is_only_information or bool(named & self.lacking)

    def is_feasible(self, proposal: Sentence, refused: frozenset[str]) -> bool:
        """Whether it names something wanted, open and possible that nobody refuses or lacks."""
        named = proposal.topics - refused
        return (
            not named & self.lacking
            and any(want.possible and named & _topics(want) for want in self.open())
            and not self.contradicts(proposal)
        )

    def is_progress(self, claim: str) -> bool:
        """Whether something wanted was just confirmed and the claim names nothing of what is not.

        What is impossible and open has values of its own, which the claim would name.
        """
        impossible = [want for want in self.open() if not want.possible]
        possible = frozenset[tuple[str, str]]().union(
            *(_values(want) for want in self._wants if want.changes and want.possible)
        )
        named = values(f"x {claim}")
        return (
            self.progressed
            and bool(impossible)
            and not any(named & (_values(want) - possible) for want in impossible)
        )

    def contradicts(self, proposal: Sentence) -> bool:
        """Whether it names a wrong value of what is wanted."""
        wanted = self._values_for(proposal)
        return bool(wanted) and bool(
            _conflicts(
                values(proposal.context),
                wanted,
                self._own_names,
                people=is_of_people(proposal),
            )
        )

    def right_value(self, proposal: Sentence) -> str | None:
        """A no with the value that is wanted instead of the one proposed."""
        wanted = self._values_for(proposal)
        kinds = _conflicts(
            values(proposal.context), wanted, self._own_names, people=is_of_people(proposal)
        )
        for kind in ("number", "colour", "route", "road", "name"):
            if kind in kinds:
                right = sorted(of_kind(wanted, kind))
                return _no(kind, right)
        return None

    def choice(self, turn: Sequence[Sentence]) -> str | None:
        """The option of a turn that is wanted, by its name or road."""
        heard = " ".join(each.text for each in turn)
        offered = values(f"x {heard}")
        for want in self.open() or self._wants:
            wanted = _values(want)
            for kind in ("road", "name", "route", "colour"):
                common = sorted(of_kind(wanted, kind) & of_kind(offered, kind))
                if common:
                    return _the_one(kind, common)
        return None

    @property
    def is_anything_feasible(self) -> bool:
        """Whether there is a wanted change that the car can make."""
        return any(want.changes and want.possible for want in self._wants)

    @property
    def lacking(self) -> frozenset[str]:
        """Topics of what the car lacks."""
        return lexicon().removed_subject(self._removed)[0]

    def _values_for(self, proposal: Sentence) -> Values:
        """Values of the wanted changes that share a topic with a proposal."""
        about = proposal.about
        found: set[tuple[str, str]] = set()
        for number, want in enumerate(self._wants):
            if want.changes and number not in self._done and (not about or about & _topics(want)):
                found |= _values(want)
        return frozenset(found)


def _topics(want: Want) -> frozenset[str]:
    return lexicon().part_topics(want.tool)


def _values(want: Want) -> Values:
    found = set[tuple[str, str]]()
    for name, value in want.arguments.items():
        if isinstance(value, bool):
            found.add(("deed", "on" if value else "off"))
        elif isinstance(value, int | float):
            found.add(("number", f"{value:g}"))
            if want.tool.startswith("open_close"):
                found.add(("deed", "open" if value else "close"))
        elif isinstance(value, str) and name not in ("content_message", "phone_number"):
            spelled = value.lower().replace("_", " ")
            found |= {pair for pair in values(spelled) if pair[0] != "name"}
    for phrase in want.names:
        found |= values(phrase) | {
            ("name", word.lower())
            for word in re.findall(r"[^\W\d_]{3,}", phrase)
            if word[0].isupper()
        }
    found |= {("deed", deed) for part, deed in _DEEDS.items() if part in want.tool.split("_")}
    return frozenset(found)


def _conflicts(proposed: Values, wanted: Values, own_names: set[str], *, people: bool) -> set[str]:
    """The kinds of value of which a proposal names only wrong ones.

    Of `people` a name that is not wanted is wrong even beside one that is.
    """
    kinds = set()
    for kind in {kind for kind, _ in proposed}:
        ours, theirs = of_kind(wanted, kind), of_kind(proposed, kind)
        wrong = not ours & theirs
        if kind == "name":
            other_person = people and bool(theirs - ours) and not ours <= theirs
            wrong = other_person or not theirs & (ours | own_names)
        if ours and wrong:
            kinds.add(kind)
    return kinds


def _no(kind: str, right: list[str]) -> str:
    return f"No, {_the_one(kind, right)[:1].lower()}{_the_one(kind, right)[1:]}"


def _the_one(kind: str, right: list[str]) -> str:
    match kind:
        case "road":
            return f"The one via {' and '.join(right)}, please."
        case "route":
            return f"The {right[0].replace('_', '-')} one, please."
        case "name":
            return f"{' '.join(word.capitalize() for word in right)}, please."
    return f"{right[0].capitalize()}, please."


def ask_again(topics: Iterable[str], request: str) -> str:
    """Asks for one of the topics, preferably one that the request names."""
    named = lexicon().topics(request)
    listed = sorted(topics, key=lambda topic: (topic not in named, topic))
    if not listed:
        return "And what about what I asked for?"
    noun = NOUNS.get(listed[0]) or f"the {listed[0].replace('_', ' ')}"
    return f"And what about {noun}?"
