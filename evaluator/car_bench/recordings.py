"""Recorded public runs: result files of the public benchmark and its competition, as they lie.

A file is a JSON list of entries, has one entry per line, or is a competition report with entries
somewhere inside, listed by kind of task. An entry holds a conversation (`traj`, in reports
`trajectory`): what both sides said, and the tool calls with the text each was answered with.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from evaluator.problems import UsageProblem
from evaluator.task.public_tasks import MAIN_TYPES
from vehicle_bus.validation_problem import first_problem

Entry = dict[str, Any]
SUFFIXES = (".json", ".jsonl")
CONVERSATION = ("traj", "trajectory")
LONGEST_QUOTE = 60
EXPECTED = "expected recorded runs, objects with task_id, trial and traj"
# A message that calls one of these speaks to the driver; its other calls were never carried out.
SPEAKING = frozenset(
    {
        "respond",
        "message_to_user",
        "clarify_with_user_request_of_invalid_tool_arguments",
        "clarify_with_user_request_of_unavailable_tools",
        "disambiguate_with_user_suitable_tool_results",
        "disambiguate_with_user_suitable_tools",
        "disambiguate_with_user_tool_arguments",
        "ask_user_for_confirmation",
    }
)

WHOLE = TypeAdapter(Annotated[int, Field(ge=0, lt=1 << 31)])
Mark = Annotated[float, Field(strict=True, ge=0, le=1)] | None
MARKS = TypeAdapter(dict[str, Mark])


class NotedParts(BaseModel):
    """What was noted of a verdict beside the components."""

    policy_aut_errors: list[Any] | None = None
    policy_llm_errors: list[Any] | None = None
    end_conversation_keyword: str | None = None


class NotedVerdict(BaseModel):
    """A noted verdict."""

    reward: Mark = None
    info: NotedParts | None = None


class RunNotes(BaseModel):
    """What was noted of a run, as far as it is read."""

    reward_info: NotedVerdict | None = None
    total_agent_cost: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = None


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call and the exact text it was answered with; None if the answer was not kept."""

    tool: str
    arguments: dict[str, Any]
    output: str | None


Batch = tuple[RecordedCall, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the driver or the agent: its text, and the calls beside it."""

    who: Literal["driver", "agent"]
    text: str
    calls: Batch = ()


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One recorded run.

    An agent's message without calls hands the floor to the driver. `rewards` are the recorded
    components by name, 1.0, 0.0 or None where one does not apply; None when the run was not scored.
    `info` is what else was noted about the run, `where` file and line (or position in the list).
    """

    task_id: str
    trial: int
    where: str
    steps: tuple[Step, ...]
    rewards: dict[str, float | None] | None = None
    info: Entry = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Batch, ...]:
        """The calls of each of the agent's messages."""
        return tuple(step.calls for step in self.steps if step.who == "agent")

    @property
    def calls(self) -> Batch:
        return tuple(call for batch in self.messages for call in batch)


@dataclass(frozen=True, slots=True)
class RecordedRuns:
    """What was found: runs to replay, and where runs broke off with an error of their bench.

    `skipped` has a line for each file of a folder that holds no recordings.
    """

    runs: tuple[RecordedRun, ...]
    broken: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def read_recordings(*paths: Path) -> RecordedRuns:
    """Read result files, and all of a folder and those below; `UsageProblem` says where it fails.

    Entries with an empty conversation are error rows: their bench broke, nothing was recorded.
    """
    runs, broken, skipped = [], [], []
    for file in chain.from_iterable(map(_files, paths)):
        try:
            entries = list(_entries(file))
        except UsageProblem as problem:
            if file in paths or _holds_conversations(file):
                raise
            skipped.append(str(problem))
            continue
        for where, kind, entry in entries:
            if _conversation(entry):
                runs.append(_recording(entry, kind, where))
            else:
                broken.append(where)
    if skipped and not (runs or broken):
        raise UsageProblem(skipped[0])
    return RecordedRuns(tuple(runs), tuple(broken), tuple(skipped))


def _holds_conversations(file: Path) -> bool:
    """Whether a file that cannot be read is a damaged recording rather than something else."""
    text = file.read_bytes()
    return any(f'"{name}"'.encode() in text for name in CONVERSATION)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise UsageProblem(f"{path} holds no {' or '.join(SUFFIXES)} file with recorded runs")
    return files


def _entries(file: Path) -> Iterator[tuple[str, str, Entry]]:
    """Where each entry stands, the kind of task it is listed under if any, and the entry."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{file} cannot be read as recorded runs: {error}") from error
    if file.suffix == ".jsonl":
        # Not splitlines(): recorded sentences may hold other line separators than the newline.
        numbered = list(enumerate(text.split("\n"), start=1))
        lines = [(f"{file}:{number}", line) for number, line in numbered if line.strip()]
        yield from ((where, "", _entry(_json(line, where), where)) for where, line in lines)
        return
    whole = _json(text, str(file))
    listed = [("", entry) for entry in whole] if isinstance(whole, list) else _in_report(whole)
    found = list(listed)
    if not found:
        raise UsageProblem(f"{file}: {EXPECTED}")
    for number, (kind, entry) in enumerate(found, start=1):
        where = f"{file}:entry {number}"
        yield where, kind, _entry(entry, where)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageProblem(f"{where}: expected JSON, but {error}") from error


def _in_report(report: Any) -> Iterator[tuple[str, Entry]]:
    """Entries at any depth, each once: partial results of a report repeat in its final one."""
    seen: set[str] = set()
    for kind, entry in _entries_inside(report, ""):
        text = f"{kind} {json.dumps(entry, sort_keys=True)}"
        if text not in seen:
            seen.add(text)
            yield kind, entry


def _entries_inside(node: Any, kind: str) -> Iterator[tuple[str, Entry]]:
    """Entries with the kind of task that the nearest key above names."""
    if isinstance(node, dict) and any(name in node for name in CONVERSATION):
        yield kind, node
    elif isinstance(node, dict):
        for key, inner in node.items():
            yield from _entries_inside(inner, key if key in MAIN_TYPES else kind)
    elif isinstance(node, list):
        for inner in node:
            yield from _entries_inside(inner, kind)


def _entry(found: Any, where: str) -> Entry:
    """Check that this is an object with a conversation, be it an empty one."""
    has_conversation = isinstance(found, dict) and any(name in found for name in CONVERSATION)
    if not has_conversation or not isinstance(_conversation(found), list):
        raise UsageProblem(f"{where}: {EXPECTED}")
    entry: Entry = found
    return entry


def _conversation(entry: Entry) -> Any:
    return next((entry[name] for name in CONVERSATION if entry.get(name)), [])


def _recording(entry: Entry, kind: str, where: str) -> RecordedRun:
    try:
        return RecordedRun(
            task_id=_task_id(entry, kind, where),
            trial=_trial(entry),
            where=where,
            steps=tuple(_steps(_conversation(entry))),
            rewards=_rewards(entry),
            info=entry.get("info") or entry,
        )
    except ValidationError as error:
        raise UsageProblem(f"{where}: {first_problem(error, 'info')}") from error
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageProblem(f"{where}: this is no recorded run ({reason})") from error


def _task_id(entry: Entry, kind: str, where: str) -> str:
    """The id of the task.

    In older files it is a number, counted in each kind of task; the kind is said by the task type
    in the row, or by a key above it. Where nothing is said it is base.
    """
    task = _inside(entry, "task")
    task_id = entry.get("task_id")
    if task_id is None:
        task_id = task.get("task_id")
    if isinstance(task_id, str) and task_id and not task_id.isdecimal():
        return task_id
    number = _whole(task_id)
    if number is None:
        raise UsageProblem(f"{where}: expected a task_id, not {task_id!r:.{LONGEST_QUOTE}}")
    said = str(entry.get("task_type") or task.get("task_type") or kind)
    main_type = said.partition("_")[0]
    return f"{main_type if main_type in MAIN_TYPES else 'base'}_{number}"


def _trial(entry: Entry) -> int:
    given = entry.get("trial")
    trial = 0 if given is None else _whole(given)
    if trial is None:
        raise ValueError(f"trial is {given!r:.{LONGEST_QUOTE}}")
    return trial


def _whole(value: Any) -> int | None:
    """A whole number from 0, also as a fraction or a text; None if it is none or far too large."""
    try:
        return None if isinstance(value, bool) else WHOLE.validate_python(value)
    except ValidationError:
        return None


def _inside(entry: Entry, *path: str) -> Entry:
    """An object inside `info`, or in reports inside the entry; empty where the path breaks."""
    found: Any = entry.get("info") or entry
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _rewards(entry: Entry) -> dict[str, float | None] | None:
    RunNotes.model_validate(entry.get("info") or entry)
    parts = _inside(entry, "reward_info", "info")
    rewards = {name: value for name, value in parts.items() if name.startswith("r_")}
    return MARKS.validate_python(rewards) or None


def _steps(messages: list[Entry]) -> Iterator[Step]:
    for index, message in enumerate(messages):
        if message["role"] == "user":
            yield Step("driver", _text(message.get("content")) or "")
        if message["role"] == "assistant":
            answers = []
            for following in messages[index + 1 :]:
                if following["role"] != "tool":
                    break
                answers.append(following)
            calls = message.get("tool_calls") or []
            said = _text(message.get("content")) or _spoken_by_call(calls)
            yield Step("agent", said, _batch(calls, answers))


def _spoken_by_call(calls: list[Entry]) -> str:
    """What a message says that speaks to the driver through a tool."""
    speaking = [call["function"] for call in calls if call["function"]["name"] in SPEAKING]
    return " ".join(str(text) for call in speaking for text in _arguments(call).values())


def _batch(calls: list[Entry], answers: list[Entry]) -> Batch:
    if any(call["function"]["name"] in SPEAKING for call in calls):
        return ()
    outputs = [_text(answer.get("content")) for answer in _in_call_order(calls, answers)]
    outputs += [None] * (len(calls) - len(outputs))
    return tuple(
        RecordedCall(call["function"]["name"], _arguments(call["function"]), output)
        for call, output in zip(calls, outputs, strict=False)
    )


def _in_call_order(calls: list[Entry], answers: list[Entry]) -> list[Entry]:
    """Answers are listed as they were asked for; ids win where every call has one of its own."""
    asked = [call.get("id") for call in calls]
    by_id = {answer.get("tool_call_id"): answer for answer in answers}
    if None in asked or len(by_id) != len(answers) or by_id.keys() != set(asked):
        return answers
    return [by_id[call_id] for call_id in asked]


def _arguments(function: Entry) -> dict[str, Any]:
    given = function.get("arguments") or "{}"
    # As the bus will carry them: numbers beyond 64 bits are fractions, NaN is refused.
    arguments = orjson.loads(given if isinstance(given, str) else json.dumps(given))
    if not isinstance(function["name"], str):
        raise ValueError(f"a tool is called {function['name']!r}")
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments of {function['name']} are no object")
    return arguments


def _text(content: Any) -> str | None:
    """The text of an answer, which some recorders split into parts or store as JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    return json.dumps(content)
