"""What went wrong at a model API: worth another try, refused for good, or never to be used.

Error messages of servers are passed on without the key, which some of them repeat.
"""

from typing import TYPE_CHECKING, Any

from assistant_gateway.models.access import Access

if TYPE_CHECKING:
    from openai import APIError, APIStatusError

RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
UNUSABLE = frozenset({401, 403, 404})
NO_MONEY = "insufficient_quota"
FILTERED = "content_filter"
SHOWN = 300
# What JSON that is none raises: cut, no UTF-8, a number of thousands of digits, or nested too deep.
UNREADABLE = (ValueError, RecursionError)


class ModelUnusable(Exception):
    """No question will ever be answered: wrong key, model or address."""


class Rejected(Exception):
    """This request was refused, and would be again."""


class Trouble(Exception):
    """One request failed and may be sent again, after `wait_s` if the server says so."""

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


def meaning_of(
    error: "APIError | ValueError | RecursionError", model: str, access: Access
) -> Trouble | Rejected | ModelUnusable:
    """What an error of the client library means; `Trouble` if it may pass."""
    import openai

    match error:
        case openai.APIStatusError():
            return _refused(error, model, access)
        case openai.APITimeoutError():
            return Trouble("the server did not answer in time")
        case openai.APIConnectionError():
            why = access.hide(str(error.__cause__ or error)) or type(error.__cause__).__name__
            return Trouble(f"the connection failed ({why})")
        case ValueError() | RecursionError() | openai.APIResponseValidationError():
            return Trouble("the server answered with something that is no JSON")
    why = one_line(access.hide(_message(error)))
    return Rejected(why) if error.code == FILTERED else Trouble(why)


def unusable(why: str, model: str, access: Access) -> ModelUnusable:
    """The error for a model that will never answer."""
    return ModelUnusable(
        f"model {model} at {access.place} cannot be used ({why}); "
        "check the key, the model's name and the base URL"
    )


def _refused(
    error: "APIStatusError", model: str, access: Access
) -> Trouble | Rejected | ModelUnusable:
    status = error.status_code
    why = one_line(access.hide(f"HTTP {status}: {_message(error)}"))
    if status in UNUSABLE or error.code == NO_MONEY:
        return unusable(why, model, access)
    if status in RETRIED:
        return Trouble(why, _retry_after_s(error))
    return Rejected(why)


def _message(error: "APIError") -> str:
    body: Any = error.body
    text = body.get("message") if isinstance(body, dict) else None
    return str(text or error.message)


def one_line(text: str) -> str:
    """A server's message as a short part of a sentence; hide keys before it is cut."""
    return " ".join(text.split())[:SHOWN]


def _retry_after_s(error: "APIStatusError") -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None
