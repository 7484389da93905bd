"""Events of a car, and differences of its state, as sentences for people."""

import json
import re
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.results.broken_agent import BrokenAgent
from evaluator.results.slow_turns import SlowTurn
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.turn_figures import MOST_EXCLUDED, HarnessFigures
from evaluator.scoring.failure_kinds import KINDS
from evaluator.scoring.scores import Score
from evaluator.scoring.turn_score import EXCLUDED_MS
from evaluator.views.captions import (
    ENDINGS,
    JUDGED,
    MARKS,
    OUTCOMES,
    SPANS,
    caption,
    in_words,
    percent,
)
from evaluator.views.car_values import ROWS, opening, place_name
from vehicle_bus.world.world import World

SENTENCES = {
    "arrival": "Arrived at {name}",
    "battery_low": "The battery is down to {state_of_charge:g} %",
    "battery_empty": "The battery is empty: the car stops",
    "range_low": "{remaining_range_km:g} km of range left, {next_stop_km:g} km to the next stop",
}
FAULTS = {
    "delay": "the reply to {tool} is delayed",
    "loss": "the reply to {tool} was lost",
    "lost_command": "the command {tool} was lost",
    "duplicate": "the messages about {tool} were sent twice",
    "reorder": "the messages about {tool} were sent out of order",
    "refusal": "the car refused {tool}",
    "stale": "{tool} replied with an old state",
    "contradiction": "the reply to {tool} contradicts the car",
    "offline": "the car is offline",
    "knob": "somebody used a control by hand",
}
DIFFERENCE = re.compile(r"(?P<name>[a-z_]+) is (?P<was>.+?), expected (?P<wanted>.+?)(?=; |$)")
ERROR_CODE = re.compile(r"^\w+_\d{3}: ")
PLACE_ID = re.compile(r"\b(?:loc|poi)_[a-z]+_\d+\b")
ONLY_SAID = re.compile(
    rf"(\w+: )?the driver said ({'|'.join(each.strip(': ') for each in ENDINGS)})$"
)
MISSED_LIMIT = re.compile(rf"\b({'|'.join(JUDGED)})(?= (?:too late|never came))")


def event_sentence(kind: str, detail: Mapping[str, Any]) -> str:
    """What an event says; an unknown one is described by its kind and values."""
    if kind == "fault" and detail.get("kind") in FAULTS:
        return fault_sentence(str(detail["kind"]), detail.get("tool"))
    try:
        return SENTENCES[kind].format_map(detail)
    except (KeyError, TypeError, ValueError):  # another client may publish other fields
        pass
    values = detail.get("set")
    changes = {name: to for name, to in values.items() if name in ROWS} if values else {}
    by = str(detail.get("by", "somebody"))
    if kind == "knob" and changes:
        return f"{_subject(by)} {' and '.join(_done(name, to) for name, to in changes.items())}"
    others = [str(each) for each in detail.values() if not isinstance(each, dict | list)]
    others += [f"{ROWS[name].noun} {ROWS[name].shown(to)}" for name, to in changes.items()]
    return ", ".join([kind.replace("_", " ").capitalize(), *others])


def refusal(output: str, world: World) -> str:
    """Why a call was not carried out, with the names of places instead of their ids."""
    try:
        errors = json.loads(output)["errors"].values()
    except (ValueError, TypeError, LookupError, AttributeError):
        errors = [output]
    return with_names("; ".join(ERROR_CODE.sub("", str(error)) for error in errors), world)


def with_names(text: str, world: World) -> str:
    """The text with the names of places instead of their ids."""
    return PLACE_ID.sub(lambda found: place_name(world, found[0]), text)


def fault_sentence(kind: str, tool: str | None) -> str:
    """An injected fault, with the tool that it hit."""
    return f"Injected fault: {FAULTS[kind].format(tool=tool or 'a call')}"


def readable(sentence: str) -> str:
    """A reason as scores have it, with names and values of the car in words."""
    if only := ONLY_SAID.match(sentence):
        return ENDINGS[f"{only[2]}: "].rstrip(": ") if only[1] else "the driver said so"
    for ending, text in ENDINGS.items():
        if sentence.startswith(ending):
            return f"{text}{sentence.removeprefix(ending)}".rstrip(": ")
    return MISSED_LIMIT.sub(
        lambda found: SPANS[JUDGED[found[0]]], DIFFERENCE.sub(_difference, sentence)
    )


def why_failed(score: Score) -> tuple[str, str]:
    """The kind of failure, or what went wrong outside the agent, and the reason, in words."""
    if score.failure is None:
        return caption(OUTCOMES, score.outcome), readable(score.reason)
    return KINDS[score.failure.kind], readable(score.failure.evidence)


def missed_limit(slow: SlowTurn) -> str:
    """`first speech too late`, or slow."""
    return f"{SPANS[slow.span]} {MARKS['soft' if slow.mark == 'soft' else 'hard']}"


def what_took(slow: SlowTurn) -> str:
    """The parts of a latency, the longest first."""
    if not slow.parts:
        return "it never came"
    longest = sorted(slow.parts, key=lambda part: -part.took_ms)
    return ", ".join(f"{part.name} {part.took_ms / 1000:.2f} s" for part in longest)


def solved_too_late(units: Iterable[UnitResult]) -> int:
    """How many units were solved, but not in time."""
    return sum(
        unit.score.outcome == "success" and unit.score.components.get("r_realtime") == 0.0
        for unit in units
    )


def untrusted_latencies(figures: HarnessFigures) -> str:
    """Why the latencies of a run cannot be trusted, and what helps."""
    return (
        "latencies and what was in time cannot be trusted: the bench itself delayed "
        f"{counted(figures.excluded, 'turn')} by more than {EXCLUDED_MS:g} ms, more than "
        f"{MOST_EXCLUDED * 100:g} % of all; use a lower --max-concurrency or a less busy machine"
    )


def broken_agent_sentence(found: BrokenAgent, evaluated: int) -> str:
    """In how many episodes the agent looks broken, and how."""
    return (
        f"the agent looks broken in {found.episodes} of {counted(evaluated, 'episode')}: "
        f"{readable(found.example)}"
    )


def driver_sentences(run: Summary) -> Iterator[str]:
    """How far the driver can be trusted: its error if scripted, its doubts if a model plays it."""
    if error := run.driver_error:
        yield (
            f"scripted driver: misreads {error.misread * 100:.0f} % of {error.turns} recorded turns"
        )
    if found := run.recognition:
        wrong = f"{found.word_error_rate * 100:.1f} %"
        yield f"{wrong} of {counted(found.words, 'word')} were recognised wrong"
    if driver := run.driver:
        yield (
            f"the driver's last word is disputed in {driver.disputed} of "
            f"{counted(driver.episodes, 'episode')} ({percent(driver.disputed_share)}), and it "
            f"repaired {counted(driver.repairs, 'turn')}"
        )


def judging_sentence(run: Summary) -> str:
    """Who judged, and how many rule checks are undecided."""
    checks, judge = run.policy_coverage, run.judge
    name = f"judge {judge.judge.partition('@')[0] if judge else run.judge_named or 'off'}"
    if left := checks.applicable - checks.decided:
        of = counted(checks.applicable, "rule check")
        return f"{name}: {left} of {of} undecided, counted as kept"
    if judge is not None:
        questions = counted(judge.judged, "question")
        return f"{name} decided {questions} about rules that code cannot decide"
    return f"{name}: no rule needed it" if run.judge_named else name


def difference(name: str, value: Any, expected: Any) -> str:
    """`fan is level 1, expected level 2`; a name without a row stays as it is."""
    row = ROWS.get(name)
    shown = row.shown if row else in_words
    is_now, wanted = shown(value), shown(expected)
    if is_now == wanted:  # other routes with as many legs
        is_now, wanted = in_words(value), in_words(expected)
    noun = row.noun if row else name
    return f"{noun} {'are' if noun.endswith('s') else 'is'} {is_now}, expected {wanted}"


def state_changes(changes: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Per changed value its name, and its texts before and after."""
    for name, (before, after) in changes.items():
        row = ROWS.get(name)
        shown = row.shown if row else in_words
        yield (row.noun if row else name), shown(before), shown(after)


def _difference(found: re.Match[str]) -> str:
    name, values = found["name"], [_value(found[part]) for part in ("was", "wanted")]
    prose = any(isinstance(value, str) and not value.isupper() for value in values)
    return found[0] if prose or name not in ROWS else difference(name, *values)


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _subject(by: str) -> str:
    if by.split()[0] in ("a", "an", "the", "somebody"):
        return by[0].upper() + by[1:]
    return f"The {by}"


def _done(name: str, value: Any) -> str:
    """`opened the sunroof`, `turned the fog lights on`, `set the fan to level 3`."""
    row = ROWS[name]
    text = row.shown(value)
    if row.shown is opening and value in (0, 100):
        return f"{'opened' if value else 'closed'} the {row.noun}"
    if text in ("on", "off"):
        return f"turned the {row.noun} {text}"
    return f"set the {row.noun} to {text}"
