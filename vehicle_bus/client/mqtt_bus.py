"""The bus client over any link: subscriptions, requests, and finding a lost broker again."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil

from vehicle_bus.background_tasks import background
from vehicle_bus.bus import (
    BusClosed,
    BusError,
    BusRefused,
    BusTimeout,
    BusUnreachable,
    Message,
    Publication,
    Subscription,
)
from vehicle_bus.client.inbox import Inbox
from vehicle_bus.client.link import Link, Listener
from vehicle_bus.client.publishing import PublishQueue
from vehicle_bus.client.requests import PendingRequests
from vehicle_bus.client.subscriptions import BrokerFilter, Sink, Subscriptions
from vehicle_bus.contract import Topics

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 2.0

Dial = Callable[[Listener], Awaitable[Link]]
"""Open a link. BusUnreachable: trying again may help; any other BusError: it will not."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How a client behaves.

    `reply_vin` narrows the reply subscription for a role bound to one car. `by_call_id` is for
    links without Correlation Data. A lost broker is sought for `give_up_s`, or for ever.
    """

    topics: Topics = field(default_factory=Topics)
    reply_vin: str = "+"
    by_call_id: bool = False
    give_up_s: float | None = None


@asynccontextmanager
async def mqtt_bus(dial: Dial, client_id: str, options: ClientOptions) -> AsyncIterator["MqttBus"]:
    """A connected client for as long as the block runs; a BusError says why it cannot be."""
    bus = MqttBus(dial, client_id, options)
    await bus.connect()
    async with background(bus.stay_connected(), f"bus {client_id}"):
        try:
            yield bus
        finally:
            await bus.close()


class MqttBus:
    """Implements Bus; see there for what the methods promise.

    While a queue is full the socket is not read, except while this client itself waits for an
    acknowledgement or an answer: a consumer that publishes would otherwise wait for itself.
    """

    def __init__(self, dial: Dial, client_id: str, options: ClientOptions) -> None:
        self._dial = dial
        self._client_id = client_id
        self._options = options
        self._link: Link | None = None
        self._lost = asyncio.Event()
        self._back = asyncio.Condition()
        self._reconnects = 0
        self._end: BusError | None = None  # why this client is of no use any more
        self._sending = PublishQueue()
        self._replies = PendingRequests(options.by_call_id)
        self._filters = Subscriptions()
        self._reply_filters: dict[str, BrokerFilter] = {}

    @property
    def client_id(self) -> str:
        return self._client_id

    @property
    def connected(self) -> bool:
        return self._link is not None

    @property
    def reconnects(self) -> int:
        return self._reconnects

    async def reconnected(self, after: int) -> int:
        async with self._back:
            await self._back.wait_for(lambda: self._reconnects > after)
        return self._reconnects

    async def publish(self, publication: Publication) -> None:
        await self.publish_all((publication,))

    async def publish_all(self, publications: Sequence[Publication]) -> None:
        await self._send(publications)
        if any(publication.qos == 0 for publication in publications):
            await asyncio.sleep(0)  # nothing was awaited: let the socket say when it is full

    @asynccontextmanager
    async def subscribe(
        self, *filters: str, qos: int = 1, queue: int = 10_000
    ) -> AsyncIterator[Subscription]:
        inbox = Inbox(queue, self._may_read)
        try:
            for wanted in [self._join(pattern, qos, inbox) for pattern in filters]:
                await asyncio.shield(wanted.granted)
            yield inbox
        finally:
            inbox.close()
            for pattern in filters:
                if self._filters.part(pattern, inbox) and self._link is not None:
                    self._link.unsubscribe(pattern)
            self._may_read()

    async def request(
        self, publication: Publication, *, timeout_s: float, reply_topic: str | None = None
    ) -> Message:
        try:
            async with asyncio.timeout(timeout_s):
                asked = publication._replace(
                    response_topic=await self._listen(publication.topic, reply_topic),
                    correlation=publication.correlation or self._replies.new_correlation(),
                    expiry_s=publication.expiry_s or ceil(timeout_s),
                )
                with self._replies.expect(asked) as answer:
                    sent = self._send((asked,))
                    sent.add_done_callback(lambda done: _fail_unsent(answer, done))
                    return await answer
        except TimeoutError as error:
            where = "" if self.connected else "; the broker is gone"
            raise BusTimeout(
                f"no answer to {publication.topic} within {timeout_s:g} s{where}"
            ) from error

    async def connect(self) -> None:
        """Open a link, ask for every filter, and send what is not yet acknowledged."""
        self._lost.clear()
        link = await self._dial(self)
        if self._lost.is_set():
            raise BusUnreachable("the broker hung up right after the handshake")
        self._link = link
        for wanted in self._filters:
            self._ask(wanted)
        self._sending.start_over()
        self.writable()
        self._may_read()

    async def stay_connected(self) -> None:
        """Reconnect whenever the link is lost, until cancelled; if that fails, all calls do.

        At once the first time; after a link that did not last, the pauses go on growing.
        """
        try:
            await self._reconnect_always()
        except BusError as error:
            self._fail(error, of_messages=error)
            raise

    async def _reconnect_always(self) -> None:
        time_s = asyncio.get_running_loop().time
        pause_s = 0.0
        while True:
            since_s = time_s()
            await self._lost.wait()
            if self._end is not None:
                raise self._end
            limit = self._options.give_up_s
            how_long = "" if limit is None else f" for {limit:g} s"
            log.warning("%s lost the broker and tries again%s", self._client_id, how_long)
            lasted = time_s() - since_s > LONGEST_PAUSE_S
            pause_s = await self._reconnect(0.0 if lasted else pause_s)
            self._reconnects += 1
            log.warning("%s is back at the broker", self._client_id)
            async with self._back:
                self._back.notify_all()

    async def close(self) -> None:
        """Leave the broker; calls that still wait get a BusClosed."""
        link, self._link = self._link, None
        self._fail(BusClosed(f"the bus client {self._client_id} is closed"), of_messages=None)
        if link is not None:
            await link.close()

    def received(self, message: Message, identifiers: Sequence[int]) -> bool:
        sinks = self._filters.sinks(message.topic, identifiers)
        for sink in sinks:
            sink.put(message)
        return not any(sink.full for sink in sinks) or self._waits()

    def acknowledged(self, number: int, refusal: str | None) -> None:
        self._sending.acknowledged(number, refusal)
        self.writable()

    def granted(self, identifier: int, refusal: str | None) -> None:
        wanted = self._filters.get(identifier)
        if wanted is None:
            return
        what = f"the subscription to {wanted.pattern}"
        wanted.settle(
            None if refusal is None else BusRefused(f"the broker refused {what}: {refusal}")
        )

    def writable(self) -> None:
        if self._link is not None:
            self._sending.write(self._link)

    def lost(self, error: BusError | None) -> None:
        self._link = None
        self._end = self._end or error
        self._lost.set()

    def _fail(self, error: BusError, *, of_messages: BusError | None) -> None:
        """Calls that wait, and all later ones, get the error; subscriptions end with their own."""
        self._end = self._end or error
        self._sending.fail(self._end)
        self._replies.close(self._end)
        for wanted in self._filters:
            if not wanted.granted.done():
                wanted.settle(self._end)
            for sink in wanted.sinks:
                sink.close(of_messages)

    def _send(self, publications: Sequence[Publication]) -> "asyncio.Future[None]":
        if self._end is not None:
            raise self._end
        done = self._sending.add(publications)
        self.writable()
        if self._link is not None:
            self._link.resume()
        return done

    def _waits(self) -> bool:
        return bool(
            self._sending.awaiting
            or len(self._replies)
            or any(not wanted.granted.done() for wanted in self._filters)
        )

    def _may_read(self) -> None:
        """Read on unless some queue is still full."""
        if self._link is not None and (self._waits() or not self._filters.full):
            self._link.resume()

    def _join(self, pattern: str, qos: int, sink: Sink) -> BrokerFilter:
        """Put a sink behind a filter and ask the broker for it, retained messages included."""
        if self._end is not None:
            raise self._end
        wanted = self._filters.join(pattern, qos, sink)
        self._ask(wanted)
        return wanted

    def _ask(self, wanted: BrokerFilter) -> None:
        if self._link is not None:
            self._link.subscribe(wanted.pattern, wanted.qos, wanted.identifier)
            self._link.resume()

    async def _listen(self, topic: str, reply_topic: str | None) -> str:
        """Make sure that answers arrive; returns the topic to name in the request."""
        pattern = reply_topic
        if reply_topic is None:
            topics = self._options.topics
            parts = topics.split(topic)
            if parts is None:
                raise BusError(f"give a reply_topic: {topic} is not below {topics.prefix}")
            reply_topic = topics.reply(parts[0], self._client_id)
            pattern = topics.reply(self._options.reply_vin, self._client_id)
        assert pattern is not None
        if pattern not in self._reply_filters:
            self._reply_filters[pattern] = self._join(pattern, 1, self._replies)
        wanted = self._reply_filters[pattern]
        if not wanted.granted.done() or wanted.granted.exception() is not None:
            await asyncio.shield(wanted.granted)
        return reply_topic

    async def _reconnect(self, pause_s: float) -> float:
        """Connect again, with growing pauses; returns the pause that would have come next."""
        try:
            async with asyncio.timeout(self._options.give_up_s):
                while True:
                    await asyncio.sleep(pause_s)
                    pause_s = min(max(2 * pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
                    try:
                        await self.connect()
                    except BusUnreachable as error:
                        log.info("%s", error)
                    else:
                        return pause_s
        except TimeoutError as error:
            raise BusUnreachable(
                f"the broker went away and did not come back within {self._options.give_up_s:g} s; "
                "check that it runs"
            ) from error


def _fail_unsent(answer: "asyncio.Future[Message]", sent: "asyncio.Future[None]") -> None:
    """A request that could not be sent will not be answered."""
    error = None if sent.cancelled() else sent.exception()
    if error is not None and not answer.done():
        answer.set_exception(error)
