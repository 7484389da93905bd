"""The gateway: WebSocket endpoints for agents and drivers, and the sessions between them.

`/agent` and `/user` speak the subprotocols of `protocol.py`, `/healthz` says ok. Each role has its
own token (`Authorization: Bearer …`).
"""

import asyncio
import hmac
import http
import logging
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import ValidationError
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.net.ports import PortTaken
from assistant_gateway.net.stamped_socket import StampedSocket
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    FROM_AGENT,
    FROM_PEER_LIMIT,
    FROM_USER,
    USER_PROTOCOL,
    ErrorFrame,
    Frame,
    SessionClose,
    SessionOpen,
)
from assistant_gateway.session.arrivals import Arrival, CarNews, Gone
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.measurement_error import LagProbe, lag_probe
from assistant_gateway.session.peer_link import PeerLink, Role
from assistant_gateway.session.real_time import RealTimeSession
from assistant_gateway.session.result import SessionBroken, SessionResult
from assistant_gateway.session.session import Session
from assistant_gateway.session.tool_offer import tool_offer
from assistant_gateway.session.virtual_time import VirtualTimeSession
from vehicle_bus.background_tasks import alone
from vehicle_bus.bus import Bus, Message, Subscription
from vehicle_bus.contract import (
    CarEvent,
    Reply,
    SignalChanged,
    Snapshot,
    Topics,
    decode,
)
from vehicle_bus.validation_problem import first_problem

log = logging.getLogger(__name__)

CAR_WAIT_S = 10.0
SPEED_SIGNAL = "Vehicle.Speed"
SPEED = f"signal/{SPEED_SIGNAL.replace('.', '/')}"
PONG_S = 20.0  # a peer that answers no ping for so long is gone
PROTOCOLS: dict[Role, str] = {"agent": AGENT_PROTOCOL, "user": USER_PROTOCOL}
PATHS: dict[str, Role] = {"/agent": "agent", "/user": "user"}


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """One secret per role, made anew for each run."""

    agent: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    user: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    def of(self, role: Role) -> str:
        return self.agent if role == "agent" else self.user


@dataclass(slots=True)
class CarOnBus:
    """A car that is on the bus: what it offers and how it stands.

    `n` is the Lamport counter at which its last session ended: the next one comes after it.
    """

    capabilities: bytes = b""
    snapshot: bytes = b""
    n: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class SessionCrashed(Exception):
    """A session ended by a fault of our own; the traceback is in the log."""


class NoAgent(SessionBroken):
    """No agent is connected that could take the session."""


class Gateway:
    """Announce a plan, let a driver open it, await its result.

    `agent_sought` is set while somebody waits for an agent.
    """

    def __init__(
        self, bus: Bus, topics: Topics, tokens: AccessTokens, agent_wait_s: float, probe: LagProbe
    ) -> None:
        self.tokens = tokens
        self._probe = probe
        self.port = 0
        self.turned_away = 0
        self._bus = bus
        self._topics = topics
        self._agent_wait_s = agent_wait_s
        self._plans: dict[str, SessionPlan] = {}
        self._results: dict[str, asyncio.Future[SessionResult]] = {}
        self._sessions: dict[str, Session] = {}
        self._cars: defaultdict[str, CarOnBus] = defaultdict(CarOnBus)
        self._free_agents: asyncio.Queue[PeerLink] = asyncio.Queue()
        self._seeking = 0
        self.agent_sought = asyncio.Event()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def announce(self, plan: SessionPlan) -> None:
        """A driver may now open `plan.sid`; its car may be on the bus already or come later."""
        self._plans[plan.sid] = plan
        self._results[plan.sid] = asyncio.get_running_loop().create_future()

    async def result(self, sid: str) -> SessionResult:
        """How the announced session ended; raises `NoAgent`. Forgets all but the car."""
        try:
            return await self._results[sid]
        finally:
            self._plans.pop(sid, None)
            self._results.pop(sid, None)

    def forget(self, vin: str) -> None:
        """A car will have no more sessions."""
        self._cars.pop(vin, None)

    @property
    def sessions(self) -> int:
        """How many are going on."""
        return len(self._sessions)

    async def agents_connected(self, number: int = 1) -> None:
        """Return once so many agents are free; raises `NoAgent` when they do not come in time."""
        for agent in [await self._take_agent() for _ in range(number)]:
            self._free_agents.put_nowait(agent)

    # --- the bus

    async def listen(self, messages: Subscription) -> None:
        while True:
            for message in await messages.batch():
                await self._on_message(message)

    async def _on_message(self, message: Message) -> None:
        parts = self._topics.split(message.topic)
        if parts is None:
            return
        vin, rest = parts
        if rest.startswith(("reply/", "event/")):
            await self._on_car(vin, rest, message)
            return
        if not message.payload:  # the car took its retained topics along
            self._cars.pop(vin, None)
            return
        if rest == SPEED:
            self._on_speed(vin, message)
            return
        car = self._cars[vin]
        if rest == "capabilities":
            car.capabilities = message.payload
        else:
            car.snapshot = message.payload
            if (session := self._sessions.get(vin)) and session.uplink:
                session.uplink.car_is(decode(Snapshot, message.payload).state)
        if car.capabilities and car.snapshot:
            car.ready.set()

    def _on_speed(self, vin: str, message: Message) -> None:
        if (session := self._sessions.get(vin)) and session.uplink:
            value = decode(SignalChanged, message.payload).value
            session.uplink.car_is(speed_kmh=float(value) if isinstance(value, int | float) else 0.0)

    async def _on_car(self, vin: str, rest: str, message: Message) -> None:
        session = self._sessions.get(vin)
        if session is None:
            return
        what, _, kind = rest.partition("/")
        item: Reply | CarNews
        try:
            if what == "event":
                event = decode(CarEvent, message.payload)
                item, seq = CarNews(kind, event), event.seq
            else:
                item = decode(Reply, message.payload)
                seq = item.seq
        except ValidationError as error:
            log.warning("dropped a message on %s: %s", message.topic, first_problem(error))
            return
        await session.inbox.put(Arrival("car", item, message.mono_ns, seq))

    # --- the sockets

    async def handle(self, socket: ServerConnection) -> None:
        assert isinstance(socket, StampedSocket)
        assert socket.request is not None
        if PATHS[socket.request.path] == "agent":
            link = PeerLink(socket, "agent", FROM_AGENT)
            self._free_agents.put_nowait(link)
            await link.read()
            return
        link = PeerLink(socket, "user", FROM_USER)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._serve_user(link), name=f"user {socket.id}")
            await link.read()

    async def _serve_user(self, link: PeerLink) -> None:
        """Open sessions one after the other; late frames of the session before are dropped."""
        ended = None
        while not link.gone.is_set():
            arrival = await link.next()
            if isinstance(arrival.item, Gone):
                return
            if not isinstance(arrival.item, Frame):
                continue
            if isinstance(arrival.item.body, SessionOpen):
                ended = arrival.item.body.scenario_id
                await self._open(ended, link)
            elif arrival.item.body.TYPE != "idle" and arrival.item.sid != ended:
                message = "no session is open; expected session.open with a scenario_id"
                await link.send(ErrorFrame(code="no_session", message=message))

    async def _open(self, sid: str, user: PeerLink) -> None:
        plan = self._plans.get(sid)
        future = self._results.get(sid)
        if plan is None or future is None or future.done() or plan.vin in self._sessions:
            message = f"no session {sid!r} is waiting for a driver"
            await user.send(ErrorFrame(code="unknown_session", message=message))
            return
        outcome: SessionResult | Exception = SessionCrashed(f"session {sid} broke down")
        try:
            outcome = await self._run(plan, user)
            return
        except NoAgent as error:
            outcome = error
        except SessionBroken as error:
            outcome = SessionResult(sid, "infra_error", str(error))
        finally:  # a crash is ours: nobody must wait for a result for ever
            _resolve(future, outcome)
        await user.send(SessionClose(reason="infra_error"))

    async def _run(self, plan: SessionPlan, user: PeerLink) -> SessionResult:
        agent = await self._agent_for(user)
        leaves = False
        try:
            car = await self._parked(plan.vin)
            offer = tool_offer(car.capabilities)
            client = self._bus.client_id
            outbox = BusOutbox(self._topics, plan.vin, plan.sid, client, plan.batch_ns)
            outbox.stamper.saw(car.n)
            kind = VirtualTimeSession if plan.pace == "virtual" else RealTimeSession
            session = kind(plan, agent, user, outbox, offer, self._probe)
            self._sessions[plan.vin] = session
            try:
                return await session.run(self._bus, decode(Snapshot, car.snapshot))
            finally:
                car.n = outbox.stamper.n
                leaves = session.is_agents_last
        finally:
            self._sessions.pop(plan.vin, None)
            if not agent.gone.is_set() and not leaves:
                self._free_agents.put_nowait(agent)

    async def _parked(self, vin: str) -> CarOnBus:
        car = self._cars[vin]
        try:
            async with asyncio.timeout(CAR_WAIT_S):
                await car.ready.wait()
        except TimeoutError as error:
            raise SessionBroken(f"car {vin} is not on the bus") from error
        return car

    async def _agent_for(self, user: PeerLink) -> PeerLink:
        """A free agent; waits for one as long as the driver stays connected."""
        while not (self._seeking or self._free_agents.empty()):
            if not (agent := self._free_agents.get_nowait()).gone.is_set():
                return agent
        with alone():
            async with asyncio.TaskGroup() as tasks:
                seeking = tasks.create_task(self._take_agent(), name="wait for an agent")
                leaving = tasks.create_task(user.gone.wait(), name="wait for the driver to leave")
                await asyncio.wait((seeking, leaving), return_when=asyncio.FIRST_COMPLETED)
                leaving.cancel()
                seeking.cancel()
        if seeking.cancelled():
            raise SessionBroken("the driver left before the session began")
        return seeking.result()

    async def _take_agent(self) -> PeerLink:
        self._seeking += 1
        self.agent_sought.set()
        try:
            return await self._free_agent()
        finally:
            self._seeking -= 1
            if not self._seeking:
                self.agent_sought.clear()

    async def _free_agent(self) -> PeerLink:
        while True:
            try:
                async with asyncio.timeout(self._agent_wait_s):
                    while (agent := await self._free_agents.get()).gone.is_set():
                        pass
                return agent
            except TimeoutError as error:
                if not self._sessions:  # else one is busy, and will be free again
                    raise self._no_agent() from error

    def _no_agent(self) -> NoAgent:
        waited = f"no agent connected to {self.url}/agent within {self._agent_wait_s:g} s"
        advice = "start yours, or wait longer"
        if self.turned_away:
            advice = f"{self.turned_away} came with a wrong token and were turned away"
        return NoAgent(f"{waited}; {advice}")


def _resolve(future: "asyncio.Future[SessionResult]", outcome: SessionResult | Exception) -> None:
    """Set how a session ended, unless nobody waits for it any more."""
    if future.done():
        return
    if isinstance(outcome, SessionResult):
        future.set_result(outcome)
    else:
        future.set_exception(outcome)
        future.exception()  # who waits for it may be gone: that is no news of its own


def _admit(gate: Gateway, connection: ServerConnection, request: Request) -> Response | None:
    """Answer requests that must not open a WebSocket: other paths, wrong tokens, health checks."""
    if request.path == "/healthz":
        return connection.respond(http.HTTPStatus.OK, "ok\n")
    role = PATHS.get(request.path)
    if role is None:
        paths = ", ".join([*PATHS, "/healthz"])
        return connection.respond(http.HTTPStatus.NOT_FOUND, f"expected one of {paths}\n")
    headers = request.headers.get_all("Authorization")  # more than one is none that counts
    given = headers[0].removeprefix("Bearer ") if len(headers) == 1 else ""
    if not hmac.compare_digest(given.encode(), gate.tokens.of(role).encode()):
        gate.turned_away += 1
        text = f"expected the {role} token as 'Authorization: Bearer TOKEN'\n"
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, text)
    offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol")).split(",")
    if PROTOCOLS[role] not in map(str.strip, offered):
        text = f"expected the subprotocol {PROTOCOLS[role]}\n"
        return connection.respond(http.HTTPStatus.BAD_REQUEST, text)
    return None


def _subprotocol(connection: ServerConnection) -> Subprotocol:
    """That of the path, which was offered."""
    assert connection.request is not None
    return Subprotocol(PROTOCOLS[PATHS[connection.request.path]])


@asynccontextmanager
async def gateway(
    bus: Bus,
    topics: Topics,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tokens: AccessTokens | None = None,
    agent_wait_s: float = 60.0,
    patience_s: float | None = None,
    reply_names: tuple[str, ...] = (),
    hears_cars: bool = False,
) -> AsyncIterator[Gateway]:
    """Entered means subscribed and listening; raises `PortTaken`.

    A peer that is busy and answers no ping is kept for at least `patience_s`.

    MQTT 3.1.1 has no Response Topic, so there a car answers to the name of the source instead of
    the client; `reply_names` are such names. A gateway that `hears_cars` knows how fast they are.
    """
    filters = (
        *(topics.reply("+", name) for name in (bus.client_id, *reply_names)),
        topics.capabilities("+"),
        topics.snapshot("+"),
        topics.event("+", "+"),
        *((topics.signal("+", SPEED_SIGNAL),) if hears_cars else ()),
    )
    async with lag_probe() as probe, bus.subscribe(*filters) as messages:
        gate = Gateway(bus, topics, tokens or AccessTokens(), agent_wait_s, probe)
        pong_s = max(PONG_S, patience_s or 0.0)
        async with _listening(gate, host, port, pong_s) as gate.port, asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(gate.listen(messages), name="gateway bus")
            try:
                yield gate
            finally:
                listening.cancel()


@asynccontextmanager
async def _listening(gate: Gateway, host: str, port: int, pong_s: float) -> AsyncIterator[int]:
    server = serve(
        gate.handle,
        host,
        port,
        process_request=lambda connection, request: _admit(gate, connection, request),
        subprotocols=[Subprotocol(AGENT_PROTOCOL), Subprotocol(USER_PROTOCOL)],
        select_subprotocol=lambda connection, _: _subprotocol(connection),
        compression=None,
        ping_timeout=pong_s,
        max_size=FROM_PEER_LIMIT,
        max_queue=64,
        server_header=None,
        create_connection=StampedSocket,
    )
    try:
        opened = await server
    except OSError as error:
        raise PortTaken(host, port, error, "--gateway-port") from error
    async with opened:
        yield next(iter(opened.sockets)).getsockname()[1]
