"""What errors of a Realtime server mean: for the unit, for the turn, or for the whole run.

A wrong key is refused at the handshake or by an event on an open connection, a wrong model perhaps
not before the first response.
"""

import orjson
from openai import OpenAIError
from openai.types.realtime import RealtimeResponse
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import Close

from assistant_gateway.agents.remote import AgentFailed, AgentUnavailable
from assistant_gateway.models.errors import (
    FILTERED,
    NO_MONEY,
    RETRIED,
    SHOWN,
    ModelUnusable,
    one_line,
    unusable,
)
from assistant_gateway.models.model import ModelChoice

NEVER = frozenset({"invalid_api_key", "model_not_found", NO_MONEY})
INVALID_REQUEST = "invalid_request_error"

Failure = AgentFailed | AgentUnavailable | ModelUnusable


def meaning_of(
    choice: ModelChoice, kind: str | None, code: str | None, message: str | None
) -> Failure:
    """What an error with this type, code and message means."""
    why = one_line(choice.access.hide(f"{code or kind or 'error'}: {message or 'no reason given'}"))
    if code in NEVER:
        return unusable(why, choice.name, choice.access)
    if kind == INVALID_REQUEST or code == FILTERED:
        return AgentFailed(f"{choice.name}: {why}")
    return AgentUnavailable(f"{choice.name}: {why}")


def failed_response(choice: ModelChoice, response: RealtimeResponse) -> Failure | None:
    """Why a response cannot be used; None if it can."""
    details = response.status_details
    if response.status == "failed":
        error = details.error if details else None
        if error is None:
            return meaning_of(choice, "server_error", None, "the response failed")
        return meaning_of(choice, error.type, error.code, error.message)
    if response.status == "incomplete" and details and details.reason == FILTERED:
        return AgentFailed("the provider's content filter cut the answer off")
    return None


def lost(choice: ModelChoice, error: Exception) -> Failure:
    """The failure for a connection that could not be made, broke or made no sense."""
    match error:
        case InvalidStatus(response=refused):
            status = refused.status_code
            why = one_line(choice.access.hide(f"HTTP {status}: {_message(refused.body or b'')}"))
            if status < 500 and status not in RETRIED:
                return unusable(why, choice.name, choice.access)
            return AgentUnavailable(f"{choice.name}: {why}")
        case TimeoutError():
            why = "the server did not answer in time"
        case ConnectionClosed(rcvd=Close(reason=reason)) if reason.rpartition(".")[2] in NEVER:
            return unusable(choice.access.hide(reason), choice.name, choice.access)
        case WebSocketException() | OpenAIError() | OSError():
            why = choice.access.hide(f"the connection failed ({error or type(error).__name__})")
        case ValueError() | RecursionError():
            why = "the server answered with something that is no JSON"
        case _:
            raise error
    return AgentUnavailable(f"{choice.name}: {why[:SHOWN]}")


def _message(body: bytes | bytearray) -> str:
    try:
        return str(orjson.loads(body)["error"]["message"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return body.decode(errors="replace") or "the connection was refused"
