"""A thin client for models behind Chat Completions: one question, one structured answer.

The client library retries nothing: our own retries are few, logged and counted, so that neither a
latency nor a bill hides them. The library is imported when a model is first used.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from assistant_gateway.models.access import Access
from assistant_gateway.models.characters import whole_characters
from assistant_gateway.models.errors import (
    UNREADABLE,
    ModelUnusable,
    Rejected,
    Trouble,
    meaning_of,
)
from assistant_gateway.models.spending import Prices, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

__all__ = [
    "ChatTurn",
    "Model",
    "ModelChoice",
    "ModelFailed",
    "ModelReply",
    "ModelUnusable",
    "RetryPolicy",
    "Shape",
    "open_model",
]  # fmt: skip

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model chosen by a user, and how it is reached.

    An answer is waited for at least `patience_s`, if that is given.
    """

    name: str
    access: Access
    prices: Prices = field(default_factory=Prices)
    patience_s: float | None = None


class ChatTurn(TypedDict):
    """One message of a conversation as the API takes it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Shape:
    """The JSON a model has to answer with."""

    name: str
    schema: dict[str, Any]

    @property
    def response_format(self) -> dict[str, Any]:
        described = {"name": self.name, "strict": True, "schema": self.schema}
        return {"type": "json_schema", "json_schema": described}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one request may take, how often it is sent, and the waits in between."""

    timeout_s: float = 60.0
    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0

    def wait_s(self, attempt: int, asked_for_s: float | None) -> float:
        """What the server asked for, else twice as long each time; never too long."""
        planned = self.first_wait_s * 2**attempt if asked_for_s is None else asked_for_s
        return min(planned, self.longest_wait_s)

    def patient(self, patience_s: float | None) -> "RetryPolicy":
        """The same, where one request may take at least so long."""
        return replace(self, timeout_s=max(self.timeout_s, patience_s or 0.0))


DEFAULT_RETRY = RetryPolicy()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The answer of a model; `refusal` is set instead of text when it declined."""

    text: str
    refusal: str | None
    finish_reason: str
    usage: Usage


class ModelFailed(Exception):
    """One question stays unanswered; the text says why, `usage` what was spent on it."""

    def __init__(self, why: str, usage: Usage) -> None:
        super().__init__(why)
        self.usage = usage


class Model:
    """One model at one address; get one from `open_model`."""

    def __init__(self, choice: ModelChoice, client: "AsyncOpenAI", retry: RetryPolicy) -> None:
        self.name = choice.name
        self._client = client
        self._access = choice.access
        self._prices = choice.prices
        self._retry = retry
        self._temperature: float | None = 0.0

    async def ask(self, messages: Sequence[ChatTurn], shape: Shape) -> ModelReply:
        """Ask once, with retries; raises `ModelFailed` or `ModelUnusable`."""
        attempts = self._retry.attempts
        for attempt in range(attempts):
            try:
                async with self._access.permits.permit():
                    return await self._request(messages, shape, retries=attempt)
            except Rejected as rejected:
                usage = Usage(requests=1, retries=attempt)
                raise ModelFailed(str(rejected), usage) from None
            except Trouble as trouble:
                if attempt + 1 == attempts:
                    usage = Usage(requests=1, retries=attempt)
                    raise ModelFailed(f"{trouble}, {attempts} times", usage) from trouble
                wait_s = self._retry.wait_s(attempt, trouble.wait_s)
                log.warning("%s: %s; asking again in %.1f s", self.name, trouble, wait_s)
                await asyncio.sleep(wait_s)
        raise AssertionError("a retry policy has at least one attempt")

    async def _request(
        self, messages: Sequence[ChatTurn], shape: Shape, retries: int
    ) -> ModelReply:
        import openai

        try:
            completion = await self._complete(messages, shape)
        except openai.APITimeoutError as error:
            raise Trouble(f"no answer within {self._retry.timeout_s:g} s") from error
        except openai.APIStatusError as error:
            if self._without_temperature(error):
                return await self._request(messages, shape, retries)
            raise meaning_of(error, self.name, self._access) from None
        except (openai.APIError, *UNREADABLE) as error:
            raise meaning_of(error, self.name, self._access) from None
        return self._reply(completion, retries)

    async def _complete(self, messages: Sequence[ChatTurn], shape: Shape) -> Any:
        extra: dict[str, Any] = {"response_format": shape.response_format}
        if self._temperature is not None:
            extra["temperature"] = self._temperature
        return await self._client.chat.completions.create(
            model=self.name,
            messages=list(messages),  # type: ignore[arg-type]  # the library has a type for each role
            **extra,
        )

    def _without_temperature(self, error: "APIStatusError") -> bool:
        """Whether this model only takes its own temperature; it is not sent again then."""
        if error.status_code != 400 or error.param != "temperature" or self._temperature is None:
            return False
        log.warning("%s does not take temperature 0 and is asked at its own", self.name)
        self._temperature = None
        return True

    def _reply(self, completion: Any, retries: int) -> ModelReply:
        choices = getattr(completion, "choices", None)
        if not choices:
            raise Trouble("the server answered without a choice")
        message, reported = choices[0].message, completion.usage
        text, refusal = (self._readable(part or "") for part in (message.content, message.refusal))
        return ModelReply(
            text=text,
            refusal=refusal or None,
            finish_reason=choices[0].finish_reason or "",
            usage=self._prices.used(
                self.name, reported.model_dump() if reported else None, retries=retries
            ),
        )

    def _readable(self, text: str) -> str:
        return self._access.hide(whole_characters(text))


@asynccontextmanager
async def open_model(
    choice: ModelChoice, retry: RetryPolicy = DEFAULT_RETRY
) -> AsyncIterator[Model]:
    """A model for as long as the block runs; nothing is sent before the first question."""
    from openai import AsyncOpenAI

    retry = retry.patient(choice.patience_s)
    async with AsyncOpenAI(
        api_key=choice.access.key,
        base_url=choice.access.base_url,
        timeout=retry.timeout_s,
        max_retries=0,
    ) as client:
        yield Model(choice, client, retry)
