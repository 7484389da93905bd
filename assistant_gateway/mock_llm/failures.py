"""The errors of a mock server, as its script asks for them."""

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from assistant_gateway.mock_llm.script import ScriptedReply

GARBAGE = "<html>upstream went away"
ELSEWHERE = {
    "/responses": "the Responses API",
    "/chat/completions": "this method",
    "/completions": "the legacy Completions API",
    "/embeddings": "the Embeddings API",
    "/audio": "the Audio API",
}
CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def trouble(reply: ScriptedReply, key: str) -> dict[str, Any]:
    """The error of a reply with a status; 401 repeats the key, as some servers do."""
    status = reply.status or 500
    messages = {401: f"Incorrect API key provided: {key}", 429: "Rate limit reached"}
    message = reply.say or messages.get(status, "The server had an error")
    return {"message": message, "type": _kind(status), "code": CODES.get(status)}


def refusal(reply: ScriptedReply, key: str) -> Response:
    """The same as an HTTP response."""
    headers = {"retry-after": f"{reply.retry_after_s:g}"} if reply.retry_after_s is not None else {}
    return as_json({"error": {**trouble(reply, key), "param": None}}, reply.status or 500, headers)


def bad_request(message: str) -> Response:
    """The response to a request that cannot be read."""
    error = {"message": message, "type": _kind(400), "param": None, "code": None}
    return as_json({"error": error}, 400)


async def not_served(http: Request, error: Exception) -> Response:
    """The response to a request for what this server does not have; it names what it has."""
    asked = f"{http.method} {http.url.path}"
    api = next((name for part, name in ELSEWHERE.items() if part in http.url.path), "this")
    message = (
        f"{asked}: {api} is not served here; Chat Completions (POST /v1/chat/completions) "
        "and Realtime (WebSocket /v1/realtime) are"
    )
    status = error.status_code if isinstance(error, HTTPException) else 404
    code = {"type": _kind(status), "param": None, "code": "not_served"}
    return as_json({"error": {"message": message, **code}}, status)


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


def _kind(status: int) -> str:
    if status == 429:
        return "rate_limit_error"
    return "server_error" if status >= 500 else "invalid_request_error"
