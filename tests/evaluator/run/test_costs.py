from typing import Any

import pytest

from assistant_gateway.models.spending import Prices, Usage
from evaluator.record.record import Record
from evaluator.run.costs import Costs, added, agent_usage, costs
from tests.evaluator.episodes import Episode
from vehicle_bus.contract import Frames

PRICES = Prices.model_validate({"m": {"input": 10, "output": 20}})


def record(*reports: dict[str, Any] | None) -> Record:
    played = Episode().said("driver", "Hello.")
    frames = [{"type": "response.done", "t_ns": 0, "data": {"usage": usage}} for usage in reports]
    played._session("frame", Frames, frames=frames)
    return played.end().record


def test_what_an_agent_reports_is_summed_up_and_priced() -> None:
    tokens = {"input_tokens": 1000, "output_tokens": 500}
    used = agent_usage(record({**tokens, "model": "m"}, None, {**tokens, "cost_usd": 0.5}), PRICES)
    assert used is not None
    assert (used.requests, used.input_tokens, used.output_tokens) == (2, 2000, 1000)
    assert used.cost_usd == pytest.approx(0.52)


def test_one_report_may_stand_for_several_requests_and_say_what_is_open() -> None:
    tokens = {"model": "m", "input_tokens": 1000, "output_tokens": 500}
    used = agent_usage(record({**tokens, "requests": 3, "retries": 2, "unreported": 0}), PRICES)
    assert used is not None
    assert (used.requests, used.retries) == (3, 2)
    assert used.cost_usd == pytest.approx(0.02)
    open_cost = agent_usage(record({**tokens, "requests": 2, "unreported": 1}), PRICES)
    assert open_cost == Usage(requests=2, input_tokens=1000, output_tokens=500, cost_usd=None)


def test_an_agent_that_reports_nothing_leaves_it_unknown() -> None:
    assert agent_usage(record(None, {}), PRICES) is None
    assert costs({"agent": None, "user": Usage()}) == {"agent": None, "user": 0.0}


def test_attempts_add_up_and_the_unknown_stays_unknown() -> None:
    one: Costs = {"agent": Usage(requests=1, cost_usd=0.1), "user": Usage(requests=2)}
    other: Costs = {"agent": Usage(requests=1, cost_usd=None), "user": None}
    both = added(added({}, one), other)
    assert both["agent"] == Usage(requests=2, cost_usd=None)
    assert both["user"] is None
