"""Requests to models and their cost. An unknown cost is null, not zero."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

PER_TOKENS = 1_000_000
LARGEST = 2**53  # a larger number is no count of anything, and not every program can hold it
Number = TypeVar("Number", int, float)


class PricesError(Exception):
    """A price file cannot be used; the text says what was expected."""


class Usage(BaseModel):
    """Requests, retries, tokens and cost; null as soon as one part of it is unknown."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    requests: int = 0
    retries: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            requests=self.requests + other.requests,
            retries=self.retries + other.retries,
            input_tokens=_added(self.input_tokens, other.input_tokens),
            output_tokens=_added(self.output_tokens, other.output_tokens),
            cost_usd=_added(self.cost_usd, other.cost_usd),
        )


class Price(BaseModel):
    """USD per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / PER_TOKENS


class Prices(RootModel[Mapping[str, Price]]):
    """Prices by model name. None ship with the bench: they would be wrong in a month."""

    model_config = ConfigDict(frozen=True)

    root: Mapping[str, Price] = {}

    def used(self, model: str, reported: Mapping[str, Any] | None, *, retries: int = 0) -> Usage:
        """The usage of one request from what the server reported, in Chat Completions names.

        A cost the server names itself wins over the price file. Nothing reported, nothing known.
        """
        given = reported or {}
        prompt = _whole(given, "prompt_tokens", "input_tokens")
        completion = _whole(given, "completion_tokens", "output_tokens")
        cost = given.get("cost_usd", given.get("cost"))
        if not is_figure(cost):
            price = self.root.get(model)
            cost = None
            if price is not None and prompt is not None and completion is not None:
                cost = price.of(prompt, completion)
        return Usage(
            requests=1,
            retries=retries,
            input_tokens=prompt,
            output_tokens=completion,
            cost_usd=cost,
        )


def read_prices(path: Path | None) -> Prices:
    """Prices from YAML such as `gpt-x: {input: 0.4, output: 1.6}`; raises `PricesError`."""
    if path is None:
        return Prices()
    try:
        return Prices.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except OSError as error:
        raise PricesError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        expected = "MODEL: {input: USD per million tokens, output: USD per million tokens}"
        raise PricesError(f"{path}: expected lines such as `{expected}`") from error


def is_figure(value: object) -> TypeGuard[int | float]:
    """Whether what a server reports can be counted or paid."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _added(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


def _whole(given: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = given.get(name)
        if is_figure(value) and isinstance(value, int):
            return value
    return None
