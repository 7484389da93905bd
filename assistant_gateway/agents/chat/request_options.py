"""Fields of a request to an agent's model that a user has set."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OURS = frozenset({"model", "messages", "tools", "stream", "stream_options"})


class BadOptions(Exception):
    """Options that cannot be sent; the text says what was expected."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Fields of a request, by the names of Chat Completions."""

    reasoning_effort: str | None = None
    temperature: float | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        named = {"reasoning_effort": self.reasoning_effort, "temperature": self.temperature}
        given = {name: value for name, value in named.items() if value is not None}
        return {**given, **self.extra_body}


def read_extra_body(text: str | None) -> dict[str, Any]:
    """A JSON object of more fields; raises `BadOptions`."""
    try:
        given = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        raise BadOptions(f"expected a JSON object ({error})") from error
    if not isinstance(given, dict):
        raise BadOptions('expected a JSON object such as {"top_p": 0.9}')
    if taken := sorted(OURS & given.keys()):
        raise BadOptions(f"{', '.join(taken)} cannot be set: codriver sets them itself")
    return given
