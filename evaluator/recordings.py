"""Recorded public runs: result files of the public benchmark, old and new, as they lie.

A file is a JSON list of entries or has one entry per line. An entry holds a conversation; what
counts here are its tool calls, message by message, and the text each call was answered with.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from evaluator.problems import UsageProblem

Entry = dict[str, Any]
SUFFIXES = (".json", ".jsonl")
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


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call and the exact text it was answered with; None if the answer was not kept."""

    tool: str
    arguments: dict[str, Any]
    output: str | None


Batch = tuple[RecordedCall, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run.

    `messages` has the calls of each assistant message; a message without calls hands the floor to
    the driver. `rewards` are the recorded components by name, 1.0, 0.0 or None where one does not
    apply; None when the run was not scored. `where` is file and line (or position in the list).
    """

    task_id: str
    trial: int
    where: str
    messages: tuple[Batch, ...]
    rewards: dict[str, float | None] | None = None

    @property
    def calls(self) -> Batch:
        return tuple(call for batch in self.messages for call in batch)


@dataclass(frozen=True, slots=True)
class Recordings:
    """What was found: runs to replay, and where runs broke off with an error of their bench."""

    runs: tuple[Recording, ...]
    broken: tuple[str, ...] = ()


def read_recordings(path: Path) -> Recordings:
    """Read a result file, or all of a folder and those below; `UsageProblem` says where it fails.

    Entries with an empty conversation are error rows: their bench broke, nothing was recorded.
    """
    runs, broken = [], []
    for file in _files(path):
        for where, entry in _entries(file):
            if entry.get("traj"):
                runs.append(_recording(entry, where))
            else:
                broken.append(where)
    return Recordings(tuple(runs), tuple(broken))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise UsageProblem(f"{path} holds no {' or '.join(SUFFIXES)} file with recorded runs")
    return files


def _entries(file: Path) -> Iterator[tuple[str, Entry]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{file} cannot be read as recorded runs: {error}") from error
    if text.lstrip().startswith("["):
        listed = _json(text, str(file))
        for number, entry in enumerate(listed, start=1):
            where = f"{file}:entry {number}"
            yield where, _entry(entry, where)
        return
    # Not splitlines(): recorded sentences may hold other line separators than the newline.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{file}:{number}"
            yield where, _entry(_json(line, where), where)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageProblem(f"{where}: expected JSON, but {error}") from error


def _entry(found: Any, where: str) -> Entry:
    """Check that this is an object with a conversation, be it an empty one."""
    told = isinstance(found, dict) and "traj" in found
    if not told or not isinstance(found["traj"] or [], list):
        raise UsageProblem(
            f"{where}: expected a recorded run, an object with task_id, trial, traj and info"
        )
    entry: Entry = found
    return entry


def _recording(entry: Entry, where: str) -> Recording:
    try:
        return Recording(
            task_id=_task_id(entry, where),
            trial=int(entry.get("trial") or 0),
            where=where,
            messages=tuple(_messages(entry["traj"])),
            rewards=_rewards(entry),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageProblem(f"{where}: this is no recorded run ({reason})") from error


def _task_id(entry: Entry, where: str) -> str:
    """The id of the task; in older files a number N stands for base_N."""
    task_id = entry.get("task_id")
    if task_id is None:
        task_id = _inside(entry, "info", "task").get("task_id")
    if task_id is None:
        raise UsageProblem(f"{where}: expected a task_id")
    if isinstance(task_id, str) and not task_id.isdecimal():
        return task_id
    return f"base_{int(task_id)}"


def _inside(entry: Entry, *path: str) -> Entry:
    """An object inside an entry; empty where the path breaks."""
    found: Any = entry
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _rewards(entry: Entry) -> dict[str, float | None] | None:
    parts = _inside(entry, "info", "reward_info", "info")
    return {
        name: value
        for name, value in parts.items()
        if name.startswith("r_") and (value is None or isinstance(value, int | float))
    } or None


def _messages(messages: list[Entry]) -> Iterator[Batch]:
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            answers = []
            for following in messages[index + 1 :]:
                if following["role"] != "tool":
                    break
                answers.append(following)
            yield _batch(message.get("tool_calls") or [], answers)


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
