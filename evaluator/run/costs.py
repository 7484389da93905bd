"""What models were used for in one episode, and what it cost: agent, driver and judge apart."""

from collections.abc import Mapping
from typing import Any, Literal

from assistant_gateway.models.spending import Prices, Usage
from assistant_gateway.protocol import ResponseDone
from evaluator.record.record import Record

Payer = Literal["agent", "user", "judge"]
Costs = Mapping[Payer, Usage | None]


def agent_usage(record: Record, prices: Prices) -> Usage | None:
    """What an external agent reported with its messages; None if it kept it to itself.

    The reports name `input_tokens` and `output_tokens` (or as Chat Completions does), perhaps the
    `model`, whose price is then looked up, and perhaps `cost_usd`; a null leaves the sum open. One
    report may stand for several `requests`, tell `retries`, and how many requests are `unreported`,
    so that their cost is open.
    """
    # A message that came too late for the conversation was paid for all the same.
    done = (frame.body for frame in record.logged_frames if isinstance(frame.body, ResponseDone))
    reports = [body.usage for body in done if body.usage]
    if all(value is None for report in reports for value in report.values()):
        return None
    used = Usage()
    for report in reports:
        used += prices.used(str(report.get("model", "")), report)
        used += Usage(
            requests=_count(report, "requests", 1) - 1,
            retries=_count(report, "retries", 0),
            cost_usd=None if _count(report, "unreported", 0) else 0.0,
        )
    return used


def added(one: Costs, other: Costs) -> Costs:
    """Both sums; unknown if either is unknown."""
    payers: set[Payer] = {*one, *other}
    return {payer: _sum(one.get(payer, Usage()), other.get(payer, Usage())) for payer in payers}


def costs(spent: Costs) -> dict[str, float | None]:
    """USD by payer; null is unknown, 0 is nothing spent."""
    return {payer: usage.cost_usd if usage else None for payer, usage in spent.items()}


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    return None if one is None or other is None else one + other


def _count(report: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = report.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
