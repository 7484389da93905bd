"""One session: the conversation's state machine between two sockets, the bus and a clock."""

import asyncio
import logging
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from assistant_gateway.conversation import Conversation, SessionPlan
from assistant_gateway.effects import Decided, Effect, Ended, Run, ToAgent, ToUser, TurnDone
from assistant_gateway.harness import ERRORS, LagProbe, TurnProbe
from assistant_gateway.link import Arrival, Gone, Link, Occurrence, PeerStalled, Unusable
from assistant_gateway.offer import offer_of
from assistant_gateway.outbox import SRC, Outbox
from assistant_gateway.protocol import (
    ErrorFrame,
    Frame,
    Idle,
    InputTranscriptFinal,
    Interrupt,
    SessionOpened,
    SessionReady,
    SessionStart,
    VehicleEvent,
)
from assistant_gateway.timeline import MS, SECOND, SessionClock, wall_ns
from vehicle_bus.bus import Bus, BusError
from vehicle_bus.contract import (
    TIME,
    Capabilities,
    CarEvent,
    Control,
    Reply,
    SessionEnd,
    Snapshot,
    TurnFinished,
)

log = logging.getLogger(__name__)

WATCHDOG_S = 60.0
CATCH_UP_S = 1.0
FAULT = "fault"
READY_S = 10.0
_RANK = {"broker": 0, "car": 1, "agent": 2, "user": 3}


@dataclass(frozen=True, slots=True)
class SessionResult:
    """How a session ended. `infra` is set when the bench, not the agent, is to blame."""

    sid: str
    reason: str
    infra: str | None = None
    turns: int = 0


class Commanded(NamedTuple):
    """A command on its way: when it was sent, and when what made the agent or us send it came."""

    sent_mono_ns: int
    caused_ns: int
    sent_ns: int


class SessionBroken(Exception):
    """The session cannot go on, and nobody under test is to blame."""


class Session:
    """Run with `await session.run()`; feed the car's replies through `inbox`."""

    def __init__(
        self,
        plan: SessionPlan,
        agent: Link,
        user: Link,
        outbox: Outbox,
        car: Capabilities,
        probe: LagProbe | None = None,
    ) -> None:
        self.plan = plan
        self.inbox: asyncio.Queue[Arrival] = asyncio.Queue(1024)
        offer = offer_of(car)
        self._conversation = Conversation(plan, offer.ends)
        self._timeline = self._conversation.timeline
        self._clock = SessionClock(plan.pace)
        self._agent = agent
        self._user = user
        self._links = (agent, user)
        self._outbox = outbox
        self._tools = offer.tools
        self._virtual = plan.pace == "virtual"
        self._stirs = car.stirs
        self._tells_events = False
        self._told_up_to_ns = -1
        self._held: deque[Arrival] = deque()  # came while the car was asked what has happened
        self._idle_seq = {"agent": 0, "user": 0}
        self._open_requests: set[str] = set()
        self._befallen: set[str] = set()  # calls that a fault struck: what they lack is intended
        self._refused: str | None = None
        self._deserted = False  # somebody left: the rest will not settle any more
        self._car_seq = 0
        self._turns = 0
        self._latest_ns = 0
        self._harness = TurnProbe(probe)
        self._commands: dict[str, Commanded] = {}

    async def run(self, bus: Bus, start: Snapshot) -> SessionResult:
        """Returns when the session is over and all it wrote is acknowledged by the broker."""
        infra: str | None = None
        self._outbox.saw(start.n)
        self._car_seq = start.seq
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._write(bus), name=f"outbox {self.plan.sid}")
            watching = tasks.create_task(self._watch(bus), name=f"broker of {self.plan.sid}")
            try:
                await self._begin()
                while True:
                    await self._carry_out()
                    if self._conversation.end_reason is not None:
                        break
                    await self._next()
            except (SessionBroken, PeerStalled) as broken:
                infra = str(broken)
                self._conversation.end("infra_error")
                await self._carry_out()
            finally:
                watching.cancel()
                self._let_go()
                self._outbox.close()
        reason = self._conversation.end_reason or "infra_error"
        infra = infra or self._refused
        if self._conversation.unanswered_calls - self._befallen and infra is None:
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
        self._outbox.log("out", "user", await self._user.send(opened), 0)

    async def _ready(self) -> SessionReady:
        try:
            async with asyncio.timeout(READY_S):
                while True:
                    arrival = await self._arrival()
                    if self._is_idle(arrival) or not self._is_news(arrival):
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
        self._conversation.partials = bool(capabilities.get("partials"))
        self._conversation.speech_events = bool(capabilities.get("speech_events", True))
        self._tells_events = bool(capabilities.get("vehicle_events"))

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
        self._latest_ns = due.due_ns
        self._conversation.due(due.event, due.due_ns)

    async def _settle(self) -> None:
        """Virtual time: wait until everybody has dealt with everything, then order what came."""
        arrived: list[Arrival] = []
        try:
            async with asyncio.timeout(WATCHDOG_S):
                while not self._deserted and (not self._settled() or self._something_arrived):
                    arrival = await self._arrival()
                    if not self._is_idle(arrival) and self._is_news(arrival):
                        arrived.append(arrival)
                    self._deserted = isinstance(arrival.item, Gone)
        except TimeoutError as error:
            raise SessionBroken(
                f"virtual time stood still for {WATCHDOG_S:g} s: waiting for {self._unsettled()}"
            ) from error
        arrived.sort(key=lambda arrival: (_RANK[arrival.source], arrival.seq))
        for arrival in arrived:
            self._timeline.at(_planned_ns(arrival.item), arrival)

    def _settled(self) -> bool:
        return (
            not self._open_requests
            and self._idle_seq["agent"] >= self._agent.sent_seq
            and self._idle_seq["user"] >= self._user.sent_seq
        )

    def _unsettled(self) -> str:
        waiting = [link.role for link in self._links if self._idle_seq[link.role] < link.sent_seq]
        return " and ".join([*waiting, *(["the car"] if self._open_requests else [])])

    def _is_idle(self, arrival: Arrival) -> bool:
        if isinstance(arrival.item, Frame) and isinstance(arrival.item.body, Idle):
            self._idle_seq[arrival.source] = arrival.item.body.upto_seq
            return True
        return False

    def _is_news(self, arrival: Arrival) -> bool:
        """Whether something is still waited for; a fault may make the car say a thing twice."""
        match arrival.item:
            case Reply(call_id=call_id) if call_id in self._open_requests:
                self._answered(call_id, arrival)
            case Occurrence() as occurrence:
                return self._tells_something(occurrence, arrival)
            case Reply():
                return False
        return True

    def _tells_something(self, occurrence: Occurrence, arrival: Arrival) -> bool:
        """Whether a call will stay unanswered or the agent is to hear of it; others only count."""
        kind, event = occurrence.kind, occurrence.event
        self._outbox.saw(event.n)
        self._car_seq = max(self._car_seq, arrival.seq)
        if kind == TIME:
            self._told_up_to_ns = max(self._told_up_to_ns, event.t_ns)
            return False
        if "call_id" not in event.detail:
            return self._tells_events and kind != FAULT
        call_id = str(event.detail["call_id"])
        self._befallen.add(call_id)
        if event.detail.get("answered") is not False:
            return False
        awaited = call_id in self._open_requests
        self._answered(call_id, arrival)
        return awaited

    def _answered(self, request: str, arrival: Arrival) -> None:
        self._open_requests.discard(request)
        self._car_seq = max(self._car_seq, arrival.seq)

    # --- arrivals

    @property
    def _something_arrived(self) -> bool:
        return bool(self._held) or not self.inbox.empty()

    async def _arrival(self) -> Arrival:
        return self._held.popleft() if self._held else await self.inbox.get()

    async def _tell_time(self, now: int) -> None:
        """Tell the car the time; returns when all is known that has happened to it until then."""
        self._outbox.clock(now, self.plan.pace)
        if not self._stirs or self.plan.pace == "live":
            return
        try:
            async with asyncio.timeout(WATCHDOG_S if self._virtual else CATCH_UP_S):
                while self._told_up_to_ns < now:
                    arrival = await self.inbox.get()
                    if isinstance(arrival.item, Occurrence):
                        if self._is_news(arrival):
                            await self._do(_told(arrival.item.kind, arrival.item.event, now))
                        continue
                    self._held.append(arrival)
                    if isinstance(arrival.item, Gone):
                        return
        except TimeoutError as error:
            if self._virtual:
                raise SessionBroken("the car does not say what has happened in it") from error
            log.warning("car %s was told the time and has not answered", self.plan.vin)

    def _take(self, arrival: Arrival) -> None:
        if not self._is_idle(arrival) and self._is_news(arrival):
            # Sources are read one after the other: what came first may be looked at last.
            self._latest_ns = max(self._latest_ns, self._clock.of(arrival.mono_ns))
            self._handle(arrival, self._latest_ns)

    def _handle(self, arrival: Arrival, at_ns: int) -> None:
        if self._virtual:
            self._clock.jump(at_ns)
        match arrival.item:
            case Unusable(code, expected):
                self._conversation.unusable(arrival.source, code, expected)
            case Gone() if self._refused is not None:
                raise SessionBroken(self._refused)
            case Gone():
                raise SessionBroken(f"the {arrival.source} left in the middle of the session")
            case Reply() as reply:
                command = self._commands.pop(reply.call_id, None)
                if command is not None:
                    self._measure(command, reply, arrival.mono_ns, at_ns)
                self._outbox.saw(reply.n)
                self._conversation.reply(reply, at_ns)
            case Occurrence(kind, event) if "call_id" not in event.detail:
                self._conversation.effects.append(_told(kind, event, at_ns))
            case Occurrence(_, CarEvent(detail=told)):
                call_id, revision = str(told["call_id"]), int(told.get("revision_after") or 0)
                if (command := self._commands.pop(call_id, None)) is not None:
                    self._harness.answered(at_ns - command.caused_ns)
                changed = revision > int(told.get("revision_before") or 0)
                self._conversation.unheard(call_id, revision, at_ns, changed=changed)
            case Frame() as frame:
                self._outbox.log("in", arrival.source, frame, at_ns)
                if isinstance(frame.body, ErrorFrame) and frame.body.fatal:
                    raise SessionBroken(f"the {arrival.source} gave up: {frame.body.message}")
                if arrival.source == "agent":
                    if frame.due_ns is not None and self.plan.simulated and not self._virtual:
                        self._harness.said(frame.rid, at_ns - frame.due_ns)
                    self._conversation.agent_frame(frame, at_ns)
                else:
                    self._conversation.user_frame(frame, at_ns)

    def _measure(self, command: Commanded, reply: Reply, mono_ns: int, at_ns: int) -> None:
        """What the bench added to the time of a call."""
        if reply.fault is None:
            self._harness.carried(mono_ns - command.sent_mono_ns - reply.took_ns)
        planned_ns = reply.t_ns - command.sent_ns if self.plan.simulated else reply.took_ns
        self._harness.answered(at_ns - command.caused_ns - planned_ns)

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
                    self._clock.flow(True)  # from here on the agent is waited for
                    if self.plan.pace != "live":  # all jumps since the last turn, told as one
                        await self._tell_time(now)
                if isinstance(body, Interrupt) and self._virtual:
                    self._timeline.cancel(_said_by_agent)
                frame = await self._agent.send(body, turn=turn, rid=rid, cid=cid)
                if isinstance(body, InputTranscriptFinal):
                    self._asked(self._clock.of(frame.mono_ns))
                self._harness.sent(wall_ns() - frame.mono_ns)
                self._outbox.log("out", "agent", frame, now)
            case ToUser(body, turn, rid):
                self._outbox.log(
                    "out", "user", await self._user.send(body, turn=turn, rid=rid), now
                )
            case Run(call):
                self._open_requests.add(call.call_id)
                self._commands[call.call_id] = Commanded(wall_ns(), self._latest_ns, now)
                self._outbox.command(call.tool, call.call_id, call.arguments, call.turn, now)
            case TurnDone():
                self._publish_turn(effect, now)
            case Decided(word, reason, turn):
                self._outbox.publish("control", Control, now, word=word, reason=reason, turn=turn)
            case Ended(reason, revision):
                counts = {SRC: self._outbox.seq + 1 + self._outbox.batching, "car": self._car_seq}
                self._outbox.publish(
                    "end", SessionEnd, now, reason=reason, counts=counts, revision=revision
                )

    def _asked(self, sent_ns: int) -> None:
        """The agent has been told what the driver said, and its time runs."""
        if self._conversation.turn:
            self._conversation.turn.asked_ns = sent_ns
        if not self._virtual:
            self._harness.begin()

    def _publish_turn(self, done: TurnDone, now: int) -> None:
        self._turns = done.number
        harness = {} if self._virtual else self._harness.finish()
        error_ns = round(max((harness.get(name, 0.0) for name in ERRORS), default=0.0) * MS)
        undecided = self.plan.budgets.undecided(done.turn_class, done.spans, error_ns)
        verdict = {**done.verdict, "undecided": True} if undecided else done.verdict
        self._outbox.publish(
            "turn",
            TurnFinished,
            now,
            turn=done.number,
            turn_class=done.turn_class,
            revision=done.revision,
            spans=done.spans,
            verdict=verdict,
            heard_user=done.heard_user,
            heard_agent=done.heard_agent,
            calls=done.calls,
            handed_over=done.handed_over,
            harness=harness,
        )


def _told(kind: str, event: CarEvent, now: int) -> ToAgent:
    return ToAgent(VehicleEvent(kind=kind, detail=event.detail, now_ns=now))


def _planned_ns(item: object) -> int:
    """When something that arrived in virtual time is due: a slow agent or car plans ahead."""
    if isinstance(item, Frame):
        return item.due_ns or 0
    return item.t_ns if isinstance(item, Reply) else 0


def _said_by_agent(event: object) -> bool:
    return isinstance(event, Arrival) and event.source == "agent"
