"""A request said again: all of it, what is about some things, or what is left of it. Pure."""

import re
from collections.abc import Iterable, Sequence

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.understanding.values import values

_AND = re.compile(
    r"^(?:(?:oh|and|but|then|so|good)\b(?! (?:morning|evening|day|dear)\b)[,.]? )+", re.IGNORECASE
)
_REFERS_BACK = re.compile(r"\b(?:for that|that one|there|them|those)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:how|what|when|which|where|who|whose|whether)\b", re.IGNORECASE)
_AND_ASKS = re.compile(
    rf",? and (?={_ASKS.pattern}|(?:is|are|do|does|will|can|have|has)\b(?! not\b))", re.IGNORECASE
)
_CASE_OF_IT = re.compile(r"then\b", re.IGNORECASE)
_SETS_OFF = re.compile(
    r"\b(?:leav\w+|set(?:ting)? off|be off|(?:we're|I'm) off|rests?|breaks?|straight through)\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(r"(?:and|but|plus|now|then)\b", re.IGNORECASE)

# How a topic is spoken of when the driver asks for it again.
_NOUNS = {
    "steering_wheel": "the steering wheel heating",
    "place_search": "the places",
    "lights": "the lights",
    "car_color": "the colour of the car",
    "occupancy": "who is sitting where",
    "clock": "the time",
    "arithmetic": "the calculation",
}


def part_about(request: str, topics: frozenset[str]) -> str:
    """The sentences of a request about one of these topics, preferably no questions.

    A sentence that names nothing goes on with what the one before is about, unless it begins with
    "and"; one that refers to the one before is not said without it. All of them where one is a
    condition: a part would tell which case it is.
    """
    cut = sentences(request)
    if PHRASES.sets_a_condition.search(request):
        return begun(cut)
    kept = list[int]()
    about = False
    for number, each in enumerate(cut):
        named = lexicon().topics(each)
        about = bool(named & topics) if named else about and not _ANOTHER.match(each)
        if about:
            kept.append(number)
    plain = [number for number in kept if not cut[number].endswith("?")]
    if any(lexicon().topics(cut[number]) & topics for number in plain):
        kept = plain
    before = {number - 1 for number in kept if number and _REFERS_BACK.search(cut[number])}
    if cut and topics - lexicon().topics(request) and _wants_something(cut[0]):
        before |= {0} if kept else set()
    return begun([cut[number] for number in sorted({*kept, *before})] or cut)


def _wants_something(sentence: str) -> bool:
    """Whether it names nothing and yet asks for something ("Mine just as far open as hers.")."""
    return not lexicon().topics(sentence) and any(kind == "deed" for kind, _ in values(sentence))


def begun(told: Sequence[str]) -> str:
    """The sentences as the first ones of an utterance."""
    words = _AND.sub("", " ".join(told))
    return words[:1].upper() + words[1:]


def asks_to_be_told(request: str) -> str:
    """What a request wants to know, in its own words; empty if that is not plain."""
    told = [found[0] for found in PHRASES.asks_to_be_told.finditer(request)]
    asked = [
        _question(each) for each in sentences(request)
        if each.endswith("?") and not PHRASES.asks_for_a_deed.search(each)
    ]  # fmt: skip
    return f"And please {told[0][:1].lower()}{told[0][1:]}" if told else " ".join(asked)


def _question(sentence: str) -> str:
    """What a sentence asks, without a deed before it ("Fan on one, and how long do we drive?")."""
    told = begun([sentence])
    joint = _AND_ASKS.search(told)
    if joint is None or _ASKS.search(told[: joint.start()]):
        return sentence
    if PHRASES.sets_a_condition.search(told[: joint.start()]):
        return sentence
    return f"And {told[joint.end() :]}"


def without_questions(request: str, wanted: frozenset[str]) -> str:
    """What a request wants to be done, of the topics `wanted`: without what only asks.

    When and how long the driver rests belongs to the question after it. Nothing is left out if
    that would leave something unnamed.
    """
    cut = sentences(request)
    asked = [
        number for number, (each, following) in enumerate(zip(cut, [*cut[1:], ""], strict=True))
        if _only_asks(each) and not _CASE_OF_IT.match(following)
    ]  # fmt: skip
    kept = [
        each for number, each in enumerate(cut)
        if number not in asked and not (asked and number < asked[0] and _tells_when(each, wanted))
    ]  # fmt: skip
    left = begun(kept)
    named = lexicon().topics(request) & wanted
    return left if left and named <= lexicon().topics(left) else request


def _only_asks(sentence: str) -> bool:
    deed = PHRASES.asks_for_a_deed.search(sentence) or PHRASES.sets_a_condition.search(sentence)
    return sentence.endswith("?") and not deed


def _tells_when(sentence: str, wanted: frozenset[str]) -> bool:
    return bool(_SETS_OFF.search(sentence)) and not lexicon().topics(sentence) & wanted


def ask_again(topics: Iterable[str], request: str) -> str:
    """Asks for one of the topics, preferably one that the request names."""
    named = lexicon().topics(request)
    listed = sorted(topics, key=lambda topic: (topic not in named, topic))
    if not listed:
        return "And what about what I asked for?"
    return f"And what about {noun(listed[0])}?"


def noun(topic: str) -> str:
    return _NOUNS.get(topic) or f"the {topic.replace('_', ' ')}"
