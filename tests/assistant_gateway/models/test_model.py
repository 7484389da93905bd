import logging
from pathlib import Path

import pytest

from assistant_gateway.models.access import NoAccess, access, environment
from assistant_gateway.models.model import ModelFailed, ModelUnusable, RetryPolicy
from assistant_gateway.models.spending import Prices, PricesError, Usage, read_prices
from tests.assistant_gateway.mock_models import KEY, QUICK, SHAPE, scripted, user

GOOD = {"json": {"reason": "fine"}, "usage": {"input": 1000, "output": 200}}


async def test_a_question_is_answered_with_what_was_spent() -> None:
    prices = Prices.model_validate({"mock": {"input": 0.5, "output": 2.0}})
    async with scripted(GOOD, prices=prices) as (_, model):
        reply = await model.ask(user("?"), SHAPE)
    assert reply.text == '{"reason":"fine"}'
    assert reply.usage == Usage(requests=1, input_tokens=1000, output_tokens=200, cost_usd=0.0009)


async def test_an_unknown_price_is_unknown_and_not_nothing() -> None:
    async with scripted(GOOD) as (_, model):
        reply = await model.ask(user("?"), SHAPE)
    assert reply.usage.cost_usd is None
    assert (Usage() + reply.usage).cost_usd is None


@pytest.mark.parametrize("fault", [429, 500, 503, "cut", "garbage"])
async def test_a_passing_fault_is_retried_visibly(
    fault: str | int, caplog: pytest.LogCaptureFixture
) -> None:
    broken = {"fault": fault, "say": "something long enough to cut", "at_most": 2}
    async with scripted(broken, GOOD) as (server, model):
        reply = await model.ask(user("?"), SHAPE)
    assert reply.usage.retries == 2
    assert server.requests == 3
    assert len([record for record in caplog.records if "asking again" in record.message]) == 2


@pytest.mark.parametrize("fault", [429, 500, "cut", "garbage"])
async def test_a_fault_that_stays_is_given_up_after_the_last_attempt(fault: str | int) -> None:
    async with scripted({"fault": fault, "say": "something long enough to cut"}) as (
        server,
        model,
    ):
        with pytest.raises(ModelFailed, match="3 times") as caught:
            await model.ask(user("?"), SHAPE)
        assert server.requests == QUICK.attempts
    assert caught.value.usage.retries == 2


async def test_a_model_too_slow_is_given_up() -> None:
    hasty = RetryPolicy(timeout_s=0.05, attempts=2, first_wait_s=0.01)
    async with scripted({"fault": "slow", "after_s": 0.3, "say": "late"}, retry=hasty) as (
        _,
        model,
    ):
        with pytest.raises(ModelFailed, match=r"no answer within 0\.05 s, 2 times"):
            await model.ask(user("?"), SHAPE)


async def test_a_slow_model_is_waited_for_as_long_as_there_is_patience() -> None:
    hasty = RetryPolicy(timeout_s=0.05, attempts=1)
    slow = {"fault": "slow", "after_s": 0.3, "say": "late"}
    async with scripted(slow, retry=hasty, patience_s=20) as (_, model):
        assert (await model.ask(user("?"), SHAPE)).text == "late"


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_key_model_or_address_is_not_asked_twice(status: int) -> None:
    async with scripted({"fault": status}) as (server, model):
        with pytest.raises(ModelUnusable, match="check the key"):
            await model.ask(user("?"), SHAPE)
        assert server.requests == 1


async def test_a_rejected_request_fails_alone() -> None:
    async with scripted({"fault": 422, "say": "too long"}) as (server, model):
        with pytest.raises(ModelFailed, match="HTTP 422: too long"):
            await model.ask(user("?"), SHAPE)
        assert server.requests == 1


async def test_a_refusal_is_an_answer() -> None:
    async with scripted({"fault": "refusal"}) as (_, model):
        reply = await model.ask(user("?"), SHAPE)
    assert (reply.text, reply.refusal) == ("", "I cannot help with that.")


async def test_a_server_that_repeats_the_key_cannot_leak_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    rules = (
        {"when": {"last": "401"}, "fault": 401},
        {"when": {"last": "500"}, "fault": 500, "say": f"bad {KEY}"},
        {"say": f"your key is {KEY}"},
    )
    async with scripted(*rules) as (_, model):
        with pytest.raises(ModelUnusable) as unusable:
            await model.ask(user("401"), SHAPE)
        with pytest.raises(ModelFailed) as failed:
            await model.ask(user("500"), SHAPE)
        reply = await model.ask(user("tell"), SHAPE)
        texts = [str(unusable.value), str(failed.value), repr(failed.value.__context__), reply.text]
        assert KEY not in repr(model.__dict__["_access"])
    assert not [text for text in [*texts, caplog.text] if KEY in text]
    assert reply.text == "your key is [key]"


def test_the_wait_is_what_the_server_asks_for_but_never_too_long() -> None:
    retry = RetryPolicy(first_wait_s=0.5, longest_wait_s=4)
    assert [retry.wait_s(attempt, None) for attempt in range(5)] == [0.5, 1, 2, 4, 4]
    assert retry.wait_s(0, 3.0) == 3.0
    assert retry.wait_s(0, 3600.0) == 4


# --- access


def test_a_key_comes_from_the_environment_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".env"
    file.write_text(
        "# keys\nexport OPENAI_API_KEY='from file'  # mine\nCODRIVER_JUDGE_API_KEY=judge # x\n"
        "not an assignment\n"
    )
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert access("user", None, environment(file)).key == "from file"
    assert access("judge", None, environment(file)).key == "judge"
    monkeypatch.setenv("OPENAI_API_KEY", "from environment")
    assert access("user", None, environment(file)).key == "from environment"


def test_without_a_key_the_message_says_where_to_put_one() -> None:
    with pytest.raises(NoAccess, match=r"OPENAI_API_KEY or CODRIVER_JUDGE_API_KEY.*\.env"):
        access("judge", None, {})


def test_a_server_of_your_own_needs_no_key() -> None:
    assert access("user", "http://127.0.0.1:1/v1", {}).base_url == "http://127.0.0.1:1/v1"
    assert access("user", None, {"OPENAI_BASE_URL": "http://here/v1"}).base_url == "http://here/v1"


@pytest.mark.parametrize("url", ["https://me:secret@models/v1", "https://models/v1?key=secret"])
def test_a_base_url_that_carries_a_secret_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(NoAccess, match="put the key into CODRIVER_USER_API_KEY") as caught:
        access("user", url, {"OPENAI_API_KEY": "k"})
    assert "secret" not in str(caught.value)


# --- prices


def test_a_cost_the_server_names_wins_over_the_price_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("m: {input: 1, output: 2}\n")
    prices = read_prices(file)
    tokens = {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000}
    assert prices.used("m", tokens).cost_usd == 3.0
    assert prices.used("m", {**tokens, "cost": 0.25}).cost_usd == 0.25
    assert prices.used("other", tokens).cost_usd is None
    unknown = Usage(requests=1, input_tokens=None, output_tokens=None, cost_usd=None)
    assert prices.used("m", None) == unknown


def test_a_price_file_that_cannot_be_used_says_what_is_expected(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("m: cheap\n")
    with pytest.raises(PricesError, match="USD per million tokens"):
        read_prices(file)
    with pytest.raises(PricesError, match="cannot be read"):
        read_prices(tmp_path / "missing.yaml")
