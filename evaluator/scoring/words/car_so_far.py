"""What the car had answered by the time something was said."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from evaluator.record.episode import Act, Episode, Utterance
from evaluator.task.task import Action, Task
from user_sim.lexicon import lexicon
from user_sim.understanding.values import of_kind, values
from user_sim.wants import CarCall
from vehicle_bus.tools import CHANGING

# What was done to one of these may be told in words of another.
_TRIP = frozenset(
    {"navigation", "waypoint", "destination", "location", "place_search", "charging_station"}
)
_OUTSIDE = frozenset({"fog_light", "low_beam", "high_beam"})
_AKIN = {
    "exterior_light": _OUTSIDE,
    "lights": _OUTSIDE | {"ambient_light", "reading_light"},
    **dict.fromkeys(_TRIP, _TRIP),
}
AIR = frozenset(
    {"temperature", "fan", "airflow", "circulation", "air_conditioning", "defrost", "window"}
    | {"sunroof"}
)
# Words that fit more things than they name.
_WIDE = (
    (r"\b(?:climate|cooling|air|blow\w*)\b(?! ?(?:condition|circulation|flow|direction))", AIR),
    (r"\bwindow\w* heat|\bheat\w*\b.*\bwindow", frozenset({"defrost"})),
    (r"\b(?:interior|cabin) lights?\b", frozenset({"ambient_light", "reading_light"})),
)
_READ_OUT = 0.8  # share of words
_KINDS = ("zone", "number", "colour", "direction", "route")


@dataclass(frozen=True, slots=True)
class CarSoFar:
    """What the car had answered by the time something was said.

    `changed` are the tools of confirmed changes, `looked_up` those of answered look-ups.
    `this_turn` are the changes since the driver spoke, empty if any call since then failed.
    `under_way` are the changes that were called for together with what was said, `written` the
    words of e-mails. `by_hand` are topics of what others set in this conversation.
    """

    changed: frozenset[str] = frozenset()
    looked_up: frozenset[str] = frozenset()
    this_turn: tuple[CarCall, ...] = ()
    under_way: frozenset[str] = frozenset()
    written: tuple[frozenset[str], ...] = ()
    by_hand: frozenset[str] = frozenset()

    @property
    def looked_at(self) -> frozenset[str]:
        """The topics of what was looked up."""
        return topics_of(self.looked_up)

    def is_read_out(self, text: str) -> bool:
        """Whether it is read from an e-mail."""
        words = _words(text)
        return any(len(words & mail) >= _READ_OUT * len(words) for mail in self.written)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The changes that the driver wants, and their topics with those of what the car lacks."""

    calls: tuple[CarCall, ...]
    topics: frozenset[str]


def wanted_in(task: Task) -> Wanted:
    calls = [(act.name, act.arguments) for act in task.expect.actions if act.name in CHANGING]
    lacking = [part for part in task.car.removed if part.split(".")[0] in CHANGING]
    topics = topics_of(tool for tool, _ in calls) | lexicon().removed_subject(lacking)[0]
    return Wanted(tuple(calls), topics)


def after(done: Sequence[Action]) -> CarSoFar:
    """The car after expected calls that were all carried out since the driver spoke."""
    calls = [(action.name, action.arguments) for action in done]
    changes = tuple(call for call in calls if call[0] in CHANGING)
    return CarSoFar(
        changed=frozenset(tool for tool, _ in changes),
        looked_up=frozenset(tool for tool, _ in calls if tool not in CHANGING),
        this_turn=changes,
        written=_mails(calls),
    )


def at(said: Utterance, episode: Episode) -> CarSoFar:
    """The car as the agent knew it when it said something."""
    known = [
        act for act in episode.succeeded if act.answered is not None and act.answered < said.order
    ]
    changes, look_ups = [act for act in known if act.changes], [a for a in known if not a.changes]
    together = [act for act in episode.succeeded if act.message == said.message]
    return CarSoFar(
        changed=_tools(changes),
        looked_up=_tools(look_ups),
        this_turn=tuple(_done_this_turn(said, episode)),
        under_way=_tools(act for act in together if act.changes),
        written=_mails((act.tool, act.arguments) for act in episode.acts),
        by_hand=topics_of(name for values in episode.record.by_hand for name in values),
    )


def _done_this_turn(said: Utterance, episode: Episode) -> list[CarCall]:
    acts = [act for act in episode.acts if act.turn == said.turn and act.order < said.order]
    if not all(act.succeeded and act.call.reply is not None for act in acts):
        return []
    return [(act.tool, act.arguments) for act in acts if act.changes]


def _tools(acts: Iterable[Act]) -> frozenset[str]:
    return frozenset(act.tool for act in acts)


def _mails(calls: Iterable[CarCall]) -> tuple[frozenset[str], ...]:
    texts = (arguments.get("content_message") for _, arguments in calls)
    return tuple(_words(text) for text in texts if isinstance(text, str))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def speaks_of_else(text: str, calls: Iterable[CarCall]) -> bool:
    """Whether a text names another side, number or colour than any of these calls set."""
    set_to = [str(value) for _, arguments in calls for value in arguments.values()]
    ours, theirs = values(" ".join(set_to).lower().replace("_", " ")), values(text)
    return any(
        of_kind(theirs, kind) and of_kind(theirs, kind).isdisjoint(of_kind(ours, kind))
        for kind in _KINDS
    )


def things_named(text: str) -> frozenset[str]:
    """The topics of a text, and all that its wide words may mean."""
    named = lexicon().topics(text)
    if named & _AKIN["lights"]:
        named -= {"lights"}
    return named.union(*(about for words, about in _WIDE if re.search(words, text, re.IGNORECASE)))


def topics_of(parts: Iterable[str]) -> frozenset[str]:
    """The topics of tools, or of values of the car."""
    return frozenset[str]().union(*map(lexicon().part_topics, parts))


def tools_about(topics: frozenset[str]) -> frozenset[str]:
    """The tools that change something of these topics."""
    akin = topics.union(*(_AKIN.get(topic, frozenset()) for topic in topics))
    return frozenset(name for name, about in _changing_tools().items() if about & akin)


@cache
def _changing_tools() -> dict[str, frozenset[str]]:
    return {name: lexicon().part_topics(name) for name in CHANGING}
