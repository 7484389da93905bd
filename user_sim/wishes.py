"""Whether a proposal is part of what the driver wants, judged by topics and values."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.script import DriverBrief, Script
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, all_numbers, of_kind, values
from user_sim.wanted_values import (
    PEOPLE,
    clauses_of,
    is_of_people,
    meant,
    named_things,
    topics_of,
    values_of,
    wrong_kinds,
)
from user_sim.wants import WORDING, CarCall, Want

# To do these twice does harm.
NOT_AGAIN = frozenset({"email", "phone", "contact", "recipient"})
TELLING = ("number", "colour", "direction", "name", "route", "deed")
PLACES = ("get_weather", "search_poi_at_location")
LOOK_UPS = ("get_", "search_", "calculate_", "convert_", "think", "planning")
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


class Wishes:
    """What one driver wants, and how much of it the car has confirmed."""

    def __init__(self, brief: DriverBrief) -> None:
        script = brief.script or Script(opening="")
        self._wants = brief.wants
        self._removed = brief.removed
        self._own_words = " ".join(
            [script.opening, *script.followups, *(answer.say for answer in script.answers)]
        )
        self._own_values = self._known_values(script)
        known = [topics_of(want) for want in self._wants]
        self._topics_known = lexicon().topics(self._own_words).union(*known)
        self._done: set[int] = set()
        self.progressed = self.acted = False  # in the last turn
        self._acted_on = frozenset[str]()  # topics of what was done in the last turn
        self._in_vain: set[str] = set()  # tools of calls that did nothing wanted

    def _known_values(self, script: Script) -> Values:
        """What the driver has said, and what the look-ups are for."""
        said = values(f"x {script.opening}") | {
            pair for pair in values(self._own_words) if pair[0] == "route"
        }
        names = values(f"x {self._own_words}") | self._names_of_wants
        days = values(self._own_words)
        looked_up = [values_of(want) for want in self._wants if not want.changes]
        numbers = frozenset[tuple[str, str]]().union(*looked_up)
        weather = any(want.tool == "get_weather" for want in self._wants)
        now = {("day", "today")} if weather and not of_kind(days, "day") else set()
        return frozenset(
            {pair for pair in said if pair[0] not in ("name", "day")}
            | {pair for pair in names if pair[0] == "name"}
            | {pair for pair in days if pair[0] == "day"}
            | {pair for pair in numbers if pair[0] == "number"}
            | now
        )

    @property
    def _names_of_wants(self) -> Values:
        phrases = " ".join(phrase for want in self._wants for phrase in want.names)
        return frozenset(("name", word.lower()) for word in re.findall(r"[^\W\d_]{3,}", phrases))

    def confirm(self, calls: Iterable[CarCall]) -> None:
        """The car has carried out these calls; of equal changes a call does only the first."""
        self.progressed = self.acted = False
        self._acted_on = frozenset[str]()
        for tool, arguments in calls:
            if not tool.startswith(LOOK_UPS):
                self.acted = True
                self._acted_on |= lexicon().part_topics(tool)
            done: list[dict[str, Any]] = []
            for number, want in enumerate(self._wants):
                fits = want.changes and number not in self._done
                if fits and want.is_done_by(tool, arguments) and want.arguments not in done:
                    done.append(want.arguments)
                    self._done.add(number)
            self.progressed = self.progressed or bool(done)
            if not done:
                self._in_vain.add(tool)

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
        return frozenset[str]().union(*(topics_of(want) for want in self._wants if want.changes))

    @property
    def topics_looked_up(self) -> frozenset[str]:
        """Of all that is wanted, look-ups included."""
        return frozenset[str]().union(*map(topics_of, self._wants))

    def missing(self, request: int, text: str) -> frozenset[str]:
        """Topics that a request names and for whose possible changes nothing was done at all."""
        named = lexicon().topics(text)
        return frozenset[str]().union(
            *(topics_of(want) & named for want in self.open(request) if self._is_untouched(want))
        )

    def is_untouched(self, request: int) -> bool:
        """Whether a request asks for changes and for none of them anything was done."""
        changes = [want for want in self._wants if want.changes and want.request == request]
        return (
            bool(changes)
            and all(want in self.open() for want in changes)
            and all(map(self._is_untouched, changes))
        )

    def _is_untouched(self, want: Want) -> bool:
        return want.possible and want.tool not in self._in_vain

    def is_settled(self, element: str) -> bool:
        """Whether all that is wanted of the element's topics has been done."""
        topics, _ = lexicon().element_subject(element)
        about = [
            number for number, want in enumerate(self._wants)
            if want.changes and (not topics or topics & topics_of(want))
        ]  # fmt: skip
        return bool(about) and self._done.issuperset(about)

    def wants(self, proposal: Sentence, request: int = 0, *, told: bool = False) -> bool:
        """Whether a yes would bring the driver closer to what they want.

        `told` says whether the current `request` for information was answered.
        """
        if not self._wants:
            return True
        open_wants = self.open()
        if PHRASES.once_more.search(proposal.text) and not self.contradicts(proposal):
            return bool(open_wants) or not proposal.about & NOT_AGAIN
        relevant = [*open_wants, *self._look_ups(request, told=told)]
        named = proposal.topics
        if not open_wants and not _only_looks(proposal):
            return False
        if not relevant or self.contradicts(proposal):
            return False
        if PHRASES.something_more.search(proposal.text):
            relevant = [want for want in relevant if want.changes or not told]
            return any(meant(named) & topics_of(want) for want in relevant)
        about = meant(proposal.about)
        if "elsewhere" in named and not any(meant(named) & topics_of(want) for want in relevant):
            return False
        return not about or any(about & topics_of(want) for want in relevant)

    def _look_ups(self, request: int, *, told: bool) -> list[Want]:
        """The look-ups that serve a change that is open, or an answer that is owed."""
        serving = {want.request for want in self.open()}
        if not told and self.asks_to_know(request):
            serving.add(request)
        return [
            want for want in self._wants
            if not want.changes and serving
            and (want.request is None or want.request in serving)
        ]  # fmt: skip

    def asks_to_know(self, request: int) -> bool:
        """Whether a request asks for information and no change."""
        changes = any(want.changes and want.request in (request, None) for want in self._wants)
        return bool(self._wants) and not changes

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
            and any(want.possible and named & topics_of(want) for want in self.open())
            and not self.contradicts(proposal)
        )

    def is_progress(self, claim: str) -> bool:
        """Whether something wanted was just confirmed and the claim names nothing of what is not.

        What is impossible and open has values of its own, which the claim would name.
        """
        impossible = [want for want in self.open() if not want.possible]
        possible = frozenset[tuple[str, str]]().union(
            *(values_of(want) for want in self._wants if want.changes and want.possible)
        )
        named = values(f"x {claim}")
        return (
            self.progressed
            and bool(impossible)
            and not any(named & (values_of(want) - possible) for want in impossible)
        )

    def is_backed(self, claim: Sentence) -> bool:
        """Whether the car has just done something to all that the claim names."""
        named = meant(claim.topics)
        return bool(named) and named <= self._acted_on

    def is_of_impossible(self, claim: Sentence) -> bool:
        """Whether it names a value or a thing of what the car cannot do, and of nothing it can."""
        possible = [want for want in self._wants if want.changes and want.possible]
        impossible = [want for want in self.open() if not want.possible]
        named, topics = values(f"x {claim.text}"), meant(claim.topics)
        for want in impossible:
            only_values = values_of(want).difference(*map(values_of, possible))
            only_topics = topics_of(want).difference(*map(topics_of, possible))
            told = {pair for pair in named & only_values if pair[0] in TELLING}
            about = topics & topics_of(want)
            if topics & only_topics or (told and (about or not topics)):
                return True
        return False

    def contradicts(self, proposal: Sentence) -> bool:
        """Whether it names a wrong value of what is wanted."""
        return bool(self._wrong_kinds(proposal))

    def right_value(self, proposal: Sentence) -> str | None:
        """A no with the value that is wanted instead of the one proposed."""
        kinds, wanted = self._wrong_kinds(proposal), self._values_for(proposal)
        for kind in ("number", "colour", "route", "road", "name"):
            right = sorted(of_kind(wanted, kind))
            if kind in kinds and right:
                return _no(kind, right)
        return None

    def _wrong_kinds(self, proposal: Sentence) -> set[str]:
        """The kinds of value of which a proposal, or a clause of it, names wrong ones."""
        kinds = self._wrong_in(proposal)
        for clause in clauses_of(proposal):
            kinds |= self._wrong_in(clause)
        if self._leaves_out_wrongly(proposal) or self._misquotes(proposal):
            kinds.add("text")
        if meant(named_things(proposal)) - self._topics_known:
            kinds.add("thing")
        return kinds

    def _wrong_in(self, proposal: Sentence) -> set[str]:
        proposed, people = values(proposal.context), is_of_people(proposal)
        if proposal.is_beside_facts:
            told = {pair for pair in proposed if pair[0] == "number"} - values(proposal.text)
            proposed = proposed - told
        wanted = self._values_for(proposal)
        kinds = {kind for kind, _ in wanted}
        wanted |= {pair for pair in self._values_of_open if pair[0] not in kinds}
        return wrong_kinds(proposed, wanted, self._own_values, people=people)

    @property
    def _values_of_open(self) -> Values:
        return frozenset[tuple[str, str]]().union(*map(values_of, self.open()))

    def _leaves_out_wrongly(self, proposal: Sentence) -> bool:
        """Whether it would remove a place that is to stay."""
        removing = ("delete", "replace")
        gone = {
            word
            for want in self.open() if any(part in want.tool for part in removing)
            for phrase in want.names for word in phrase.split()
        }  # fmt: skip
        return bool(set(PHRASES.leaves_out.findall(proposal.context)) - gone)

    def _misquotes(self, proposal: Sentence) -> bool:
        """Whether the text of a mail that it reads out tells other numbers."""
        quoted = all_numbers(" ".join(PHRASES.quotes.findall(proposal.context)))
        texts = [want.arguments[WORDING] for want in self.open() if WORDING in want.arguments]
        wanted = all_numbers(" ".join(map(str, texts)))
        return bool(texts and quoted and wanted and not quoted & wanted)

    def choice(self, turn: Sequence[Sentence]) -> str | None:
        """The option of a turn that is wanted, by its name or road."""
        heard = " ".join(each.text for each in turn)
        offered = values(f"x {heard}")
        for want in self.open() or self._wants:
            wanted = values_of(want)
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
        about = meant(proposal.about)
        about = about | PEOPLE if about & PEOPLE else about
        found: set[tuple[str, str]] = set()
        for number, want in enumerate(self._wants):
            if number in self._done or (about and not about & topics_of(want)):
                continue
            if want.changes:
                found |= values_of(want)
            elif (
                want.tool in PLACES and want.request is not None and self.asks_to_know(want.request)
            ):
                found |= {pair for pair in values_of(want) if pair[0] in ("name", "place")}
        return frozenset(found)


def _only_looks(proposal: Sentence) -> bool:
    """Whether it proposes to look something up, or asks whether just this was meant."""
    text = proposal.text
    if PHRASES.changes_something_more.search(text):
        return False
    understood = PHRASES.asks_if_understood.search(text)
    changes = PHRASES.changes_something.search(proposal.context)
    return bool(PHRASES.looks_something_up.search(text) or (understood and not changes))


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
