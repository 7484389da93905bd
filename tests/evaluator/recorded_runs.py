"""Recorded runs written by hand, in the format of public result files."""

import json
from pathlib import Path
from typing import Any

Message = dict[str, Any]
KEPT = {
    "r_actions_final": 1.0,
    "r_actions_intermediate": 1.0,
    "r_tool_subset": 1.0,
    "r_tool_execution": 1.0,
}


def asked(*calls: tuple[str, Any], ids: bool = True) -> Message:
    """An assistant message with tool calls; arguments are written as JSON unless they are text."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            | ({"id": f"call_{number}"} if ids else {})
            for number, (name, given) in enumerate(calls)
        ],
    }


def answered(content: Any, call_id: str | None = None) -> Message:
    text = content if isinstance(content, str) else json.dumps(content)
    answer = {"role": "tool", "name": "whatever", "content": text}
    return answer if call_id is None else answer | {"tool_call_id": call_id}


def success(**result: Any) -> dict[str, Any]:
    return {"status": "SUCCESS", "result": result}


def spoken(text: str = "Done.") -> Message:
    return {"role": "assistant", "content": text, "tool_calls": None}


def heard(text: str = "###STOP###") -> Message:
    return {"role": "user", "content": text}


def entry(*messages: Message, rewards: Any = KEPT, **fields: Any) -> dict[str, Any]:
    reward_info = None if rewards is None else {"reward": 1.0, "info": rewards, "actions": []}
    return {
        "task_id": "base_0",
        "trial": 0,
        "reward": 1.0,
        "traj": list(messages),
        "info": {"source": "user", "reward_info": reward_info},
    } | fields


ERROR_ROW = {
    "task_id": "base_1",
    "trial": 2,
    "reward": 0.0,
    "traj": [],
    "info": {"error": "boom", "traceback": "…"},
}


def write_lines(file: Path, *entries: Any) -> Path:
    file.write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf-8")
    return file


def write_list(file: Path, *entries: Any) -> Path:
    file.write_text(json.dumps(entries, indent=2), encoding="utf-8")
    return file
