"""What an agent spent on its model since it last reported, as `response.done` carries it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DETAILS = {
    "cached_input_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


@dataclass(slots=True)
class Spending:
    """Requests that were answered or cut short, and those that failed and were sent again.

    `unreported` counts requests whose tokens nobody told: what they cost stays unknown.
    """

    model: str
    requests: int = 0
    retries: int = 0
    unreadable_calls: int = 0
    unreported: int = 0
    spent: dict[str, float] = field(default_factory=dict)

    def asked(self) -> None:
        """A request is on its way; until told otherwise it reports nothing."""
        self.requests += 1
        self.unreported += 1

    def failed(self) -> None:
        """It came to nothing and is sent again."""
        self.requests -= 1
        self.unreported -= 1
        self.retries += 1

    def told(self, usage: Mapping[str, Any]) -> None:
        """It was answered, with this usage in Chat Completions names."""
        figures = dict(_figures(usage))
        self.unreported -= "input_tokens" in figures and "output_tokens" in figures
        for name, value in figures.items():
            self.spent[name] = self.spent.get(name, 0) + value

    def report(self) -> dict[str, Any]:
        """Everything since the last report."""
        counts = {
            "requests": self.requests,
            "retries": self.retries,
            "unreadable_calls": self.unreadable_calls,
            "unreported": self.unreported,
        }
        figures, self.spent = self.spent, {}
        self.requests = self.retries = self.unreadable_calls = self.unreported = 0
        return {"model": self.model, **counts, **figures}


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
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value
