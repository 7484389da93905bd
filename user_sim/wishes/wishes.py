"""Whether a proposal is part of what the driver wants, judged by topics and values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from assistant_gateway.wording.quantities import Quantity, Unit, quantities
from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.said_again import noun
from user_sim.script import DriverBrief, Script
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, aims, of_kind, values
from user_sim.wants import WORDING, CarCall, Want
from user_sim.wishes.mail_text import is_quoted_rightly, read_out
from user_sim.wishes.moment import Moment, OwnWords
from user_sim.wishes.unexplained import is_unexplained
from user_sim.wishes.wanted_values import (
    NAME_WORD,
    NO_COLOUR,
    PEOPLE,
    THINGS,
    meant,
    planned,
    split,
    spoken_names,
    topics_changed,
    topics_of,
    values_of,
)
from user_sim.wishes.wrong_values import (
    PLACES,
    keeps_as_it_is,
    numbers_by_thing,
    values_for,
    wrong_in,
)

# To do these twice does harm.
NOT_AGAIN = frozenset({"email", "phone", "contact", "recipient"})
TELLING = ("number", "colour", "direction", "name", "route", "deed")
AMOUNTS = ("number", "colour")
MEASURES = ("number", "colour", "direction")  # of how something stands
TEMPERATURES = frozenset({"set_climate_temperature", "get_temperature_inside_car"})
_TRIPS = frozenset(
    {
        "get_routes_from_start_to_destination",
        "get_current_navigation_state",
        "search_poi_along_the_route",
    }
)
# The tools that tell an amount of a unit.
TOOLS_OF: Mapping[Unit, frozenset[str]] = {
    "duration": _TRIPS | {"calculate_charging_time_by_soc", "get_entries_from_calendar"},
    "distance": _TRIPS | {"get_distance_by_soc", "get_charging_specs_and_status"},
}
# Fields of results that tell an amount of a unit.
FIELDS: Mapping[Unit, re.Pattern[str]] = {
    "duration": re.compile("duration|time|hour|minute|start"),
    "distance": re.compile("distance|kilomet|km|range"),
}
# The unit of an argument.
UNITS = {"temperature": "degrees", "percentage": "percent"}
TRIP_CHANGES = frozenset({"navigation", "waypoint", "destination"})
LOOK_UPS = ("get_", "search_", "calculate_", "convert_", "think", "planning")


def tells_its_unit(tool: str, text: str) -> bool:
    """Whether a text tells no amount, or one of a unit that the tool tells."""
    units = {unit for unit, tools in TOOLS_OF.items() if tool in tools}
    told = {each.unit for each in quantities(text)} - {"number", "clock"}
    return not units or not told or bool(units & told)


def is_look_up(tool: str) -> bool:
    return tool.startswith(LOOK_UPS)


class Wishes:
    """What one driver wants, and how much of it the car has confirmed."""

    def __init__(self, brief: DriverBrief) -> None:
        script = brief.script or Script(opening="")
        self._removed = brief.removed
        self.own = OwnWords(script, brief.wants)
        # Derived scripts do not tell well enough what belongs to a request.
        written = script.origin == "written"
        self._wants = [
            want.model_copy(update={"possible": True})
            if written and (
                self._is_named(want, brief.wants) or self._is_free_change(want, brief.wants)
            )
            else want
            for want in brief.wants
        ]  # fmt: skip
        self._done: set[int] = set()
        self._looked_up: set[int] = set()
        self._called: set[str] = set()
        self.request = 0  # the one that was made last
        self.limit_heard = False
        self.progressed = self.acted = False  # in the last turn
        self._guessed: list[Want] = []  # done in the last turn without what the car lacks
        self.acted_on = frozenset[str]()  # topics of what was done in the last turn
        self._in_vain: set[str] = set()  # tools of calls that did nothing wanted

    @property
    def _known(self) -> Moment:
        return Moment(self.own, self._wants, frozenset(self._done), self.request)

    def confirm(self, calls: Iterable[CarCall]) -> None:
        """The car has carried out these calls; of equal changes a call does only the first."""
        self.progressed = self.acted = False
        self._guessed = []
        self.acted_on = frozenset[str]()
        for tool, arguments in calls:
            self._called.add(tool)
            if not is_look_up(tool):
                self.acted = True
                self.acted_on |= lexicon().part_topics(tool) | _of_trip(tool)
            done: list[CarCall] = []
            for number, want in enumerate(self._wants):
                if not want.is_done_by(tool, arguments):
                    if tool == "set_new_navigation" and self._makes_way(want, arguments):
                        self._done.add(number)
                    continue
                if not want.changes:
                    self._looked_up.add(number)
                elif number not in self._done and (same := want.but_for_wording) not in done:
                    done.append(same)
                    self._done.add(number)
                    self._guessed += [want] if self._is_guess(want) else []
            self.progressed = self.progressed or bool(done)
            if not done:
                self._in_vain.add(tool)

    def _is_named(self, want: Want, wants: Sequence[Want]) -> bool:
        """Whether a request names the amount of a change itself, and the car has its tools."""
        request = self.own.request(want.request)
        about = [text for text in split(request) if lexicon().topics(text) & topics_of(want)]
        text = " ".join(about) or request
        amounts = {pair for pair in values_of(want) if pair[0] in AMOUNTS} - {("number", "0")}
        said = values(f"x {text}")
        named = amounts <= said if amounts else ("deed", "off") in said & values_of(want)
        depends = PHRASES.depends.search(request) or PHRASES.by_steps.search(text)
        lacks = want.tool in self._lacking_tools or any(
            each.tool in self._removed for each in wants if each.request == want.request
        )
        return want.changes and named and not depends and not lacks

    def _is_free_change(self, want: Want, wants: Sequence[Want]) -> bool:
        """Whether a change needs nothing that the car lacks, nor stands beside what it hides."""
        beside = (each for each in wants if each.changes and each.request == want.request)
        return want.free and want.changes and not any(topics_of(e) & self.lacking for e in beside)

    def _is_guess(self, want: Want) -> bool:
        """Whether a change depends on what a request up to its own cannot look up.

        A mail may tell what is known, unless its recipients had to be looked up.
        """
        needs = [other.request for other in self._wants if other.tool in self._lacking_tools]
        if want.possible or want.tool in self._lacking_tools or want.request is None:
            return False
        if not self._known.is_made(want):
            return False
        if not any(need is not None and need <= want.request for need in needs):
            return False
        own = self.own.text.lower()
        named = any(word in own for name in want.names for word in name.lower().split())
        return WORDING not in want.arguments or not named

    def is_of_guess(self, told: Sentence) -> bool:
        """Whether it tells of a change that was just made and can only have been guessed.

        A claim that names nothing is of all that was done.
        """
        said = told.text.lower()
        unnamed = "claim" in told.acts and not told.topics
        return not told.asks and any(
            told.topics & topics_of(want)
            or (unnamed and self.acted_on <= topics_of(want))
            or any(word in said for name in want.names for word in name.lower().split())
            for want in self._guessed
        )  # fmt: skip

    @property
    def _lacking_tools(self) -> frozenset[str]:
        return frozenset(part.removeprefix("result.").split(".")[0] for part in self._removed)

    def wants_only_what_lacks(self, request: int) -> bool:
        """Whether the changes of a request are impossible, as the car lacks a tool for them."""
        wants = [want for want in self._wants if want.request == request]
        lacks = any(want.tool in self._lacking_tools for want in wants)
        changes = [want for want in wants if want.changes]
        return lacks and bool(changes) and not any(want.possible for want in changes)

    def topics_named(self, request: int) -> frozenset[str]:
        """What the words of a request are about."""
        return lexicon().topics(self.own.request(request))

    def tells_what_lacks(self, text: str, request: int) -> bool:
        """Whether a text tells an amount that only what the car lacks can have told it.

        These are distances and durations, the temperature of a forecast, and how far it is to the
        charge that was named.
        """
        wants = [want for want in self._wants if want.request == request]
        tools = {want.tool for want in wants}
        units = {each.unit for each in quantities(text)}
        blind = {want.tool for want in wants if not (want.changes or want.possible)}
        if self._tells_lacking_amount(tools, blind - self._lacking_tools, text):
            return True
        unknown = any(part.endswith(("get_weather", "temperature_c")) for part in self._removed)
        if unknown and "get_weather" in tools and "temperature" in units:
            known = {each.amount for each in quantities(self.own.text)}
            warm = {each.amount for each in quantities(text) if each.unit == "temperature"}
            return tools.isdisjoint(TEMPERATURES) and bool(warm - known)
        levels = {
            Quantity("percent", float(want.arguments["final_state_of_charge"]))
            for want in wants if "final_state_of_charge" in want.arguments
        }  # fmt: skip
        return bool(
            tools & self._lacking_tools and "distance" in units and levels & {*quantities(text)}
        )

    def _tells_lacking_amount(self, tools: set[str], blind: set[str], text: str) -> bool:
        """Whether it tells a distance or a duration, and only what is lacking tells them.

        Tools are `blind` where nothing else tells their arguments.
        """
        known = quantities(self.own.text)
        telling = {unit: tools & of_unit for unit, of_unit in TOOLS_OF.items() if tools & of_unit}
        lacking = {
            unit
            for unit, needed in telling.items()
            if all(tool in blind or self._cannot_tell(tool, unit) for tool in needed)
        }
        return any(each.unit in lacking and each not in known for each in quantities(text))

    def _cannot_tell(self, tool: str, unit: Unit) -> bool:
        """Whether the tool, a parameter of it or the field with such an amount is removed."""
        prefix = f"result.{tool}."
        return any(
            part == tool
            or part.startswith(f"{tool}.")
            or (part.startswith(prefix) and bool(FIELDS[unit].search(part.removeprefix(prefix))))
            for part in self._removed
        )

    def amounts(self, request: int) -> str:
        """The degrees and percentages that a request wants something to be changed to."""
        return ", ".join(
            f"{want.arguments[name]} {unit}"
            for want in self._wants for name, unit in UNITS.items()
            if want.changes and want.request == request and name in want.arguments
        )  # fmt: skip

    def asks_for_weather(self, request: int) -> bool:
        return any(want.tool == "get_weather" and want.request == request for want in self._wants)

    def is_elsewhere(self, told: Sentence, request: int) -> bool:
        """Whether it tells a weather of other places than the one that was asked for."""
        wants = [want for want in self._wants if want.request == request]
        places = {word.lower() for want in wants for name in want.names for word in name.split()}
        others = {
            word.lower() for want in self._wants for name in want.names for word in name.split()
        }
        said = others & {*re.findall(r"\w+", told.text.lower())}
        there = aims(told.text, at=True) or ([said] if said else [])
        weather = any(want.tool == "get_weather" for want in wants)
        return bool(weather and places and there) and not any(words & places for words in there)

    def _makes_way(self, want: Want, arguments: dict[str, Any]) -> bool:
        """Whether it was wanted to end a trip for this new one: somebody else has ended it."""
        return want.tool == "delete_current_navigation" and any(
            other.request == want.request and other.is_done_by("set_new_navigation", arguments)
            for other in self._wants
        )

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

    def is_answered(self, request: int, told: frozenset[str]) -> bool:
        """Whether all that a request wants to know was looked up, and its last topic was `told`.

        What an earlier request looks up as well is wanted anew: it may have changed.
        """
        wants = [want for want in self._wants if want.request == request]
        looked_up = not self._removed and self.is_looked_up(request)
        if not looked_up or self.was_looked_up_before(request):
            return False
        return bool(topics_of(wants[-1]) & told)

    def was_looked_up_before(self, request: int) -> bool:
        """Whether earlier requests look up all that a request does."""
        return all(self._was_wanted_before(want) for want in self._wants if want.request == request)

    def lacks_nothing_for(self, request: int) -> bool:
        """Whether the car is known to have all that a request needs."""
        return not self._removed or any(
            want.free for want in self._wants if want.request == request
        )

    def _was_wanted_before(self, want: Want) -> bool:
        return any(
            other.request is not None and want.request is not None
            and other.request < want.request
            and (other.tool, other.arguments) == (want.tool, want.arguments)
            for other in self._wants
        )  # fmt: skip

    def is_begun(self, request: int) -> bool:
        """Whether some but not all changes that a request wants are confirmed."""
        changes = {
            number for number, want in enumerate(self._wants)
            if want.changes and want.request == request
        }  # fmt: skip
        return bool(changes & self._done) and not changes <= self._done

    def is_looked_up(self, request: int) -> bool:
        """Whether a request wants look-ups alone and all were made."""
        wants = [number for number, want in enumerate(self._wants) if want.request == request]
        return bool(wants) and self._looked_up.issuperset(wants)

    @property
    def is_only_information(self) -> bool:
        return not any(want.changes for want in self._wants)

    @property
    def all_done(self) -> bool:
        return not self.is_only_information and not self.open() and not self._unanswered

    @property
    def is_all_answered(self) -> bool:
        """Whether nothing but information is wanted, and something was looked up for each."""
        return self.is_only_information and not self._unanswered

    def is_unanswered(self, request: int) -> bool:
        """Whether a request asks for information and nothing was looked up for it."""
        return request in self._unanswered

    @property
    def _unanswered(self) -> set[int]:
        """The requests for information that were made and for which nothing was looked up."""
        made = {want.request for want in self._wants if self._known.is_made(want)} - {None}
        last = {
            number: [want.tool for want in self._wants if want.request == number][-1]
            for number in made if number is not None and self.asks_to_know(number)
        }  # fmt: skip
        return {number for number, tool in last.items() if tool not in self._called}

    @property
    def topics(self) -> frozenset[str]:
        """Of all changes that are wanted."""
        return frozenset[str]().union(*(topics_of(want) for want in self._wants if want.changes))

    def topics_beside(self, element: str) -> frozenset[str]:
        """Of all changes that are wanted and neither are about the element nor look it up."""
        topics, _ = lexicon().element_subject(element)
        about = [want for want in self._wants if topics_of(want) & topics]
        return frozenset[str]().union(
            *(
                topics_of(want) for want in self._wants
                if want.changes and not any(
                    want.request == each.request and topics_of(want) & topics_of(each)
                    for each in about
                )
            )
        )  # fmt: skip

    def topics_of_request(self, request: int) -> frozenset[str]:
        """Of what a request wants to be changed and is open, or else of what it wants to know."""
        wants = self.open(request) or [
            want for want in self._wants if not want.changes and want.request in (None, request)
        ]
        return frozenset[str]().union(*map(topics_of, wants))

    def missing(self, request: int, text: str) -> frozenset[str]:
        """Topics of the possible changes of a request for which nothing was done at all.

        Those that a text names, of this request and those before it, by a word for the thing, by
        the place or person that the request is for, or by a direction or colour.
        """
        named, words = lexicon().topics(text), set(NAME_WORD.findall(text))
        said = {pair for pair in values(text) if pair[0] in ("direction", "colour")}
        left = list(filter(self._is_untouched, self.open(request)))
        found = frozenset[str]().union(*(topics_of(want) & named for want in left))
        for_names = (
            topics_of(want) for want in left
            if want.request is not None
            and (words & set(NAME_WORD.findall(" ".join(want.names))) or said & values_of(want))
        )  # fmt: skip
        return found or frozenset[str]().union(*for_names)

    def undone(self, request: int) -> frozenset[str]:
        """Topics of the possible changes of a request that are not confirmed."""
        left = [want for want in self.open(request) if want.possible]
        return frozenset[str]().union(*map(topics_of, left))

    def has_untouched(self, request: int) -> bool:
        """Whether for a possible change of a request nothing was done at all."""
        return any(map(self._is_untouched, self.open(request)))

    def is_untouched(self, request: int) -> bool:
        """Whether a request asks for changes and for none of them anything was done."""
        changes = [want for want in self._wants if want.changes and want.request == request]
        return (
            bool(changes)
            and all(want in self.open() for want in changes)
            and all(map(self._is_untouched, changes))
        )

    def was_tried_otherwise(self, request: int) -> bool:
        """Whether the car has just changed something, and all that is open with another value.

        The driver cannot see such a value and takes the request as done.
        """
        return self.acted and not any(map(self._is_untouched, self.open(request)))

    def _is_untouched(self, want: Want) -> bool:
        return want.possible and want.tool not in self._in_vain

    def is_settled(self, element: str) -> bool:
        """Whether all that is wanted of the element's topics has been done."""
        topics, _ = lexicon().element_subject(element)
        aspects = lexicon().aspects_of_any_thing(element)
        about = [
            number for number, want in enumerate(self._wants)
            if want.changes
            and (not topics or topics & topics_of(want) or aspects & want.arguments.keys())
        ]  # fmt: skip
        return bool(about) and self._done.issuperset(about)

    def wants(self, proposal: Sentence, request: int = 0, *, told: bool = False) -> bool:
        """Whether a yes would bring the driver closer to what they want.

        `told` says whether the current `request` for information was answered.
        """
        if not self._wants:
            return True
        open_wants = self.open()
        if self.is_only_information and keeps_as_it_is(proposal, self._known):
            return True
        if PHRASES.once_more.search(proposal.text) and not self.contradicts(proposal):
            return bool(open_wants) or not proposal.about & NOT_AGAIN
        relevant = [*open_wants, *self._look_ups(request, told=told)]
        named = proposal.topics
        if not open_wants and not _only_looks(proposal):
            return False
        if self.is_mail_as_wanted(proposal):
            return True
        if not relevant and not told and self.asks_to_know(request) and _only_looks(proposal):
            return True
        if not relevant or self.contradicts(proposal):
            return False
        if _would_change(proposal):
            relevant = open_wants
        about, pronoun = meant(proposal.subject), PHRASES.pronoun.search(proposal.text)
        offered = about if pronoun else meant(named)
        if pronoun and not offered and not PHRASES.all_the_rest.search(proposal.text):
            offered = meant(proposal.about)
        if PHRASES.something_more.search(proposal.text) and not self._names_wanted(proposal):
            relevant = [want for want in relevant if want.changes or not told]
            deed = values(f"x {proposal.text}") & self._known.of_requests_made.open_values
            it_is = pronoun and (deed or _follows_plan(proposal))
            also = meant(proposal.about if it_is else named)
            return any(also & topics_of(want) for want in relevant)
        if (
            self.limit_heard
            and offered & self.lacking
            and not any(
                (want.possible or want.free) and (about or _able(proposal)) & topics_of(want)
                for want in relevant
            )
        ):
            return False
        if "elsewhere" in named | proposal.subject and not any(
            meant(named) & topics_of(want) for want in relevant
        ):
            return False
        topics = frozenset[str]().union(*map(topics_of, relevant))
        looks = PHRASES.looks_something_up.search(proposal.text)
        if looks and "weather" in topics and not self.is_elsewhere(proposal, request):
            topics |= {"temperature"}
        return not about or bool(about & topics) or self._names_wanted(proposal)

    def _names_wanted(self, proposal: Sentence) -> bool:
        """Whether it names a place that is still wanted, or no thing but a wanted value."""
        text, wanted = _in_words(proposal), self._known.of_requests_made.open_values
        named = values(f"x {text}")
        if _only_looks(proposal) and PHRASES.asks_if_understood.search(text):
            look_ups = self._look_ups(self.request, told=False)
            looked_up = (values_of(want) for want in look_ups if want.tool in PLACES)
            return any(pair[0] == "name" for pair in named.intersection(wanted.union(*looked_up)))
        kinds = ("name", *(() if proposal.topics & (THINGS | TRIP_CHANGES) else MEASURES))
        change = not PHRASES.looks_something_up.search(text)
        return change and any(pair[0] in kinds for pair in wanted & named)

    def is_for_later(self, proposal: Sentence) -> bool:
        """Whether it is about nothing that was asked for so far, but about a later request."""
        about, known = _named(proposal), self._known
        left = [
            want for number, want in enumerate(self._wants)
            if number not in self._done | self._looked_up and about & topics_of(want)
        ]  # fmt: skip
        later = bool(left) and not any(map(known.is_made, left))
        return later and not self._names_wanted(proposal)

    def is_for_request(self, proposal: Sentence, request: int) -> bool:
        """Whether it is about something that a request wants."""
        about = _named(proposal)
        return any(want.request == request and about & topics_of(want) for want in self._wants)

    def request_about(self, proposal: Sentence) -> int | None:
        """The first request that was made and wants a change of what a proposal is about."""
        about, known = meant(proposal.about), self._known.of_requests_made
        numbers = (want.request for want in known.open if about & topics_of(want))
        return min((number for number in numbers if number is not None), default=None)

    def _look_ups(self, request: int, *, told: bool) -> list[Want]:
        """The look-ups that serve a change that is open, or an answer that is owed."""
        serving = {want.request for want in self.open()} | self._unanswered
        if not told and self.asks_to_know(request):
            serving.add(request)
        return [
            want for want in self._wants
            if not want.changes and serving
            and (want.request is None or want.request in serving)
        ]  # fmt: skip

    def asks_to_know(self, request: int) -> bool:
        """Whether a request asks for information and no change."""
        return self._known.is_to_know(request)

    @property
    def notices_what_lacks(self) -> bool:
        """Whether what is lacking was asked for; of look-ups for it the driver knows nothing."""
        named = lexicon().topics(self.own.text)
        return bool(self.open()) or self.is_only_information or bool(named & self.lacking)

    @property
    def asked_for_what_lacks(self) -> bool:
        """Whether a request that needs what the car lacks was made, as far as is known."""
        needs = self._needing_what_lacks
        return not needs or any(map(self._known.is_made, needs))

    @property
    def _needing_what_lacks(self) -> list[Want]:
        tools = {part.removeprefix("result.").split(".")[0] for part in self._removed}
        return [want for want in self._wants if want.tool in tools]

    @property
    def lacking_deeds(self) -> frozenset[str]:
        """Topics of the tools that change something and are removed as a whole."""
        deeds = [part for part in self._removed if not is_look_up(part) and "." not in part]
        return lexicon().removed_subject(deeds)[0]

    def lacking_of(self, request: int) -> frozenset[str]:
        """Topics of what the car lacks, if the request is known to need it."""
        needs = any(want.request == request for want in self._needing_what_lacks)
        free = any(want.free for want in self._wants if want.request == request)
        return self.lacking if needs and not free else frozenset()

    def is_free_to_know(self, request: int) -> bool:
        """Whether a request asks for information and the car lacks nothing for it."""
        return self.lacks_nothing_for(request) and self.asks_to_know(request)

    def can_still_tell(
        self, request: int, asked: str, turn: Sequence[Sentence], *, told_before: bool
    ) -> bool:
        """Whether the car has a look-up for what is asked, and nobody made it or told anything.

        What is told of the thing, or an amount of its unit, counts as an answer.
        """
        told = [each for each in turn if each.acts & {"info", "claim"} or quantities(each.text)]
        topics = frozenset[str]().union(self.lacking, *(each.topics for each in told))
        wants = [want for want in self._wants if not want.changes and want.request == request]
        lacks = self.lacking.union(*(topics_of(want) for want in wants if not want.possible))
        of_clauses = map(lexicon().topics, split(asked))
        named = frozenset[str]().union(*(each for each in of_clauses if not each & lacks))
        named |= {"weather"} if "temperature" in named else frozenset()
        units = {each.unit for one in told for each in quantities(one.text)}
        return any(
            want.possible
            and (want.tool not in self._called or not (told or told_before))
            and topics_of(want) & named and not topics_of(want) & topics
            and not any(want.tool in TOOLS_OF.get(unit, ()) for unit in units)
            for want in wants
        )  # fmt: skip

    def is_worth_making(self, request: int) -> bool:
        """Whether the car, of which the limit was admitted, can fulfil part of a request.

        Of look-ups that is known only of requests that are free, and before the first that needs
        what the car lacks.
        """
        if any(want.free and want.request == request for want in self._wants):
            return True
        numbers = [want.request for want in self._needing_what_lacks if want.request is not None]
        possible = any(want.possible and want.request == request for want in self.open())
        return possible or request < min(numbers, default=0)

    def is_feasible(self, question: Sentence) -> bool:
        """Whether it is about something wanted, open and possible, and about nothing that lacks."""
        return not question.about & self.lacking and any(
            want.possible and question.about & topics_of(want) for want in self.open()
        )

    def has_wants(self, request: int | None) -> bool:
        """Whether it is known what the car is to do or to look up for a request."""
        return any(want.request in (None, request) for want in self._wants)

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
        return bool(named) and named <= self.acted_on

    def is_looked_up_state(self, told: Sentence) -> bool:
        """Whether it tells how something stands that the assistant has looked up, not a deed.

        A state that is what the driver wants of it may be a claim, and so may one that is "now"
        so, once the driver has asked for what the car lacks.
        """
        looked_up = (lexicon().part_topics(tool) for tool in self._called if is_look_up(tool))
        known = frozenset[str]().union(*looked_up)
        if not self.asked_for_what_lacks:
            about = [text for text in split(told.text) if lexicon().topics(text) & self.lacking]
            deeds = any(PHRASES.tells_a_deed.search(text) for text in about)
            states = PHRASES.lists_states.search(told.text) or any(map(_is_state, about))
            return bool(states and about) and not deeds and self.lacking <= known
        wanted = frozenset[tuple[str, str]]().union(*map(values_of, self.open()))
        return (
            bool(told.topics)
            and _is_state(told.text)
            and not PHRASES.tells_a_change.search(told.text)
            and told.topics <= known
            and set(re.findall(r"\w+", told.text)).isdisjoint(
                value for kind, value in wanted if kind in MEASURES
            )
        )

    def is_of_impossible(self, claim: Sentence) -> bool:
        """Whether it names a value or a thing of what the car cannot do, and of nothing it can."""
        made = [want for want in self._wants if want.changes and self._known.is_made(want)]
        possible = [want for want in made if want.possible]
        impossible = [want for want in self.open() if not want.possible and want in made]
        named, topics = values(f"x {claim.text}"), meant(topics_changed(claim))
        for want in impossible:
            only_values = values_of(want).difference(*map(values_of, possible))
            only_topics = topics_of(want).difference(*map(topics_of, possible))
            told = {pair for pair in named & only_values if pair[0] in TELLING}
            about = topics & topics_of(want)
            person = ("name" in dict(told)) and topics_of(want) & PEOPLE and not topics & THINGS
            if topics & only_topics or (told and (about or person or not topics)):
                return True
        return False

    def contradicts(self, proposal: Sentence) -> bool:
        """Whether it names a wrong value of what is wanted."""
        return bool(wrong_in(proposal, self._known))

    def tells_another_deed(self, claim: Sentence) -> bool:
        """Whether a claim is of the opposite of what is wanted, or of another place in the car."""
        return wrong_in(claim, self._known) in ({"deed"}, {"zone"})

    def tells_what_was_done(self, claim: Sentence) -> bool:
        """Whether it names a value of what the car has confirmed, and nothing of what is open."""
        named = {pair for pair in values(f"x {claim.text}") if pair[0] in MEASURES}
        done = frozenset[tuple[str, str]]().union(
            *(values_of(self._wants[number]) for number in self._done)
        )
        lacking = claim.topics & self.lacking or named & self._known.open_values
        return bool(named & done) and not lacking

    def is_of_mail(self, proposal: Sentence) -> bool:
        """Whether it reads out a mail whose text is wrong."""
        return "text" in wrong_in(proposal, self._known) and bool(proposal.about & PEOPLE)

    def is_mail_as_wanted(self, proposal: Sentence) -> bool:
        """Whether it reads out the mail that is all that is still wanted."""
        return is_quoted_rightly(proposal, self._known)

    def is_unexplained(self, plan: Sequence[Sentence]) -> bool:
        """Whether part of a plan is explained neither by what is wanted nor by what was said."""
        return bool(self._wants) and is_unexplained(plan, self._known)

    def is_beside(self, proposal: Sentence) -> bool:
        """Whether it is an offer of nothing that is wanted: a plain no is the answer."""
        named = meant(proposal.topics & lexicon().topics(planned(proposal.text)))
        relevant = frozenset[str]().union(*map(topics_of, self._wants))
        known = relevant | self.own.topics | self.lacking
        return (
            bool(self._wants and named) and not named & known and not self._names_wanted(proposal)
        )

    def is_instead_of_limit(self, proposal: Sentence) -> bool:
        """Whether it is about what the limit, which was admitted, leaves open, and nothing else."""
        about = meant(proposal.about)
        impossible = [want for want in self.open() if not want.possible]
        touched = self.lacking.union(*map(topics_of, impossible))
        possible = frozenset[str]().union(*(topics_of(w) for w in self.open() if w.possible))
        return self.limit_heard and bool(about & touched) and not about & possible

    def right_values(self, proposal: Sentence) -> Values:
        """All that is wanted of what a proposal is about."""
        known = self._known
        return values_for(proposal, known.of_requests_made) or values_for(proposal, known)

    def right_value(self, proposal: Sentence) -> str | None:
        """A no with the value that is wanted instead of the one proposed."""
        kinds, known = wrong_in(proposal, self._known), self._known
        of_text = "text" in kinds
        if of_text:  # what it has to tell may be for the assistant to find out
            kinds &= {"name"}
        wanted, proposed = self.right_values(proposal), values(proposal.text)
        by_thing, said = numbers_by_thing(proposal, known), values(f"x {known.own.text}")
        if "number" in kinds and len(by_thing) > 1:
            named = of_kind(values(planned(proposal.context)), "number")
            right = sorted(thing for thing, number in by_thing.items() if {number} != named)
            if not {by_thing[thing] for thing in right} <= of_kind(said, "number"):
                return None
            each = [f"{noun(thing)} to {by_thing[thing]}" for thing in right]
            return f"No, {' and '.join(each)}, please." if each else None
        for kind in ("number", "colour", "route", "road", "name"):
            right = sorted(of_kind(wanted, kind) - {NO_COLOUR})
            # A name or amount that the driver has never said is for the assistant to find out.
            if kind in AMOUNTS:
                right = [value for value in right if (kind, value) in said]
            if kind == "name":
                right = known.own.names_said(right)
            if kind in kinds and right and not of_kind(proposed, kind).issuperset(right):
                return _no(kind, known.own.as_written(right) if kind == "name" else right)
        return None

    def choice(self, turn: Sequence[Sentence]) -> str | None:
        """The option of a turn that is wanted, by its name or road."""
        heard = " ".join(each.text for each in turn)
        offered = values(f"x {heard}")
        for want in self.open() or self._wants:
            wanted = values_of(want)
            for kind in ("road", "name", "route", "colour"):
                common = sorted(of_kind(wanted, kind) & of_kind(offered, kind))
                if kind == "name":
                    common = spoken_names(want.names, common)
                if common:
                    return _the_one(kind, common)
        return None

    def kept_back(self, asked: Sentence, request: int, text: str) -> Values:
        """Amounts and colours that a request with this text wants of what is asked about.

        Those that the text names itself are not among them.
        """
        if not PHRASES.asks_for_an_amount.search(asked.text):
            return frozenset()
        found = self.unnamed(request, text, meant(asked.topics)) - {("colour", NO_COLOUR)}
        return frozenset(pair for pair in found if pair[0] in AMOUNTS)

    def unnamed(self, request: int, text: str, about: AbstractSet[str] = frozenset()) -> Values:
        """The values that a request with this text wants, of these topics, and does not name."""
        wants = [want for want in self.open(request) if want.request == request]
        wanted = (values_of(want) for want in wants if not about or about & topics_of(want))
        return frozenset[tuple[str, str]]().union(*wanted) - values(f"x {text}")

    @property
    def has_changed_anything(self) -> bool:
        """Whether the car has carried out a call that changes something."""
        return not all(map(is_look_up, self._called))

    @property
    def lacking(self) -> frozenset[str]:
        """Topics of what the car lacks."""
        return lexicon().removed_subject(self._removed)[0]


def _of_trip(tool: str) -> frozenset[str]:
    """What is changed at the trip is a deed of the navigation."""
    return frozenset({"navigation"} if tool.startswith("navigation_") else ())


def _is_state(text: str) -> bool:
    """Whether it tells how something stands and not who did it."""
    state = PHRASES.tells_a_state.search(text)
    return state is not None and not PHRASES.tells_a_deed.search(text)


def _named(proposal: Sentence) -> frozenset[str]:
    """What a proposal names, a place that it would go to, or a mail that was read out."""
    there = PHRASES.takes_there.search(proposal.text)
    named = meant(topics_changed(proposal)) or frozenset({"navigation"} if there else ())
    return named or (proposal.about & PEOPLE if read_out(proposal, here=True) else frozenset())


def _would_change(proposal: Sentence) -> bool:
    """Whether it proposes a change of what the car can change, which no look-up asks for."""
    text = planned(proposal.text)
    changes = PHRASES.changes_something.search(text)
    looks = PHRASES.looks_something_up.search(text)
    return bool(changes and not looks and meant(proposal.topics) & (THINGS | TRIP_CHANGES))


def _in_words(proposal: Sentence) -> str:
    """A proposal with the plan just before it if it only asks for a yes, such as "May I?"."""
    bare = not proposal.topics and not values(f"x {proposal.text}")
    return proposal.context if bare and _follows_plan(proposal) else proposal.text


def _follows_plan(proposal: Sentence) -> bool:
    """Whether the plan that it refers to was told just before it."""
    plan = proposal.context.removesuffix(proposal.text).strip()
    return not proposal.is_beside_facts and proposal.told.endswith(plan)


def _able(proposal: Sentence) -> frozenset[str]:
    """What stands before a question that names nothing, but for what cannot be done."""
    clauses = (each for each in split(proposal.context) if not PHRASES.is_unable.search(each))
    return meant(lexicon().topics(" ".join(clauses)))


def _only_looks(proposal: Sentence) -> bool:
    """Whether it proposes to look something up, or asks whether just this was meant."""
    text = _in_words(proposal)
    if PHRASES.changes_something_more.search(text):
        return False
    understood = PHRASES.asks_if_understood.search(text)
    changes = PHRASES.changes_something.search(proposal.context)
    return bool(PHRASES.looks_something_up.search(text) or (understood and not changes))


def _no(kind: str, right: list[str]) -> str:
    the_one = _the_one(kind, right)
    return f"No, {the_one if kind == 'name' else the_one[:1].lower() + the_one[1:]}"


def _the_one(kind: str, right: list[str]) -> str:
    match kind:
        case "road":
            return f"The one via {' and '.join(right)}, please."
        case "route":
            return f"The {right[0].replace('_', '-')} one, please."
        case "name":
            return f"{' and '.join(right)}, please."
    return f"{right[0].capitalize()}, please."
