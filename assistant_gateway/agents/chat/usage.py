"""What an agent spent on its model since its last report, as `response.done` carries it."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.agents.chat.completion import UnreadableCall, WrittenCall
from assistant_gateway.agents.remote import AgentFailed
from assistant_gateway.models.spending import is_figure

log = logging.getLogger(__name__)

MOST_UNREADABLE = 3  # messages in a row without one readable call
DETAILS = {
    "cached_input_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


@dataclass(slots=True)
class Spending:
    """Requests that were answered or cut short, and those that failed and were sent again.

    `unreported` counts requests whose tokens the server did not report: their cost is unknown.
    """

    model: str
    requests: int = 0
    retries: int = 0
    unreadable_calls: int = 0
    unreported: int = 0
    tokens: dict[str, float] = field(default_factory=dict)

    def request_sent(self) -> None:
        self.requests += 1
        self.unreported += 1

    def request_failed(self) -> None:
        """It is sent again."""
        self.requests -= 1
        self.unreported -= 1
        self.retries += 1

    def request_answered(self, usage: Mapping[str, Any]) -> None:
        """`usage` has the names of Chat Completions."""
        figures = dict(_figures(usage))
        self.unreported -= "input_tokens" in figures and "output_tokens" in figures
        for name, value in figures.items():
            self.tokens[name] = self.tokens.get(name, 0) + value

    def note_unreadable(self, calls: Iterable[WrittenCall]) -> None:
        for call in calls:
            if isinstance(call, UnreadableCall):
                self.unreadable_calls += 1
                log.warning("%s: a call of %s: %s", self.model, call.name or "no tool", call.why)

    def report(self) -> dict[str, Any]:
        """Everything since the last report."""
        counts = {
            "requests": self.requests,
            "retries": self.retries,
            "unreadable_calls": self.unreadable_calls,
            "unreported": self.unreported,
        }
        figures, self.tokens = self.tokens, {}
        self.requests = self.retries = self.unreadable_calls = self.unreported = 0
        return {"model": self.model, **counts, **figures}


def too_many_unreadable() -> AgentFailed:
    return AgentFailed(f"{MOST_UNREADABLE} messages in a row held only calls that nobody can make")


def _figures(usage: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    given = {
        "input_tokens": usage.get("prompt_tokens"),
        "output_tokens": usage.get("completion_tokens"),
        "cost_usd": usage.get("cost"),
    }
    for name, (group, entry) in DETAILS.items():
        details = usage.get(group)
        given[name] = details.get(entry) if isinstance(details, Mapping) else None
    for name, value in given.items():
        if is_figure(value):
            yield name, value
