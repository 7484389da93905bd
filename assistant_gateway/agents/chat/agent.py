"""`openai:MODEL`: an assistant behind Chat Completions, on any server.

Words of the model are forwarded as they arrive, its calls once they are complete. The client
library retries nothing: our own retries are few, logged and counted, and only made while nothing
has been forwarded.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, TypeVar

import httpx2
import openai
import orjson
from openai import AsyncOpenAI, AsyncStream
from openai._streaming import ServerSentEvent

from assistant_gateway.agents.chat.completion import Assembly
from assistant_gateway.agents.chat.history import ChatHistory
from assistant_gateway.agents.chat.request_options import RequestOptions
from assistant_gateway.agents.chat.usage import MOST_UNREADABLE, Spending, too_many_unreadable
from assistant_gateway.agents.remote import (
    NO_OUTPUTS,
    AgentFailed,
    AgentUnavailable,
    CallPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
    serve_remote,
)
from assistant_gateway.models.errors import FILTERED, UNREADABLE, Rejected, Trouble, meaning_of
from assistant_gateway.models.model import ModelChoice, RetryPolicy
from assistant_gateway.protocol import SessionStart
from assistant_gateway.timing.timeline import SECOND, wall_ns

log = logging.getLogger(__name__)

RETRY = RetryPolicy(timeout_s=60.0, attempts=3, first_wait_s=0.25, longest_wait_s=2.0)
CONNECT_S = 2.0
WARM_UP_S = 5.0
KEPT_OPEN_S = 600.0
OVER = "[DONE]"
PATH = "/chat/completions"
JSON = {"Content-Type": "application/json"}

Result = TypeVar("Result")


class _Stream(AsyncStream[object]):
    """Chunks of an answer; knows whether the server said that it is over."""

    ended = False

    async def _iter_events(self) -> AsyncGenerator[ServerSentEvent]:
        async for event in super()._iter_events():
            self.ended = self.ended or event.data.startswith(OVER)
            yield event


class ChatAgent(RemoteAgent):
    """One conversation with one model."""

    def __init__(
        self,
        client: AsyncOpenAI,
        choice: ModelChoice,
        options: RequestOptions,
        session: SessionStart,
        retry: RetryPolicy,
    ) -> None:
        self.name = f"openai:{choice.name}"
        self._client = client
        self._choice = choice
        self._retry = retry
        self._history = ChatHistory(session.instructions)
        self._spending = Spending(choice.name)
        self._messages = 0
        self._deadline_ns = 0
        self._assembly = Assembly()
        fixed = {
            "model": choice.name,
            "stream": True,
            "stream_options": {"include_usage": True},
            **({"tools": session.tools} if session.tools else {}),
            **options.fields,
        }
        # The tools are most of a request and the same each time: they are encoded once.
        self._fixed = orjson.dumps(fixed)[:-1]

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._deadline_ns = wall_ns() + round(self._retry.timeout_s * SECOND)
        self._history.answered(late)
        self._history.heard(text)
        return self._message()

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        self._history.answered(outputs)
        return self._message()

    def interrupted(self, heard_text: str) -> None:
        self._history.interrupted(heard_text)

    async def _message(self) -> AsyncGenerator[Piece]:
        """One message; asked for again while all it holds are calls nobody can make."""
        for _ in range(MOST_UNREADABLE):
            async with aclosing(self._texts()) as texts:
                async for text in texts:
                    # Words are known to accompany calls once the first call begins.
                    yield TextPiece(text, "progress" if self._assembly.has_calls else "content")
            completion = self._assembly.completion()
            self._spending.request_answered(completion.usage or {})
            self._history.said(completion)
            readable = [call for call in completion.calls if isinstance(call, CallPiece)]
            self._spending.note_unreadable(completion.calls)
            for call in readable:
                yield call
            if readable or not completion.calls:
                yield Finished(self._spending.report())
                return
        raise too_many_unreadable()

    async def _texts(self) -> AsyncGenerator[str]:
        """Send the request; words as they arrive. The assembly then holds the whole message."""
        for attempt in range(self._retry.attempts):
            self._messages += 1
            self._assembly = Assembly(f"call_{self._messages}", self._choice.access.hide)
            self._spending.request_sent()
            try:
                async with self._permit(), await self._in_time(self._post()) as stream:
                    while (chunk := await self._in_time(anext(stream, None))) is not None:
                        if text := self._assembly.add(chunk):
                            yield text
                    self._assembly.ended = stream.ended
                self._check_end()
                return
            except (openai.APIError, *UNREADABLE) as error:
                trouble = meaning_of(error, self._choice.name, self._choice.access)
            except Trouble as broken_off:
                trouble = broken_off
            await self._recover(trouble, attempt)

    @asynccontextmanager
    async def _permit(self) -> AsyncIterator[None]:
        """Waiting for one is not the model's time."""
        async with self._choice.access.permits.permit() as waited_s:
            self._deadline_ns += round(waited_s * SECOND)
            yield

    def _post(self) -> Awaitable[_Stream]:
        messages = b',"messages":' + orjson.dumps(self._history.messages) + b"}"
        return self._client.post(
            PATH,
            cast_to=object,
            content=self._fixed + messages,
            stream=True,
            stream_cls=_Stream,
            options={"headers": JSON},
        )

    async def _in_time(self, answer: Awaitable[Result]) -> Result:
        left_s = (self._deadline_ns - wall_ns()) / SECOND
        left_s = max(left_s, self._choice.patience_s or 0.0)
        try:
            async with asyncio.timeout(left_s):
                return await answer
        except TimeoutError:
            limit = f"{self._retry.timeout_s:g} s after the driver had spoken"
            raise AgentFailed(f"the model had not finished {limit}") from None

    def _check_end(self) -> None:
        if self._assembly.finish_reason == FILTERED:
            raise AgentFailed("the provider's content filter cut the answer off")
        if not self._assembly.begun:
            raise Trouble("the server sent nothing of a completion; is the base URL right?")
        if self._assembly.completion().broken_off:
            raise Trouble("the server broke off before the answer was complete")

    async def _recover(self, trouble: Exception, attempt: int) -> None:
        """Wait before the next attempt, or raise if there must be none."""
        if isinstance(trouble, Rejected):
            raise AgentFailed(f"{self._choice.name}: {trouble}")
        if not isinstance(trouble, Trouble):
            raise trouble
        if self._assembly.text.strip():
            raise AgentUnavailable(f"{self._choice.name}: {trouble}, in the middle of an answer")
        if attempt + 1 == self._retry.attempts:
            raise AgentUnavailable(f"{self._choice.name}: {trouble}, {attempt + 1} times")
        wait_s = self._retry.wait_s(attempt, trouble.wait_s)
        log.warning("%s: %s; asking again in %.2f s", self.name, trouble, wait_s)
        self._spending.request_failed()
        await asyncio.sleep(wait_s)


@asynccontextmanager
async def chat_agents(
    choice: ModelChoice, options: RequestOptions, retry: RetryPolicy = RETRY
) -> AsyncIterator[Callable[[str, str], Coroutine[Any, Any, None]]]:
    """A function that serves a gateway, given its URL and token; each socket has its own client."""
    retry = retry.patient(choice.patience_s)
    tls = httpx2.create_ssl_context()  # reading certificates takes as long as a few answers

    async def serve(url: str, token: str) -> None:
        limits = httpx2.Limits(keepalive_expiry=KEPT_OPEN_S)
        timeout = httpx2.Timeout(retry.timeout_s, connect=CONNECT_S)
        http = openai.DefaultAsyncHttpxClient(verify=tls, limits=limits, timeout=timeout)
        key, base_url = choice.access.key, choice.access.base_url
        async with AsyncOpenAI(
            api_key=key, base_url=base_url, max_retries=0, http_client=http
        ) as client:

            @asynccontextmanager
            async def session(start: SessionStart, _: str) -> AsyncIterator[RemoteAgent]:
                await _warm_up(client)
                yield ChatAgent(client, choice, options, start, retry)

            await serve_remote(url, token, session)

    yield serve


async def _warm_up(client: AsyncOpenAI) -> None:
    """Connect before anything is measured; the answer does not matter."""
    with suppress(openai.APIError, *UNREADABLE):
        await client.get("/models", cast_to=object, options={"timeout": WARM_UP_S})
