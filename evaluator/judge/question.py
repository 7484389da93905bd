"""The prompt of a judge about one rule in one episode. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

from evaluator.record.episode import Episode, Order
from evaluator.scoring.policies import Finding, Policy

PROMPT_FILE = Path(__file__).with_name("judge.md")
LONGEST_RESULT = 2_000


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
        yield act.order, "call", f"{act.tool} {orjson.dumps(act.arguments).decode()}"
        if act.answered is not None and act.call.reply is not None:
            output = act.output
            cut = f"{output[:LONGEST_RESULT]} …" if len(output) > LONGEST_RESULT else output
            yield act.answered, "result", f"{act.tool} {orjson.dumps(cut).decode()}"
