"""Whether a plan has parts that neither the wants nor the driver's own words explain."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.question_patterns import content_words
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, of_kind, values
from user_sim.wishes.moment import Moment
from user_sim.wishes.wanted_values import THINGS, planned, split, topics_of, values_of

SET_APART = 2  # words such as "both" and "only", from so many on a plan is in doubt
# Roads come with any right proposal.
_CHECKED = frozenset(
    {"name", "number", "zone", "direction", "colour", "place", "strength", "route", "plug"}
)
_MEASURES = frozenset({"number", "colour", "direction"})
_DEEDS = frozenset(("deed", deed) for deed in ("off", "open", "close", "remove"))
_EVERYBODY = frozenset({("zone", "driver"), ("zone", "passenger"), ("zone", "front")})


def is_unexplained(plan: Sequence[Sentence], known: Moment) -> bool:
    """Whether it has a value, a thing or a word that nothing explains."""
    if any(PHRASES.once_more.search(each.text) for each in plan):
        return False
    texts = [_plan_in(each) for each in plan]
    named = frozenset[tuple[str, str]]().union(*map(values, texts))
    unexplained = named - _explained(known)
    if any(pair[0] in _CHECKED or pair in _DEEDS for pair in unexplained):
        return True
    things = lexicon().topics(" ".join(texts)) & THINGS
    if things - known.own.topics.union(*map(topics_of, known.wants)):
        return True
    if telling := _all_wanted(named, known):
        texts = [clause for text in texts for clause in _without_values(text, telling)]
    words = content_words(" ".join(texts)) - known.own.words - known.own.name_words
    words -= content_words(_arguments(known)) | ordinary_words()
    topics = known.own.topics.union(*map(topics_of, known.wants))
    unknown = {word for word in words if not _is_explained(word, topics)}
    apart = _set_apart(" ".join(texts)) - _set_apart(known.own.text)
    return bool(unknown) or len(apart) >= SET_APART


def _without_values(text: str, telling: Values) -> list[str]:
    """The clauses that name none of these values and tell no fact."""
    return [
        clause for clause in split(text)
        if not values(f"x {clause}") & telling and not PHRASES.tells_a_fact.search(clause)
    ]  # fmt: skip


def _all_wanted(named: Values, known: Moment) -> Values:
    """The values of all that is wanted so far, if each of them is named; none otherwise."""
    wanted = [values_of(want) for want in known.of_requests_made.open]
    telling = [_telling(each) for each in wanted]
    complete = all(
        each and each <= named and _is_there(named, of_want)
        for each, of_want in zip(telling, wanted, strict=True)
    )
    return frozenset[tuple[str, str]]().union(*telling) if complete else frozenset()


def _is_there(named: Values, wanted: Values) -> bool:
    """Whether a place in the car is named if one is wanted."""
    ours = of_kind(wanted, "zone")
    return not ours or bool(ours & of_kind(named, "zone"))


def _telling(wanted: Values) -> Values:
    """What tells a change from another one of the same thing."""
    amounts = {pair for pair in wanted if pair[0] in _MEASURES and pair != ("number", "0")}
    return frozenset(amounts or {pair for pair in wanted if pair in _DEEDS})


def _set_apart(text: str) -> set[str]:
    return set(PHRASES.sets_apart.findall(text.lower()))


def _is_explained(word: str, topics: frozenset[str]) -> bool:
    """Whether a word is a value, which is checked as such, or another one for a known thing."""
    short = "'" in word or word.isdigit()  # "I'd", "won't"
    return bool(short or values(f"x {word}") or lexicon().topics(word) & topics)


def _plan_in(sentence: Sentence) -> str:
    """What would be done, without facts that are told beside it."""
    fact = PHRASES.tells_a_fact.search(sentence.text) and not PHRASES.plans.search(sentence.text)
    if fact and not sentence.asks:
        return ""
    return PHRASES.alternative.sub("?", PHRASES.reads_out.sub(" ", planned(sentence.text)))


def _explained(known: Moment) -> Values:
    said = values(known.own.text) | values(f"x {known.own.text}") | known.own.values
    wanted = frozenset[tuple[str, str]]().union(*map(values_of, known.wants))
    spoken = values(f"x {_arguments(known)}")
    found = said | wanted | spoken | {("number", "1"), ("zone", "all"), ("zone", "sides")}
    whole = {"all", "sides"} & of_kind(said | wanted, "zone")
    return found | _EVERYBODY if whole else found


def _arguments(known: Moment) -> str:
    """The wanted calls in words."""
    texts = (
        [want.tool, *(str(value) for value in want.arguments.values()), *want.names, *want.kinds]
        for want in known.wants
    )
    return " ".join(text.replace("_", " ") for row in texts for text in row).lower()


@cache
def ordinary_words() -> frozenset[str]:
    """What is said in proposals of any kind, without endings."""
    return frozenset(Path(__file__).with_name("ordinary_words.txt").read_text("utf-8").split())
