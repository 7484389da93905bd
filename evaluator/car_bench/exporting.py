"""`codriver export`: a run as a result file of the public benchmark.

What our format knows and the public one has no place for (time, bus, rules by id) is left out; what
the public one wants and nobody measured is null.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from assistant_gateway.protocol import (
    GO_ON,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    SessionStart,
    ToolCall,
    ToolResult,
)
from evaluator.car_bench.replay_in_process import OVER
from evaluator.problems import UsageProblem
from evaluator.record.record import Record
from evaluator.results.store import RunStore, StoreError, UnitResult, open_store
from evaluator.scoring.conversation_end import STEP_LIMIT
from evaluator.scoring.scores import Score
from evaluator.task.selection import load_tasks, task_in
from evaluator.task.task import Task
from evaluator.views.printing import json_list, print_json, print_rich

Message = dict[str, Any]
PUBLISHED = (
    "r_actions_final",
    "r_actions_intermediate",
    "r_tool_subset",
    "r_tool_execution",
    "r_policy",
    "r_user_end_conversation",
)


def export(folder: Path, file: Path, tasks_from: Path | None, *, as_json: bool) -> None:
    """Write all units of a run; raises `UsageProblem`."""
    try:
        entries, broken = asyncio.run(_export(folder, file, tasks_from))
    except OSError as error:
        raise UsageProblem(f"cannot write {file}: {error.strerror}") from error
    if as_json:
        print_json({"file": str(file), "entries": entries, "error_entries": broken})
    else:
        print_rich(f"{entries} entries in {file}, {broken} of them errors")


async def _export(folder: Path, file: Path, tasks_from: Path | None) -> tuple[int, int]:
    """Write one entry after the other; the number of entries, and how many of them are errors."""
    found: Counter[bool] = Counter()

    async def counted(entries: AsyncIterator[Message]) -> AsyncIterator[Message]:
        async for entry in entries:
            found[not entry["traj"]] += 1
            yield entry

    async with open_store(folder) as store:
        entries = await _entries(store, tasks_from)
        with file.open("w", encoding="utf-8") as written:
            async for text in json_list(counted(entries)):
                written.write(text)
    return found.total(), found[True]


async def _entries(store: RunStore, tasks_from: Path | None) -> AsyncIterator[Message]:
    tasks_from, world_folder = store.manifest.sources(tasks_from, None)
    tasks = {task.task_id: task for task in load_tasks(tasks_from, world_folder)}
    trials = store.manifest.options.get("trials")
    place = {task_id: index for index, task_id in enumerate(store.manifest.tasks)}

    async def entries() -> AsyncIterator[Message]:
        async for unit in store.each_unit():
            found = await _entry(store, unit, task_in(tasks, unit.task_id, unit.words))
            trial = trials[unit.trial] if trials else unit.trial
            yield {"task_index": place[unit.task_id], **found, "trial": trial}

    return entries()


async def _entry(store: RunStore, unit: UnitResult, task: Task) -> dict[str, Any]:
    try:
        record = await store.record(*unit.unit)
    except StoreError:
        record = None
    if record is None or not unit.score.evaluated:
        error = f"{unit.score.outcome}: {unit.score.reason}"
        spoilt = {"error": error, "traceback": ""}
        return {"task_id": unit.task_id, "reward": 0.0, "info": spoilt, "traj": []}
    traj = trajectory(record)
    info: dict[str, Any] = {
        "task": public_task(task),
        "source": _source(traj),
        "user_cost": unit.cost.get("user"),
        "reward_info": _reward_info(unit.score, traj),
        "total_agent_cost": unit.cost.get("agent"),
        "total_llm_induced_latency_ms": None,
        "average_llm_induced_latency_per_turn_ms": None,
        "least_prompt_tokens": None,
        "latest_prompt_tokens": None,
    }
    if task.car.removed:
        info["removed_part"] = list(task.car.removed)
    return {"task_id": unit.task_id, "reward": _reward(unit.score), "info": info, "traj": traj}


def _reward(score: Score) -> float:
    """What code decided where a judge has still to decide; the format knows no null."""
    reward = score.reward if score.reward is not None else score.reward_coded
    return reward or 0.0


def _reward_info(score: Score, traj: Sequence[Message]) -> dict[str, Any] | None:
    if score.end_reason == STEP_LIMIT:
        return None
    parts = {name: score.components.get(name) for name in PUBLISHED}
    both = [parts["r_actions_final"], parts["r_actions_intermediate"]]
    judged = parts["r_policy"] is not None
    return {
        "reward": _reward(score),
        "info": {
            "r_actions": None if None in both else float(all(both)),
            **parts,
            "tool_subset_missing_tools": list(score.tool_subset_missing_tools),
            "tool_execution_errors": list(score.tool_execution_errors),
            "policy_llm_errors": list(score.policy_llm_errors) if judged else None,
            "policy_aut_errors": list(score.policy_aut_errors) if judged else None,
            "end_conversation_keyword": score.end_conversation_keyword,
            "r_outputs": None,
            "outputs": {},
        },
        "actions": list(_attempted(traj)),
    }


def _attempted(traj: Sequence[Message]) -> Iterator[dict[str, Any]]:
    """Everything the agent did, speaking to the driver included."""
    for message in traj:
        if message["role"] != "assistant":
            continue
        for call in message["tool_calls"] or ():
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            yield _action(name, orjson.loads(arguments))
        if not message["tool_calls"]:
            yield _action("respond", {"content": message["content"]})


def _action(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "kwargs": arguments, "index": None, "dependent_on_action_index": None}


# --- the conversation


def trajectory(record: Record) -> list[Message]:
    """Messages as the public benchmark keeps them, the end mark included."""
    messages: list[Message] = []
    text = ""
    calls: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for frame in record.frames:
        cid = str(frame.cid)
        match frame.body:
            case SessionStart(instructions=instructions):
                messages.append({"role": "system", "content": instructions})
            case InputTranscriptFinal(text=request):
                messages.append({"role": "user", "content": request})
            case ResponseTextDelta(delta=delta):
                text += delta
            case ToolCall() as call:
                names[cid] = call.name
                calls.append(_call(cid, call))
            case Interrupt() if not (text or calls):
                pass  # nothing was cut, or it had not begun
            case ResponseDone() | Interrupt():
                message = {"role": "assistant", "content": text or None}
                messages.append({**message, "tool_calls": calls or None})
                text, calls = "", []
            case ToolResult(output=output, error=error):
                answer = {"role": "tool", "tool_call_id": cid, "name": names.get(cid, "")}
                messages.append({**answer, "content": error or output})
    return [*_in_order(messages), *_ending(record, messages)]


def _call(cid: str, call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
    return {"id": cid, "type": "function", "function": function}


def _in_order(messages: Sequence[Message]) -> Iterator[Message]:
    """Results behind the message that asked for them: calls run while it is still being said."""
    results = {m["tool_call_id"]: m for m in messages if m["role"] == "tool"}
    for message in messages:
        if message["role"] == "tool":
            continue
        yield message
        for call in message.get("tool_calls") or ():
            if call["id"] in results:
                yield results[call["id"]]


def _ending(record: Record, messages: Sequence[Message]) -> list[Message]:
    if record.end is None or record.end.reason == STEP_LIMIT:
        return []
    if any(control.word != GO_ON for control in record.controls):
        return [{"role": "user", "content": OVER}]
    # A call that ends the session: the first answer of its message stands where the driver would.
    last = next((m for m in reversed(messages) if m.get("tool_calls")), None)
    first = last["tool_calls"][0]["id"] if last else None
    answers = [m["content"] for m in messages if m.get("tool_call_id") == first and first]
    return [{"role": "user", "content": answers[0]}] if answers else []


def _source(traj: Sequence[Message]) -> str:
    last = next((m for m in reversed(traj) if m["role"] == "assistant"), None)
    calls = (last or {}).get("tool_calls") or ()
    return "+".join(call["function"]["name"] for call in calls) or "user"


def public_task(task: Task) -> dict[str, Any]:
    """A task with the fields of the public format."""
    return {
        "task_id": task.task_id,
        "task_type": task.task_type,
        "persona": task.driver.persona.text or task.driver.persona.style,
        "calendar_id": task.car.calendar_id,
        "instruction": task.driver.instruction,
        "context_init_config": task.car.start,
        "actions": [_action(action.name, action.arguments) for action in task.expect.actions],
        "removed_part": list(task.car.removed) or None,
        "disambiguation_element_internal": task.driver.settle_alone,
        "disambiguation_element_user": None,
        "disambiguation_element_note": None,
    }
