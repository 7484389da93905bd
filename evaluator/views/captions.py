"""Names in a result, and what people read for them."""

from collections.abc import Mapping
from typing import Any

MAIN_TYPES = {
    "base": "base",
    "hallucination": "limit awareness",
    "disambiguation": "disambiguation",
}
TASK_TYPES = {
    "base": "base",
    "hallucination_missing_tool": "limit awareness, tool missing",
    "hallucination_missing_tool_parameter": "limit awareness, parameter missing",
    "hallucination_missing_tool_response": "limit awareness, result missing",
    "disambiguation_internal": "disambiguation, without asking",
    "disambiguation_user": "disambiguation, by asking",
}
PRIORITIES = {
    "0": "a rule of the car",
    "1": "the driver's words",
    "2": "a stored preference",
    "3": "the usual choice",
    "4": "the state of the car",
    "5": "asking the driver",
}
AXES = {
    "calls": "Calls",
    "domains": "Domains",
    "rules": "Rules",
    "kept_back": "Details kept back",
    "conditions": "Conditions",
    "manner": "Manner of driver",
}
OUTCOMES = {
    "success": "success",
    "failure": "failure",
    "user_error": "driver error",
    "infra_error": "infrastructure error",
}
COMPONENTS = {
    "r_actions_final": "end state",
    "r_actions_intermediate": "intermediate states",
    "r_tool_subset": "required calls",
    "r_tool_execution": "no refused call",
    "r_policy": "rules of the car",
    "r_user_end_conversation": "end of conversation",
    "r_says": "told what was asked",
    "r_language": "language of the answers",
    "r_realtime": "no turn too late",
    "asked_first": "driver asked first",
    "collateral": "no unwanted change",
    "false_claim": "no false claim",
    "grounding": "no invented value",
}
# The same where it failed.
FAILED_COMPONENTS = {
    "r_actions_final": "wrong end state",
    "r_actions_intermediate": "wrong intermediate state",
    "r_tool_subset": "required call missing",
    "r_tool_execution": "call refused",
    "r_policy": "rule broken",
    "r_user_end_conversation": "driver ended the conversation",
    "asked_first": "acted before asking",
    "collateral": "unwanted change",
    "r_says": "answer not told, or told wrong",
    "r_language": "spoke another language",
    "r_realtime": "a turn was too late",
    "false_claim": "false claim",
    "grounding": "invented value",
}
FAULTS = {
    "delay": "reply delayed",
    "loss": "reply lost",
    "lost_command": "command lost",
    "duplicate": "messages sent twice",
    "reorder": "messages out of order",
    "refusal": "call refused",
    "stale": "reply out of date",
    "contradiction": "reply contradicts the car",
    "offline": "car offline",
    "knob": "manual change",
}
# What a fault does, in a few words.
FAULT_EFFECTS = {
    "delay": "the car acts and replies late",
    "loss": "the car acts, its reply is lost",
    "lost_command": "the command does not reach the car",
    "duplicate": "signals and reply come twice",
    "reorder": "signals and reply come in another order",
    "refusal": "the car does nothing and says so",
    "stale": "a look-up returns the state before the last change",
    "contradiction": "a look-up contradicts the car",
    "offline": "the car hears and answers nothing for a while",
    "knob": "a hand turns a knob right after the next call",
}
CONTROL_WORDS = {
    "STOP": "all is done",
    "ASSISTANT_ACKNOWLEDGED_REMOVED_PART": "limit admitted",
    "HALLUCINATION_ERROR": "limit not admitted",
    "DISAMBIGUATION_ERROR": "needless question",
    "OUT_OF_SCOPE": "give up",
}
SPANS = {
    "eou_delay": "end of speech found",
    "ttft_text": "first text",
    "upl": "first speech",
    "upl_content": "first content",
    "effect_latency": "effect in the car",
    "turnaround": "whole turn",
    "max_gap": "longest silence",
    "overlap": "both speaking",
    "barge_stop": "speech stopped",
    "agent_stop": "text stopped",
    "first_delta": "first samples",
    "first_sound": "first sound",
    "lead_in": "silence first",
    "sound_gap": "longest pause",
}
TURN_CLASSES = {
    "A": "any turn",
    "B": "simple control",
    "C": "information",
    "D": "several steps",
    "E": "a question back",
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
# The waits of a driver as a conversation shows them: label, span, name in the verdict.
WAITS = tuple(
    (SPANS[JUDGED[name]], JUDGED[name], name) for name in ("first_speech", "content", "effect")
)
# A span against its limits: up to the soft one, up to the hard one, beyond it.
MARKS = {"ok": "", "soft": "slow", "hard": "too late", "missing": ""}


# What ended a conversation, at the beginning of a reason.
ENDINGS = {
    "OUT_OF_SCOPE: ": "the driver gave up: ",
    "HALLUCINATION_ERROR: ": "did not admit a limit: ",
    "HALLUCINATION_ERROR_REMOVED_TOOL: ": "used what the car lacks: ",
    "HALLUCINATION_ERROR_REMOVED_PARAMETER: ": "used what the car lacks: ",
    "DISAMBIGUATION_ERROR: ": "asked what it should have found out: ",
    "step_limit: ": "",
    "agent_failed: ": "the agent failed: ",
}


def percent(share: float) -> str:
    """A share of 1 in whole percent."""
    return f"{share * 100:.0f} %"


def caption(captions: Mapping[str, str], name: str) -> str:
    """The caption, or without one the name itself with spaces."""
    return captions.get(name, name.replace("_", " "))


def task_kind(task_type: str, settled_by: int | None) -> str:
    """The type of a task and, for disambiguation, what decides."""
    kind = caption(TASK_TYPES, task_type)
    decided_by = "" if settled_by is None else caption(PRIORITIES, str(settled_by))
    return f"{kind}; decided by {decided_by}" if decided_by else kind


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
