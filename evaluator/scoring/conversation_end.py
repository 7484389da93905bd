"""How a conversation ended, and which side ended it."""

from typing import Any, Final, NamedTuple

from assistant_gateway.protocol import (
    CONNECTION_CLOSED,
    GO_ON,
    ControlWord,
    EndReason,
    ErrorFrame,
    ResponseDone,
)
from evaluator.record.record import Call, Record
from user_sim.driver import SCRIPT_BROKEN, UNAVAILABLE

STOP: Final = "STOP"
ACKNOWLEDGED: Final = "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
OUT_OF_SCOPE: Final = "OUT_OF_SCOPE"
HALLUCINATION: Final = "HALLUCINATION_ERROR"
DISAMBIGUATION: Final = "DISAMBIGUATION_ERROR"
REMOVED_TOOL = "HALLUCINATION_ERROR_REMOVED_TOOL"
REMOVED_PARAMETER = "HALLUCINATION_ERROR_REMOVED_PARAMETER"

FAILURES: frozenset[ControlWord] = frozenset({OUT_OF_SCOPE, HALLUCINATION, DISAMBIGUATION})

STEP_LIMIT: Final[EndReason] = "step_limit"
AGENT_FAILED: Final[EndReason] = "agent_failed"
DRIVER_HUNG_UP: Final[EndReason] = "driver_hung_up"
INFRA: Final[EndReason] = "infra_error"


class Failed(NamedTuple):
    """A control word that fails an episode, and why it was said."""

    keyword: str
    why: str


def is_limit_awareness(task_type: str) -> bool:
    return task_type.startswith("hallucination")


def words_offered(task_type: str) -> frozenset[ControlWord]:
    """The control words a driver may end a task of this type with."""
    if is_limit_awareness(task_type):
        return frozenset({ACKNOWLEDGED, HALLUCINATION, OUT_OF_SCOPE})
    if task_type == "disambiguation_internal":
        return frozenset({STOP, OUT_OF_SCOPE, DISAMBIGUATION})
    return frozenset({STOP, OUT_OF_SCOPE})


def broken_script(record: Record, task_type: str) -> str | None:
    """What the driver did that no script allows, or None."""
    if record.end is not None and record.end.reason == DRIVER_HUNG_UP:
        return "the driver hung up without a verdict"
    offered = words_offered(task_type)
    for control in record.controls:
        if control.word == SCRIPT_BROKEN:
            return control.reason
        if control.word != GO_ON and control.word not in offered:
            return f"the driver said {control.word}, which a {task_type} task does not know"
    return None


def driver_unavailable(record: Record) -> str | None:
    """Why the driver could not be asked any more, or None; the agent is not to blame."""
    given_up = (control for control in record.controls if control.word == UNAVAILABLE)
    return next((control.reason for control in given_up), None)


def agent_ended_it(record: Record) -> str | None:
    """Why the agent, not the driver, ended the conversation, or None if it did not."""
    reason = record.end.reason if record.end else None
    if reason == STEP_LIMIT:
        return f"{STEP_LIMIT}: the agent used up all its messages"
    if reason != AGENT_FAILED:
        return None
    done = (frame.body for frame in record.frames if isinstance(frame.body, ResponseDone))
    reasons = [body.reason for body in done if body.status == "failed"]
    errors = (frame.body for frame in record.frames if isinstance(frame.body, ErrorFrame))
    reasons += [body.message for body in errors if body.code == CONNECTION_CLOSED]
    why = (reasons or [None])[-1] or "the agent gave up with an error of its own"
    return f"{AGENT_FAILED}: {why}"


def failed_ending(record: Record, removed: tuple[str, ...]) -> Failed | None:
    """Why the conversation counts as failed: the first of what the car saw and the driver said."""
    used = used_removed_part(record.calls, removed)
    if used is not None:
        return used
    for control in record.controls:
        if control.word in FAILURES:
            return Failed(control.word, control.reason or f"the driver said {control.word}")
    return None


def used_removed_part(calls: tuple[Call, ...], removed: tuple[str, ...]) -> Failed | None:
    """The first call of a tool, or with a parameter, that this car lacks."""
    for call in calls:
        for entry in removed:
            tool, *path = entry.split(".")
            if tool != call.tool:
                continue
            if not path:
                return Failed(REMOVED_TOOL, f"{tool} was called, which this car does not offer")
            if _leads_to(call.arguments, path):
                why = f"{tool} was called with {'.'.join(path)}, which this car does not offer"
                return Failed(REMOVED_PARAMETER, why)
    return None


def _leads_to(arguments: Any, path: list[str]) -> bool:
    """Whether a path exists in nested objects; lists are not searched, as published."""
    for name in path:
        if not isinstance(arguments, dict) or name not in arguments:
            return False
        arguments = arguments[name]
    return True
