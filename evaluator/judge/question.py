"""The prompt of a judge about one rule in one episode. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

from evaluator.record.episode import Episode, Order
from evaluator.scoring.policies import Finding, Policy
from evaluator.scoring.policies.speech import CONFIRMED_TOOLS

PROMPT_FILE = Path(__file__).with_name("judge.md")
LONGEST_RESULT = 8_000
TO_ITSELF = frozenset({"think", "planning_tool"})  # nothing in the car is asked or done


@dataclass(frozen=True, slots=True)
class Case:
    """One open question: which unit, which rule, and the prompt."""

    task_id: str
    trial: int
    policy: str
    prompt: str


@cache
def template() -> str:
    """The prompt with its gaps, as it is hashed into manifests and judgements."""
    return PROMPT_FILE.read_text(encoding="utf-8")


def case(trial: int, episode: Episode, policy: Policy, finding: Finding) -> Case:
    """Put an undecided rule of an episode before a judge."""
    place = episode.context.current_location
    now = episode.context.current_datetime
    prompt = template().format(
        rule=policy.rule,
        question=finding.open_question,
        confirmed=", ".join(CONFIRMED_TOOLS),
        place=place.name,
        time=f"{now.hour:02d}:{now.minute:02d} on {now.year}-{now.month:02d}-{now.day:02d}",
        conversation="\n".join(conversation(episode)),
    )
    return Case(episode.task.task_id, trial, policy.id, prompt)


def conversation(episode: Episode) -> list[str]:
    """What was said aloud and what was called, one line each; nobody can add a line."""
    lines = sorted([*_said(episode), *_called(episode)], key=lambda line: line[0])
    return [f"{number}. {who}: {text}" for number, (_, who, text) in enumerate(lines, 1)]


def _said(episode: Episode) -> Iterator[tuple[Order, str, str]]:
    for said in episode.utterances:
        if said.spoken:
            who = "driver" if said.who == "driver" else "assistant"
            yield said.order, who, orjson.dumps(said.text.strip()).decode()


def _called(episode: Episode) -> Iterator[tuple[Order, str, str]]:
    for act in episode.acts:
        if act.tool in TO_ITSELF:
            continue
        yield act.order, "call", f"{act.tool} {orjson.dumps(act.arguments).decode()}"
        if act.answered is None or act.call.reply is None:
            yield (
                act.answered or act.order,
                "result",
                f"{act.tool}: no answer reached the assistant",
            )
            continue
        yield act.answered, "result", f"{act.tool} {orjson.dumps(shown(act.output)).decode()}"


def shown(output: str) -> str:
    """A result of a tool, cut if it is very long."""
    return f"{output[:LONGEST_RESULT]} …" if len(output) > LONGEST_RESULT else output
