"""What the names in a result are called when people read them."""

from collections.abc import Mapping
from typing import Any

FAMILIES = {
    "base": "base",
    "hallucination": "limit awareness",
    "disambiguation": "disambiguation",
}
TASK_TYPES = {
    "base": "base",
    "hallucination_missing_tool": "limit awareness, tool missing",
    "hallucination_missing_tool_parameter": "limit awareness, parameter missing",
    "hallucination_missing_tool_response": "limit awareness, result missing",
    "disambiguation_internal": "disambiguation, settle alone",
    "disambiguation_user": "disambiguation, ask",
}
PRIORITIES = {
    "0": "a rule of the car",
    "1": "what the driver said",
    "2": "a stored preference",
    "3": "the usual choice",
    "4": "the state of the car",
    "5": "asking the driver",
}
OUTCOMES = {
    "success": "success",
    "failure": "failure",
    "user_error": "driver's error",
    "infra_error": "bench error",
}
COMPONENTS = {
    "r_actions_final": "end state",
    "r_actions_intermediate": "states on the way",
    "r_tool_subset": "required look-ups",
    "r_tool_execution": "no refused call",
    "r_policy": "rules of the car",
    "r_user_end_conversation": "how the driver ended it",
    "r_realtime": "in time",
    "false_claim": "no false claim",
    "grounding": "nothing invented",
}
FAULTS = {
    "delay": "answer late",
    "loss": "answer lost",
    "lost_command": "command lost",
    "duplicate": "told twice",
    "reorder": "told in disorder",
    "refusal": "refused for the moment",
    "stale": "answer out of date",
    "contradiction": "answer contradicts the car",
    "offline": "car away",
    "knob": "turned by hand",
}
SPANS = {
    "eou_delay": "end of speech noticed",
    "ttft_text": "first text",
    "upl": "first speech",
    "upl_content": "first content",
    "effect_latency": "effect in the car",
    "turnaround": "whole turn",
    "max_gap": "longest silence",
    "overlap": "both speaking",
    "barge_stop": "silent when cut",
    "agent_stop": "text when cut",
}
TURN_CLASSES = {
    "A": "any turn",
    "B": "simple control",
    "C": "information",
    "D": "several steps",
    "E": "the agent asks",
    "F": "after a yes or no",
    "G": "small talk or refusal",
    "H": "safety",
}
# Budget of a turn: the name in its verdict and the span that is judged.
JUDGED = {
    "first_speech": "upl",
    "content": "upl_content",
    "effect": "effect_latency",
    "max_gap": "max_gap",
}
MARKS = {"ok": "", "soft": "late", "hard": "too late", "missing": ""}


def caption(captions: Mapping[str, str], name: str) -> str:
    """The caption, or the name itself with blanks for what has none yet."""
    return captions.get(name, name.replace("_", " "))


def in_words(value: Any) -> str:
    """A value of the car in a few characters: `on`, `22.5`, `DRIVER`, `a, b`."""
    match value:
        case bool():
            return "on" if value else "off"
        case None:
            return "none"
        case float():
            return f"{value:g}"
        case list() | tuple():
            return ", ".join(in_words(inner) for inner in value) or "none"
        case dict():
            return ", ".join(f"{name} {in_words(inner)}" for name, inner in value.items()) or "none"
    return str(value)
