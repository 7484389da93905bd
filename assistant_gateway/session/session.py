"""One session: the conversation's state machine between two sockets, the bus and a clock."""

import asyncio
from collections import deque

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import (
    Decided,
    Effect,
    Ended,
    SendCommand,
    ToAgent,
    ToUser,
    TurnDone,
)
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import (
    ErrorFrame,
    Frame,
    InputTranscriptFinal,
    Interrupt,
    SessionOpened,
    SessionReady,
    SessionStart,
)
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.car_link import WATCHDOG_S, CarLink, as_vehicle_event
from assistant_gateway.session.lockstep import Lockstep, by_due_time, said_by_agent
from assistant_gateway.session.logged_frame import Way
from assistant_gateway.session.measurement_error import ERRORS, LagProbe, TurnProbe
from assistant_gateway.session.peer_link import (
    Arrival,
    CarNews,
    Gone,
    PeerLink,
    PeerStalled,
    Unusable,
)
from assistant_gateway.session.result import SessionBroken, SessionResult
from assistant_gateway.session.tool_offer import tool_offer
from assistant_gateway.timing.timeline import MS, SECOND, SessionClock, wall_ns
from vehicle_bus.bus import Bus, BusError
from vehicle_bus.contract import Capabilities, Reply, Snapshot

READY_S = 10.0


class Session:
    """Run with `await session.run()`; feed the car's replies through `inbox`."""

    def __init__(
        self,
        plan: SessionPlan,
        agent: PeerLink,
        user: PeerLink,
        outbox: BusOutbox,
        car: Capabilities,
        probe: LagProbe | None = None,
    ) -> None:
        self.plan = plan
        self.inbox: asyncio.Queue[Arrival] = asyncio.Queue(1024)
        offer = tool_offer(car)
        self._conversation = Conversation(plan, offer.ends)
        self._timeline = self._conversation.timeline
        self._clock = SessionClock(plan.pace)
        self._agent = agent
        self._user = user
        self._links = (agent, user)
        self._outbox = outbox
        self._tools = offer.tools
        self._virtual = plan.pace == "virtual"
        self._held: deque[Arrival] = deque()  # came while the car was asked what has happened
        self._lockstep = Lockstep(self._links)
        self._refused: str | None = None
        self._deserted = False  # somebody left: the rest will not settle any more
        self._turns = 0
        self._latest_ns = 0
        self._harness = TurnProbe(probe)
        self._car = CarLink(
            plan, outbox, self._conversation, self._harness, changes_by_itself=car.changes_by_itself
        )

    async def run(self, bus: Bus, start: Snapshot) -> SessionResult:
        """Returns when the session is over and all it wrote is acknowledged by the broker."""
        infra: str | None = None
        self._car.parked(start)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._write(bus), name=f"outbox {self.plan.sid}")
            watching = tasks.create_task(self._watch(bus), name=f"broker of {self.plan.sid}")
            try:
                await self._begin()
                while True:
                    await self._carry_out()
                    if self._conversation.floor.end_reason is not None:
                        break
                    await self._next()
            except (SessionBroken, PeerStalled) as broken:
                infra = str(broken)
                self._conversation.floor.end("infra_error")
                await self._carry_out()
            finally:
                watching.cancel()
                self._let_go()
                self._outbox.close()
        reason = self._conversation.floor.end_reason or "infra_error"
        infra = infra or self._refused
        if self._conversation.calls.unanswered - self._car.befallen and infra is None:
            infra = "the car left a command unanswered"
        return SessionResult(self.plan.sid, reason, infra, self._turns)

    async def _write(self, bus: Bus) -> None:
        """What the broker refuses ends the session; nothing it wrote before is lost."""
        try:
            await self._outbox.write(bus)
        except BusError as error:
            self._refused = str(error)
            await self.inbox.put(Arrival("broker", Gone(), wall_ns()))

    async def _watch(self, bus: Bus) -> None:
        """What was lost with the broker does not come later: nobody has to wait for it."""
        await bus.reconnected(bus.reconnects)
        await self.inbox.put(Arrival("broker", Gone(), wall_ns()))

    def _let_go(self) -> None:
        for link in self._links:
            link.detach()
        while not self.inbox.empty():  # a reader may be waiting for room
            self.inbox.get_nowait()

    # --- begin

    async def _begin(self) -> None:
        for link in self._links:
            link.attach(self.plan.sid, self.inbox)
            if link.gone.is_set():  # while it was waited for
                raise SessionBroken(f"the {link.role} left before the session began")
        lockstep = self._virtual
        await self._tell_time(0)
        start = SessionStart(
            instructions=self.plan.instructions,
            tools=self._tools,
            locale=self.plan.locale,
            pace=self.plan.pace,
            lockstep=lockstep,
            budgets=self.plan.budgets.told(),
        )
        self._outbox.log("out", "agent", await self._agent.send(start), 0)
        self._accept(await self._ready())
        opened = SessionOpened(pace=self.plan.pace, lockstep=lockstep)
        self._clock = SessionClock(self.plan.pace)
        self._latest_ns = 0
        self._outbox.log("out", "user", await self._user.send(opened), 0)

    async def _ready(self) -> SessionReady:
        try:
            async with asyncio.timeout(READY_S):
                while True:
                    arrival = await self._arrival()
                    if not self._is_news(arrival):
                        continue
                    if isinstance(arrival.item, Gone):
                        raise SessionBroken(f"the {arrival.source} left before the session began")
                    if isinstance(arrival.item, Unusable):
                        self._take(arrival)
                        await self._carry_out()
                    body = arrival.item.body if isinstance(arrival.item, Frame) else None
                    if isinstance(body, SessionReady):
                        return body
        except TimeoutError as error:
            raise SessionBroken(
                f"the agent did not answer session.start with session.ready in {READY_S:g} s"
            ) from error

    def _accept(self, ready: SessionReady) -> None:
        capabilities = ready.capabilities
        if self._virtual and not capabilities.get("lockstep"):
            raise SessionBroken(
                f"agent {ready.name!r} cannot keep lockstep, which --pace virtual needs; "
                "use --pace fast or live"
            )
        floor = self._conversation.floor
        floor.partials = bool(capabilities.get("partials"))
        floor.speech_events = bool(capabilities.get("speech_events", True))
        self._car.tells_events = bool(capabilities.get("vehicle_events"))

    # --- what happens next

    async def _next(self) -> None:
        if self._virtual:
            await self._settle()
            self._pop()
            return
        owes = self._conversation.owes
        self._clock.flow(owes)
        if self._something_arrived:
            self._take(await self._arrival())
            return
        due_ns = self._timeline.next_due_ns
        if self.plan.pace == "fast" and not owes and due_ns is not None:
            self._clock.jump(due_ns)
            self._pop()
            return
        await self._wait(due_ns)

    async def _wait(self, due_ns: int | None) -> None:
        """Real time passes until something arrives or is due."""
        wait_s = self.plan.patience_s if due_ns is None else (due_ns - self._clock.now()) / SECOND
        batch_s = self.plan.batch_ns / SECOND
        flush_first = self._outbox.batching and (wait_s is None or wait_s > batch_s)
        try:
            async with asyncio.timeout(batch_s if flush_first else wait_s):
                self._take(await self._arrival())
            return
        except TimeoutError:
            pass
        if due_ns is not None and self._came_before(due_ns):
            return
        if flush_first:
            self._outbox.flush(self._clock.now())
        elif due_ns is None:
            raise SessionBroken(f"nobody said or did anything for {wait_s:g} s")
        elif self._clock.now() >= due_ns:
            self._harness.late(self._clock.now() - due_ns)
            self._pop()

    def _pop(self) -> None:
        try:
            due = self._timeline.pop()
        except IndexError:
            raise SessionBroken("nothing is due and nobody owes a word") from None
        if isinstance(due.event, Arrival):
            self._handle(due.event, due.due_ns)
            return
        if self._virtual:
            self._clock.jump(due.due_ns)
        self._latest_ns = max(self._latest_ns, due.due_ns)
        self._conversation.due(due.event, due.due_ns)

    async def _settle(self) -> None:
        """Virtual time: wait until everybody has dealt with everything, then order what came."""
        arrived: list[Arrival] = []
        try:
            async with asyncio.timeout(WATCHDOG_S):
                while not self._deserted and (self._something_arrived or self._unsettled()):
                    arrival = await self._arrival()
                    if self._is_news(arrival):
                        arrived.append(arrival)
                    self._deserted = isinstance(arrival.item, Gone)
        except TimeoutError as error:
            waiting = " and ".join(self._unsettled())
            raise SessionBroken(
                f"virtual time stood still for {WATCHDOG_S:g} s: waiting for {waiting}"
            ) from error
        for due_ns, arrival in by_due_time(arrived):
            self._timeline.at(due_ns, arrival)

    def _unsettled(self) -> list[str]:
        """Who still has something to deal with."""
        return [*self._lockstep.busy, *(["the car"] if self._car.owes else [])]

    def _is_news(self, arrival: Arrival) -> bool:
        return not self._lockstep.is_idle(arrival) and self._car.is_news(arrival)

    # --- arrivals

    @property
    def _something_arrived(self) -> bool:
        return bool(self._held) or not self.inbox.empty()

    async def _arrival(self) -> Arrival:
        return self._held.popleft() if self._held else await self.inbox.get()

    def _came_before(self, due_ns: int) -> bool:
        """Whether something arrived before that; it may be seen only when waiting is over."""
        if not self._held and not self.inbox.empty():
            self._held.append(self.inbox.get_nowait())
        return bool(self._held) and self._clock.of(self._held[0].mono_ns) < due_ns

    async def _tell_time(self, now: int) -> None:
        """Tell the car the time, and the agent what has happened to it until then."""
        for occurrence in await self._car.catch_up(now, self.inbox, self._held):
            await self._do(as_vehicle_event(occurrence, now))

    def _take(self, arrival: Arrival) -> None:
        if self._is_news(arrival):
            # Sources are read one after the other: what came first may be looked at last.
            self._latest_ns = max(self._latest_ns, self._clock.of(arrival.mono_ns))
            self._handle(arrival, self._latest_ns)

    def _handle(self, arrival: Arrival, at_ns: int) -> None:
        if self._virtual:
            self._clock.jump(at_ns)
        match arrival.item:
            case Unusable(code, expected):
                self._conversation.floor.correct(arrival.source, code, expected)
            case Gone() if self._refused is not None:
                raise SessionBroken(self._refused)
            case Gone():
                raise SessionBroken(f"the {arrival.source} left in the middle of the session")
            case Reply() as reply:
                self._car.replied(reply, arrival.mono_ns, at_ns)
            case CarNews(event=event) if "call_id" in event.detail:
                self._car.will_not_reply(event, at_ns)
            case CarNews() as occurrence:
                self._conversation.effects.append(as_vehicle_event(occurrence, at_ns))
            case Frame() as frame:
                counts = True
                if arrival.source == "agent":
                    counts = self._conversation.agent_frame(frame, at_ns)
                    believed = counts and self.plan.simulated and not self._virtual
                    if believed and frame.due_ns is not None:
                        self._harness.said(frame.rid, at_ns - frame.due_ns)
                else:
                    self._conversation.user_frame(frame, at_ns)
                way: Way = "in" if counts else "ignored"
                self._outbox.log(way, arrival.source, frame, at_ns)
                if isinstance(frame.body, ErrorFrame) and frame.body.fatal:
                    raise SessionBroken(f"the {arrival.source} gave up: {frame.body.message}")

    # --- effects

    async def _carry_out(self) -> None:
        effects = self._conversation.effects
        while effects:
            await self._do(effects.popleft())

    async def _do(self, effect: Effect) -> None:
        now = self._clock.now()
        match effect:
            case ToAgent(body, turn, rid, cid):
                if isinstance(body, InputTranscriptFinal):
                    if self.plan.pace != "live":  # all jumps since the last turn, told as one
                        await self._tell_time(now)
                    self._clock.flow(True)  # from here on the agent is waited for
                if isinstance(body, Interrupt) and self._virtual:
                    self._timeline.cancel(said_by_agent)
                frame = await self._agent.send(body, turn=turn, rid=rid, cid=cid)
                if isinstance(body, InputTranscriptFinal):
                    self._asked(self._clock.of(frame.mono_ns))
                self._harness.sent(wall_ns() - frame.mono_ns)
                self._outbox.log("out", "agent", frame, now)
            case ToUser(body, turn, rid):
                self._outbox.log(
                    "out", "user", await self._user.send(body, turn=turn, rid=rid), now
                )
            case SendCommand(call):
                self._car.run(call, self._latest_ns, now)
            case TurnDone():
                self._publish_turn(effect, now)
            case Decided(word, reason, turn):
                self._outbox.control(word, reason, turn, now)
            case Ended(reason, revision):
                self._outbox.end(reason, revision, self._car.seq, now)

    def _asked(self, sent_ns: int) -> None:
        """The agent has been told what the driver said, and its time runs."""
        self._latest_ns = max(self._latest_ns, sent_ns)  # an answer is never older than this
        self._conversation.floor.turn.asked_ns = sent_ns
        if not self._virtual:
            self._harness.begin()

    def _publish_turn(self, done: TurnDone, now: int) -> None:
        self._turns = done.turn
        harness = {} if self._virtual else self._harness.finish()
        error_ns = round(max((harness.get(name, 0.0) for name in ERRORS), default=0.0) * MS)
        undecided = self.plan.budgets.undecided(done.turn_class, done.spans, error_ns)
        if undecided:
            done.verdict["undecided"] = True
        self._outbox.turn(done, harness, now)
