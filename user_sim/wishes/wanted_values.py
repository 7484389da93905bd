"""The values of what is wanted, and which values of a proposal are wrong beside them."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, of_kind, values
from user_sim.wants import Want

LIGHTS = frozenset(
    {"ambient_light", "reading_light", "fog_light", "high_beam", "low_beam", "exterior_light"}
)
ENERGY = frozenset({"battery", "charging_time"})
OF_ENERGY = frozenset({"charge_limit", "range", "charging_station"})
THINGS = LIGHTS - {"exterior_light"} | {
    "sunroof", "sunshade", "trunk", "window", "fan", "airflow", "circulation", "air_conditioning",
    "temperature", "seat_heating", "steering_wheel", "defrost", "phone", "email", "charge_limit",
    "charging_station",
}  # fmt: skip
_CLAUSE = re.compile(
    r"[,;:.](?!\d)|\b(?:but|plus|then)\b"
    r"|\band\b(?! (?:for )?(?:the |your )?"
    r"(?:passenger|driver|co-?driver|rear|back|front|me|you)\b)",
    re.IGNORECASE,
)
_PART = re.compile(r"[^,;.]+")
_LEFT_ALONE = re.compile(
    r"\b(?:leav\w+(?! out)|keep\w*|stay(?:s|ing)?|remains?|untouched"
    r"|as (?:it|they) (?:is|are)|already|still|left on|left off|unchanged|instead of"
    r"|rather than|not)\b",
    re.IGNORECASE,
)
# Of people a wrong first name is a wrong person; of places the driver knows only some.
PEOPLE = frozenset({"contact", "email", "phone", "recipient"})
NO_COLOUR = "none"  # of a light that is to be off
UNSPOKEN = ("content_message", "phone_number")
NAME_WORD = re.compile(r"[^\W\d_]{3,}|\b[A-Z][a-z]\b")  # also "Il", but no road "SS12"
_IDS = {"id", "ids"}
_DEEDS = {"delete": "remove", "add": "add"}
_OPPOSITE = {
    "open": "close", "close": "open", "on": "off", "off": "on", "add": "remove", "remove": "add",
}  # fmt: skip
_OF_THINGS = {"on", "off", "open", "close"}
_SIDES = {"left": "driver", "right": "passenger"}
_BOTH, _ROWS = {"driver", "passenger"}, {"front", "rear"}
# Compared with what the driver said, not with the calls.
_AS_SAID = ("day", "strength", "plug", "fraction")
_GUIDANCE = {"set_new_navigation": "start", "delete_current_navigation": "end"}


def is_of_people(proposal: Sentence) -> bool:
    """Whether the names in it are of people; the text of a mail holds names of all kinds."""
    return bool(proposal.about & PEOPLE) and not re.search(
        r'[:"]', PHRASES.quotes.sub("", proposal.context)
    )


def meant(topics: frozenset[str]) -> frozenset[str]:
    """Without what a more special topic covers; with "lights" alone any light may be meant."""
    if "lights" in topics:
        topics = topics - {"lights"} if topics & LIGHTS else topics | LIGHTS
    topics = topics - {"arithmetic"}
    return topics - ENERGY if topics & OF_ENERGY else topics


def topics_of(want: Want) -> frozenset[str]:
    kinds = lexicon().topics(" ".join(want.kinds))
    return lexicon().part_topics(want.tool) | meant(kinds)


def values_of(want: Want) -> Values:
    found = set[tuple[str, str]]()
    for name, value in want.arguments.items():
        if isinstance(value, bool):
            found.add(("deed", "on" if value else "off"))
        elif isinstance(value, int | float):
            found.add(("number", f"{value:g}"))
            if want.tool.startswith("open_close"):
                found.add(("deed", "open" if value else "close"))
            elif want.tool.startswith("set_"):
                found.add(("deed", "on" if value else "off"))
        elif isinstance(value, str) and name not in UNSPOKEN and not _IDS & set(name.split("_")):
            spelled = value.lower().replace("_", " ")
            found |= {pair for pair in values(spelled) if pair[0] != "name"}
            found |= {("colour", NO_COLOUR)} if value == "NONE" else set()
    for phrase in want.names:
        found |= values(phrase) | {
            ("name", word.lower()) for word in NAME_WORD.findall(phrase) if word[0].isupper()
        }
    found |= {pair for kind in want.kinds for pair in values(kind) if pair[0] == "place"}
    found |= {("deed", deed) for part, deed in _DEEDS.items() if part in want.tool.split("_")}
    if want.arguments.get("window", want.arguments.get("position")) == "ALL":
        found |= {("zone", row) for row in _ROWS}
    if "waypoint_id_after_new_waypoint" in want.arguments:
        found.add(("role", "stop"))
    if want.tool in _GUIDANCE:
        found.add(("guidance", _GUIDANCE[want.tool]))
    if want.tool == "delete_current_navigation":
        found.add(("guidance", "end_all"))
    return frozenset(found)


def spoken_names(phrases: Iterable[str], names: Collection[str]) -> list[str]:
    """What phrases such as "Mira Lindqvist" have of these names, each as it is written.

    Part of another one, such as the first name of somebody else, is left out.
    """
    found = [
        [word for word in NAME_WORD.findall(phrase) if word.lower() in names] for phrase in phrases
    ]
    whole = [words for words in found if words and not any({*words} < {*more} for more in found)]
    return list(dict.fromkeys(map(" ".join, whole)))


@lru_cache(maxsize=1024)
def planned(text: str) -> str:
    """Without quoted texts, and without the facts that are told beside a plan."""
    return PHRASES.beside_a_plan.sub(" ", re.sub(" +", " ", PHRASES.quotes.sub(' " ', text)))


def named_things(proposal: Sentence) -> frozenset[str]:
    """The functions of the car that a proposal would touch."""
    text = proposal.text if proposal.is_beside_facts else proposal.context
    return lexicon().topics(_without_left_alone(planned(text))) & THINGS


def topics_changed(claim: Sentence) -> frozenset[str]:
    """What a claim says was changed, without what it says is as it was."""
    return claim.topics & lexicon().topics(_without_left_alone(claim.text))


def _without_left_alone(text: str) -> str:
    return _PART.sub(lambda part: " " if _LEFT_ALONE.search(part[0]) else part[0], text)


def split(text: str) -> list[str]:
    """The clauses of a text."""
    return _CLAUSE.split(text)


def wrong_kinds(proposed: Values, wanted: Values, own: Values, *, people: bool) -> set[str]:
    """The kinds of value of which a proposal names only wrong ones.

    Of `people` a name that is not wanted is wrong even beside one that is; of routes the driver's
    `own` word counts.
    """
    kinds = set()
    for kind in {kind for kind, _ in proposed}:
        ours, theirs = of_kind(wanted, kind), of_kind(proposed, kind)
        wrong = not ours & theirs
        if kind == "name":
            known = of_kind(own, "name")
            theirs = {_singular(name, ours | known) for name in theirs}
            other_person = people and bool(theirs - ours) and not ours <= theirs
            missing = (ours & known) - theirs
            wrong = (
                other_person
                or not theirs & (ours | known)
                or bool(missing and theirs - ours - known)
            )
        elif kind in _AS_SAID:
            ours = of_kind(own, kind)
            wrong = not ours & theirs
        elif kind == "route":
            said = of_kind(own, "route")
            if "toll_free" not in said | ours or "toll_free" in theirs:
                theirs = theirs - {"toll"} or said | ours
            if not said & ours <= theirs <= ours:
                theirs = theirs - {"fastest"} if "toll_free" in theirs else theirs
            ours = ours or said
            wrong = bool(theirs - (said or ours) - (ours & {"toll_free"})) or not theirs & (
                said & ours or ours
            )
        elif kind == "zone":
            wrong = is_elsewhere(theirs, ours)
        elif kind == "direction":
            wrong = not theirs <= ours
        elif kind == "guidance" and "end_all" in theirs:
            wrong = "end_all" not in ours
        elif kind == "deed":
            wrong = not ours & theirs and (
                "remove" in theirs
                or any(_OPPOSITE.get(deed) in ours for deed in theirs)
                or bool(theirs & _OF_THINGS and ours & _OF_THINGS)
            )
        elif kind == "number":
            off = not proposed.isdisjoint({("deed", "off"), ("deed", "close")})
            as_said = ours | of_kind(own, "number")
            wrong = any(not _is_near(each, as_said) for each in theirs) and not (
                "0" in as_said and ("deed", "off") in proposed
            )
            # The driver may have named the number of the case that did not come.
            wrong = wrong or (not any(_is_near(each, theirs) for each in ours) and not off)
        if ours and wrong:
            kinds.add(kind)
    return kinds - {"road"} if of_kind(wanted, "route") & of_kind(proposed, "route") else kinds


def _singular(name: str, known: set[str]) -> str:
    """Of "your two Millers" the name that is known."""
    return name[:-1] if name.endswith("s") and name[:-1] in known else name


def _is_near(number: str, wanted: set[str]) -> bool:
    """Whether it is one of these; of kilometres a few more or less are meant as well."""
    far = float(number) > 100
    return number in wanted or (
        far and any(abs(float(number) - float(each)) <= 5 for each in wanted)
    )


def is_elsewhere(theirs: set[str], ours: set[str]) -> bool:
    """Whether zones of a proposal are others than those that are wanted."""
    if ours >= _BOTH and not ours & {"all", "sides"}:  # of several wants, each with its own
        return bool(theirs - ours - _SIDES.keys() - _ROWS - {"sides"})
    sides = [_BOTH if {"all", "sides"} & each else each & _BOTH for each in (theirs, ours)]
    rows = [_ROWS if "all" in theirs and len(theirs & _ROWS) == 1 else theirs & _ROWS, ours & _ROWS]
    named = [each & {"left", "right"} for each in (theirs, ours)]
    if named[0] and not sides[0] and not named[1]:
        sides[0] = {_SIDES[each] for each in named[0]}
    return (
        (all(sides) and sides[0] != sides[1])
        or (all(rows) and rows[0] != rows[1])
        or ("rear" in theirs and not rows[1] and bool(sides[1]) and "front" not in theirs)
        or (all(named) and not named[0] & named[1])
    )
