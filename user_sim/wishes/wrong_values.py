"""What is wrong in a proposal, beside what the driver wants and has said."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.question_patterns import content_words
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import (
    LEFT_OUT,
    Values,
    aims,
    all_numbers,
    names,
    of_kind,
    values,
)
from user_sim.wants import WORDING
from user_sim.wishes.mail_text import is_quoted_rightly, misquotes, read_out
from user_sim.wishes.moment import Moment
from user_sim.wishes.wanted_values import (
    LIGHTS,
    PEOPLE,
    THINGS,
    is_elsewhere,
    is_of_people,
    meant,
    named_things,
    planned,
    split,
    topics_of,
    values_of,
    wrong_kinds,
)

TRIP = frozenset({"navigation", "route", "waypoint", "destination", "place_search"})
LOOKED_UP = frozenset({"place_search", "weather", "calendar", "charging_station", "preference"})
# Of a shade that the driver never spoke of as much is enough as a rule wants for the roof.
SHADE, ROOF = frozenset({"sunshade"}), frozenset({"sunroof"})
VAGUE = frozenset({"elsewhere", "location", "clock", "arithmetic"})
PLACES = ("get_weather", "search_poi_at_location")
_OF_STATES = {"number", "deed"}
_WHOLE = frozenset({("zone", "sides"), ("zone", "all")})
REMOVING = re.compile("delete_waypoint|delete_destination|replace_one_waypoint")
_WAY = re.compile(
    r"\b(?:via|over|through|past) ([A-Z\u00c0-\u00de]\w+)(?: and ([A-Z\u00c0-\u00de]\w+))?"
)
FULL_NAME = re.compile(r"\b[A-Z\u00c0-\u00de][\w'-]+ [A-Z\u00c0-\u00de][\w'-]+")
BEFORE, AFTER = "waypoint_id_before_new_waypoint", "waypoint_id_after_new_waypoint"
ENDING = "delete_current_navigation"


def wrong_in(proposal: Sentence, known: Moment) -> set[str]:
    """Kinds of value of which it names wrong ones; "part", "text" and "thing" for what is no value.

    A part is wrong that is left alone or put off, a text that tells something else, a thing that
    nobody spoke of.
    """
    if not known.wants:
        return set()
    of_told = not read_out(proposal, here=True) and not of_kind(values(proposal.text), "name")
    if of_told and is_quoted_rightly(proposal, known):
        told = planned(f"{proposal.told} {proposal.context}")
        other = _is_other_person(told, known) or _names_others(proposal, known)
        return {"name"} if other else set()
    text = {"text"} if misquotes(proposal, known) else set[str]()
    proposal = _without_deeds(_without_mail(proposal, known), known)
    clauses = _clauses(proposal)
    about_things = [clause for clause in clauses if clause.topics]
    of_clauses = set[str]().union(*(_wrong_values(each, known) for each in about_things))
    if len(about_things) == 1:
        of_clauses &= _OF_STATES
    kinds = text | of_clauses | _wrong_values(proposal, known, several=bool(clauses))
    if _leaves_out_wrongly(proposal, known):
        kinds.add("text")
    if _excludes(proposal, known) or _puts_off(proposal, known):
        kinds.add("part")
    if _same_for_all(proposal, known):
        kinds.add("number")
    if _names_others(proposal, known):
        kinds.add("name")
    if _is_out_of_order(proposal, known):
        kinds.add("part")
    if _ends_trip(proposal, known):
        kinds.add("guidance")
    if _names_strange_thing(proposal, known) or _looks_for_else(proposal, known):
        kinds.add("thing")
    return kinds | _wrong_in_told(proposal, known)


def _without_mail(proposal: Sentence, known: Moment) -> Sentence:
    """Without the text of a mail, which may speak of anything."""
    mails = any(WORDING in want.arguments for want in known.open)
    text = PHRASES.reads_out.sub(" ", proposal.text)
    if not mails or text == proposal.text:
        return proposal
    topics = lexicon().topics(text)
    context = PHRASES.reads_out.sub(" ", proposal.context)
    about = topics or proposal.about & PEOPLE or PEOPLE
    return replace(proposal, text=text, context=context, topics=topics, about=about)


def _without_deeds(proposal: Sentence, known: Moment) -> Sentence:
    """Without the clauses that tell of what the car has confirmed, or a state of another thing."""
    done = [want for number, want in enumerate(known.wants) if number in known.done]
    theirs, ours, wanted = (
        frozenset[str]().union(*(topics_of(want) for want in wants if want.changes))
        for wants in (done, known.of_requests_made.undone, known.wants)
    )
    claims = "claim" in proposal.acts

    def is_beside(clause: str) -> bool:
        about = meant(lexicon().topics(clause))
        told = about & theirs and (claims or PHRASES.tells_a_state.search(clause))
        strange = about and about <= THINGS - wanted and PHRASES.tells_how_it_is.search(clause)
        return not about & ours and bool(told or strange)

    def without(text: str) -> str:
        clauses = split(text)
        kept = [clause for clause in clauses if not is_beside(clause)]
        left = ", ".join(kept)
        return left if len(kept) < len(clauses) and lexicon().topics(left) else text

    text, context = without(proposal.text), without(proposal.context)
    if text == proposal.text and context == proposal.context:
        return proposal
    topics = lexicon().topics(text)
    if text != proposal.text:
        return replace(proposal, text=text, context=text, topics=topics, about=topics)
    return replace(proposal, context=context, about=topics or lexicon().topics(context))


def values_for(proposal: Sentence, known: Moment) -> Values:
    """Values of the wants that share a topic with a proposal."""
    about = meant(proposal.subject)
    about = about | PEOPLE if about & PEOPLE else about
    found: set[tuple[str, str]] = set()
    made = known.of_requests_made.undone
    asked_for = [want for want in made if want.changes and about & topics_of(want)]
    for want in made if asked_for else known.undone:
        fits = about & topics_of(want) if about else want.request in (None, known.request)
        if fits and want.changes:
            found |= values_of(want)
        elif fits and want.tool in PLACES and known.is_to_know(want.request):
            found |= {pair for pair in values_of(want) if pair[0] in ("name", "place")}
    if about & SHADE and not SHADE & lexicon().topics(known.own.text):
        found |= {
            pair for want in known.undone if topics_of(want) & ROOF for pair in values_of(want)
        }
    return frozenset(found)


def _names_others(proposal: Sentence, known: Moment) -> bool:
    """Whether a mail would go to some of several people, by name, or to somebody left out."""
    text = LEFT_OUT.sub(" ", PHRASES.quotes.sub(" ", f"{proposal.told} {proposal.context}"))
    if not proposal.about & PEOPLE:
        return False
    said = set(re.findall(r"[^\W\d_]+", text))
    if said & {
        word
        for found in LEFT_OUT.findall(known.own.text)
        for word in re.findall(r"[A-Z][\w'-]+", found)
    }:
        return True
    if PHRASES.everybody.search(text):
        return False
    groups = (want.names for want in known.of_requests_made.open if WORDING in want.arguments)
    return any(
        0 < sum(bool(said & set(name.split())) for name in names) < len(names) for names in groups
    )


def _ends_trip(proposal: Sentence, known: Moment) -> bool:
    """Whether it would end the whole trip of which only a part is to change."""
    ends = ("guidance", "end_all") in values(planned(proposal.context))
    tools = {want.tool for want in known.of_requests_made.open if topics_of(want) & TRIP}
    return ends and any(tool.startswith("navigation_") for tool in tools) and ENDING not in tools


def _is_out_of_order(proposal: Sentence, known: Moment) -> bool:
    """Whether it would put a stop before the place that it comes after, or the other way round."""
    text = planned(f"{proposal.told} {proposal.context}")
    for want in known.of_requests_made.open:
        if want.tool == "set_new_navigation":
            stops = [name for name in want.names if name[0].isupper() and name.isalpha()]
            if any(_comes_first(other, one, text) for one, other in pairwise(stops)):
                return True
        if want.tool != "navigation_add_one_waypoint" or not want.names:
            continue
        places = iter(want.names[1:])
        before = next(places, None) if BEFORE in want.arguments else None
        after = next(places, None) if AFTER in want.arguments else None
        stop = re.escape(want.names[0])
        if before and re.search(rf"{stop}\b[^.;?]*\b(?:before|ahead of) {re.escape(before)}", text):
            return True
        if after and re.search(rf"{stop}\b[^.;?]*\b(?:after|behind) {re.escape(after)}", text):
            return True
        if after and re.search(rf"{stop}\b[^.;?]*\bas (?:the|your) (?:last|final)\b", text):
            return True
    return False


def _comes_first(one: str, other: str, text: str) -> bool:
    """Whether a text tells that a place comes before another."""
    return (
        re.search(
            rf"\b{one}(?:\s*(?:→|->)| first\b| direct(?:ly)?\b|,?(?: and)? then\b"
            rf"|[^.;?]*\b(?:way back|after that|afterwards))[^.;?]*\b{other}\b",
            text,
        )
        is not None
    )


def keeps_as_it_is(proposal: Sentence, known: Moment) -> bool:
    """Whether it would leave something alone that the driver spoke of."""
    kept = PHRASES.leaves_alone.search(planned(proposal.context))
    return kept is not None and bool(proposal.about & known.own.topics)


def _names_strange_thing(proposal: Sentence, known: Moment) -> bool:
    """Whether a clause is about nothing but things that nobody spoke of."""
    strange = meant(named_things(proposal)) - known.own.topics
    for clause in split(proposal.text if proposal.is_beside_facts else proposal.context):
        about = meant(lexicon().topics(clause) & THINGS)
        if about & strange and not about & known.own.topics:
            return True
    return False


def _clauses(proposal: Sentence) -> list[Sentence]:
    """The clauses of a proposal that speak of different things, or of none but with a value."""
    has_number = of_kind(values(proposal.text), "number")
    source = proposal.text if has_number or proposal.is_beside_facts else proposal.context
    found = [
        replace(proposal, text=clause, context=clause, topics=topics, about=topics)
        for clause in _with_shared_number(split(planned(source)))
        if not PHRASES.leaves_alone.search(clause)
        and ((topics := lexicon().topics(clause) & THINGS) or _may_be_of_any(values(f"x {clause}")))
    ]
    return found if len(found) > 1 else []


def _may_be_of_any(found: Values) -> Values:
    """Values that do not tell which thing is meant."""
    return frozenset(pair for pair in found if pair[0] in _OF_STATES)


def numbers_by_thing(proposal: Sentence, known: Moment) -> dict[str, str]:
    """The numbers that are wanted of the things that a turn has named up to a proposal's end."""
    named = lexicon().topics(planned(f"{proposal.told} {proposal.context}")) & THINGS
    return {
        thing: number
        for want in known.of_requests_made.open
        for thing in sorted(topics_of(want) & named)
        for number in of_kind(values_of(want), "number")
    }


def _same_for_all(proposal: Sentence, known: Moment) -> bool:
    """Whether one number is proposed for several things of which other numbers are wanted."""
    proposed = of_kind(values(planned(proposal.context)), "number")
    wanted = numbers_by_thing(proposal, known)
    return (
        PHRASES.of_several.search(proposal.text) is not None
        and len(proposed) == 1
        and len(wanted) > 1
        and not set(wanted.values()) <= {f"{each:g}" for each in all_numbers(proposal.context)}
    )


def _with_shared_number(clauses: Sequence[str]) -> Iterator[str]:
    """In "Open the shade and the roof to 50 percent" the number belongs to both clauses."""
    for each, following in pairwise(clauses):
        shared = PHRASES.thing_to_number.match(following)
        alone = lexicon().topics(each) & THINGS and not PHRASES.has_own_value.search(each)
        if shared and alone and of_kind(values(f"x {shared[1]}"), "number"):
            yield f"{each} {shared[1]}"
        else:
            yield each
    yield from clauses[-1:]


def _proposed(proposal: Sentence, known: Moment) -> Values:
    """Values that it names itself, and of kinds that it does not name those of its context.

    A quoted text is no part of it: what a mail tells may be more than what was asked for.
    """
    own, of_plan = (
        values(_without_steps(planned(text), known)) for text in (proposal.text, proposal.context)
    )
    if not proposal.topics and len(proposal.about & THINGS) > 1:  # "both" are things, no places
        of_plan -= own & _WHOLE
        own -= _WHOLE
    kinds = {kind for kind, _ in own} | (_OF_STATES if proposal.is_beside_facts else set())
    if PHRASES.of_somebody.search(proposal.text):
        kinds.add("zone")
    found = own | {pair for pair in of_plan if pair[0] not in kinds}
    return found - _routes_of_cases(proposal.context)


def _routes_of_cases(text: str) -> Values:
    """The kinds of route of a rule: "toll-free if it takes no longer, else the fastest"."""
    routes = frozenset(pair for pair in values(text) if pair[0] == "route")
    return routes if len(routes) > 1 and PHRASES.has_cases.search(text) else frozenset()


def _without_steps(text: str, known: Moment) -> str:
    """Without by how much something would be changed, unless the driver has said another amount."""
    so_far = " ".join(known.own.request(number) for number in range(known.request + 1))
    said = _steps(so_far)
    return text if said and not _steps(text) <= said else PHRASES.steps.sub(" ", text)


def _steps(text: str) -> frozenset[float]:
    return all_numbers(" ".join(found[0] for found in PHRASES.steps.finditer(text)))


def _wrong_values(proposal: Sentence, known: Moment, *, several: bool = False) -> set[str]:
    """Of `several` clauses each has values of its own, and some name no thing."""
    proposed = _proposed(proposal, known)
    if not proposal.about & TRIP:
        proposed = frozenset(pair for pair in proposed if pair[0] != "guidance")
    of_now = known.of_requests_made if known.of_requests_made.open else known
    wanted = values_for(proposal, of_now)
    kinds = {kind for kind, _ in wanted} | ({"zone"} if wanted else set())
    wanted |= {pair for pair in of_now.open_values if pair[0] not in kinds}
    wanted |= _may_be_of_any(of_now.open_values) if several and wanted else frozenset()
    words = set(re.findall(r"[^\W_]+", proposal.text.lower()))
    proposed |= {pair for pair in wanted if pair[0] == "name" and pair[1] in words}
    if not _WAY.search(known.own.text) and ("role", "stop") not in wanted:
        ways = {name.lower() for names in _WAY.findall(proposal.context) for name in names}
        proposed -= {("name", name) for name in ways} - known.own.names
    own = known.own.values - _numbers_of_others(proposal, known)
    own -= _numbers_of_opening(proposal, known)
    ours, theirs = _numbers(wanted), _numbers(proposed)
    if ours - values(f"x {known.own.text}") - {("number", "0")}:  # worked out from others
        own -= _numbers(own)
        proposed -= theirs - ours if theirs & ours else frozenset()
    return wrong_kinds(proposed, wanted, own, people=is_of_people(proposal))


def _numbers(found: Values) -> Values:
    return frozenset(pair for pair in found if pair[0] == "number")


def _numbers_of_others(proposal: Sentence, known: Moment) -> Values:
    """Numbers that are wanted of other things than those of the proposal."""
    about, ours, others = meant(proposal.subject), set[str](), set[str]()
    for want in known.wants if about & THINGS else ():
        fits = bool(about & topics_of(want)) or not want.changes
        (ours if fits else others).update(of_kind(values_of(want), "number"))
    return frozenset(("number", number) for number in others - ours)


def _numbers_of_opening(proposal: Sentence, known: Moment) -> Values:
    """Numbers that only the opening names, of what only a later request wants."""
    about = meant(proposal.subject)
    requests = {want.request for want in known.of_requests_made.open if about & topics_of(want)}
    if not requests or not requests.isdisjoint({0, None}):
        return frozenset()
    later = frozenset[tuple[str, str]]().union(*(known.own.said_in(number) for number in requests))
    return frozenset(pair for pair in known.own.said_in(0) - later if pair[0] == "number")


def _wrong_in_told(proposal: Sentence, known: Moment) -> set[str]:
    """What the turn has told before its question counts where the question names nothing."""
    text = planned(f"{proposal.told} {proposal.context}")
    if _is_elsewhere_bound(proposal, text, known) or _is_other_person(text, known):
        return {"name"}
    named = {kind for kind, _ in values(planned(proposal.context))}
    wanted = values_for(proposal, known)
    if proposal.about & TRIP:
        told = PHRASES.quotes.sub(" ", f"{proposal.told} {proposal.context}")
        routes = frozenset(pair for pair in values(told) if pair[0] == "route")
        routes = frozenset[tuple[str, str]]() if "route" in named else routes
        routes -= _routes_of_cases(told)
        return wrong_kinds(routes, wanted, known.own.values, people=False)
    if proposal.topics or "zone" in named or PHRASES.of_somebody.search(proposal.context):
        return set()
    theirs, ours = of_kind(values(text), "zone"), of_kind(wanted, "zone")
    other = not theirs & ours and "all" not in theirs and is_elsewhere(theirs, ours)
    return {"zone"} if other else set()


def _is_elsewhere_bound(proposal: Sentence, text: str, known: Moment) -> bool:
    """Whether it goes to, or looks at, none of the places that are wanted."""
    if not any(want.names for want in known.of_requests_made.undone):
        return False
    places = of_kind(known.own.names, "name").union(*aims(known.own.text))
    to = aims(text)
    if places and to and not any(words & places for words in to):
        return True
    if PHRASES.goes_there.search(proposal.text) and _tells_of_other_places(proposal, known):
        return True
    if PHRASES.goes_to.search(proposal.text) and _leads_elsewhere(proposal, known):
        return True
    here = set[str]().union(*aims(known.own.text, at=True))
    there = [] if proposal.is_beside_facts else aims(proposal.context, at=True)
    return bool(here and there) and not any(words & (here | places) for words in there)


def _leads_elsewhere(proposal: Sentence, known: Moment) -> bool:
    """Whether it would go to another place than one of the trip that is wanted, or near it."""
    wants = known.of_requests_made.undone
    trips = [want for want in wants if want.changes and topics_of(want) & TRIP]
    near = [want for want in wants if want.tool.startswith("search_")]
    places = {
        word.lower() for want in (*trips, *near) for name in want.names for word in name.split()
    }
    to = set[str]().union(*aims(planned(proposal.text)))
    return any(want.names for want in trips) and bool(to) and to.isdisjoint(places)


def _tells_of_other_places(proposal: Sentence, known: Moment) -> bool:
    """Whether up to its end a turn names places, and none to which the wanted trip leads."""
    wanted, people = (
        [set(name.split()) for want in wants for name in want.names]
        for wants in (
            [want for want in known.of_requests_made.open if topics_of(want) & TRIP],
            [want for want in known.wants if topics_of(want) & PEOPLE],
        )
    )
    text = PHRASES.quotes.sub(" ", f"{proposal.told} {proposal.text}").strip()
    there, words = names(text).difference(*people), set(re.findall(r"\w+", text))
    return bool(wanted and there) and not any(name & there or name <= words for name in wanted)


def _is_other_person(text: str, known: Moment) -> bool:
    """Whether it names somebody with one name of who is meant, and never the other name."""
    people = {name for want in known.open if topics_of(want) & PEOPLE for name in want.names}
    if PHRASES.to_somebody.search(text) and _names_strangers(text, known):
        return True
    for name in (name for name in people if name.count(" ") == 1):
        first, family = name.split()
        others = text
        for other in people - {name}:
            others = others.replace(other, " ")
        relative = re.search(rf"\b(?!Mr|Ms|Mrs)[A-Z]\w+ {family}\b", others)
        namesake = re.search(rf"\b{first} (?!{family})[A-Z]\w+", others)
        if (relative and first not in text) or (namesake and family not in text):
            return True
    return False


def _names_strangers(text: str, known: Moment) -> bool:
    """Whether all people that are named are others than those that something is to go to."""
    wants = [want for want in known.of_requests_made.open if topics_of(want) & PEOPLE]
    wants = [want for want in wants if want.possible]
    meant = {word for want in wants for name in want.names for word in name.split()}
    known_words = {word.lower() for word in meant} | known.own.words | known.own.name_words
    strangers = (
        words
        for words in (set(name.split()) for name in FULL_NAME.findall(text))
        if not any(word.lower() in known_words for word in words)
    )
    return bool(meant) and not any(word in text for word in meant) and any(strangers)


def _excludes(proposal: Sentence, known: Moment) -> bool:
    """Whether it would leave alone, or replace, something that is wanted."""
    text = planned(proposal.context)
    wants = [want for want in known.of_requests_made.open or known.open if want.possible]
    for found in PHRASES.leaves_alone.finditer(text):
        part = (found[1] or found[2] or "").strip()
        about, said = lexicon().topics(found[0]), values(f"x {part}")
        if PHRASES.pronoun.match(part):
            about = about or proposal.about
        if PHRASES.others.search(part):
            lights = LIGHTS if about & {"lights", "exterior_light"} else frozenset[str]()
            if any(topics_of(want) & lights - lexicon().topics(text) for want in wants):
                return True
            continue
        for want in wants:
            if REMOVING.search(want.tool) and found[0].lower().startswith("without"):
                continue
            ours = values_of(want)
            as_wanted = of_kind(ours, "number") & of_kind(said, "number")
            elsewhere = is_elsewhere(of_kind(ours, "zone"), of_kind(said, "zone"))
            if about & topics_of(want) and not as_wanted and not elsewhere:
                return True
    for clause in split(text):
        alone = PHRASES.only.search(clause) and PHRASES.by_me.search(clause)
        only = lexicon().topics(text) if alone else frozenset[str]()
        if only and any(not topics_of(want) & only for want in wants):
            return True
    gone = lexicon().topics(" ".join(PHRASES.instead_of.findall(text)))
    kept = lexicon().topics(PHRASES.instead_of.sub(" ", text))
    return any(gone & topics_of(want) and not kept & topics_of(want) for want in wants)


def _puts_off(proposal: Sentence, known: Moment) -> bool:
    """Whether it would do later, or only for a while, what is wanted now."""
    mails = any(WORDING in want.arguments for want in known.open)
    if not known.open or mails or any(want.tool == "get_weather" for want in known.wants):
        return False
    found = PHRASES.puts_off.search(planned(proposal.context))
    return found is not None and found[0].lower() not in known.own.text.lower()


def _looks_for_else(proposal: Sentence, known: Moment) -> bool:
    """Whether it offers to look for something that nobody spoke of."""
    text = planned(proposal.text)
    if not PHRASES.offers_something.search(text) or PHRASES.reads_back.search(text):
        return False
    if proposal.topics & LOOKED_UP - known.own.topics:
        return True
    said = known.own.words | known.own.name_words
    return not proposal.topics - VAGUE and not content_words(text) & said


def _leaves_out_wrongly(proposal: Sentence, known: Moment) -> bool:
    """Whether it would remove a place that is to stay."""
    gone = {
        word
        for want in known.open if REMOVING.search(want.tool)
        for phrase in want.names[:1] for word in phrase.split()
    }  # fmt: skip
    if any(want.tool == "delete_current_navigation" for want in known.open):
        gone |= _ends_of_old_trip(known)
    asked = known.own.request(known.request)
    gone |= {name for row in PHRASES.leaves_out.findall(asked) for name in row}
    gone |= set(PHRASES.instead_of_place.findall(asked))
    text = PHRASES.reads_out.sub(" ", PHRASES.quotes.sub(" ", proposal.context))
    found = {name for row in PHRASES.leaves_out.findall(text) for name in row}
    found |= set(PHRASES.instead_of_place.findall(text))
    return bool(found - gone - {""}) or _changes_other_places(f"{proposal.told} {text}", known)


def _ends_of_old_trip(known: Moment) -> set[str]:
    """The places that the driver has named as aims and that no change of a trip wants."""
    wanted = {
        word
        for want in known.of_requests_made.open if topics_of(want) & TRIP
        for name in want.names for word in name.split()
    }  # fmt: skip
    return {word.title() for words in aims(known.own.text) for word in words} - wanted


def _changes_other_places(text: str, known: Moment) -> bool:
    """Whether it keeps a place that the trip is to lose, or drops one that it is to have."""
    trips = [want for want in known.of_requests_made.open if topics_of(want) & TRIP]
    dropped, kept = (
        {name for row in pattern.findall(planned(text)) for name in row if name}
        for pattern in (PHRASES.drops_place, PHRASES.keeps_place)
    )
    lost = {want.names[0] for want in trips if want.names and REMOVING.search(want.tool)}
    wanted = {name for want in trips for name in want.names} - lost
    if any(want.tool == "delete_current_navigation" for want in trips):
        lost |= _ends_of_old_trip(known)
    return bool(dropped & wanted or kept & lost)
