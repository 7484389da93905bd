"""One session: the conversation's state machine between two sockets, the bus and a clock."""

import asyncio
from abc import ABC, abstractmethod
from typing import Any

from pydantic import ValidationError

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import (
    AgentPlays,
    Decided,
    DriverSpeaks,
    Effect,
    Ended,
    SendCommand,
    ToAgent,
    ToUser,
    TurnDone,
)
from assistant_gateway.conversation.floor import no_noise
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import (
    CONNECTION_CLOSED,
    ErrorFrame,
    Frame,
    Idle,
    InputTranscriptFinal,
    Interrupt,
    ResponseAudioCleared,
    SessionOpened,
    SessionReady,
    SessionStart,
    ToolResult,
)
from assistant_gateway.session.arrivals import Arrival, CarNews, Gone, Inbox, Unusable
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.car_link import CarLink
from assistant_gateway.session.measurement_error import LagProbe, TurnProbe, error_ms, with_restarts
from assistant_gateway.session.peer_link import PeerLink, PeerStalled
from assistant_gateway.session.result import SessionBroken, SessionResult
from assistant_gateway.session.tool_offer import ToolOffer
from assistant_gateway.session.trace_context import TraceContext
from assistant_gateway.session.uplink import FrameEnds, Uplink
from assistant_gateway.sound.audio_capability import OFFER, AudioCapability
from assistant_gateway.sound.pcm import BadSound
from assistant_gateway.timing.timeline import MS, SECOND, Due, SessionClock, wall_ns
from vehicle_bus.bus import Bus, BusError
from vehicle_bus.contract import Reply, Snapshot
from vehicle_bus.validation_problem import first_problem


class Session(ABC):
    """Run with `await session.run()`; feed the car's replies through `inbox`.

    How time passes between two steps of the conversation is what a subclass knows.
    """

    def __init__(
        self,
        plan: SessionPlan,
        agent: PeerLink,
        user: PeerLink,
        outbox: BusOutbox,
        offer: ToolOffer,
        probe: LagProbe | None = None,
    ) -> None:
        self.inbox = Inbox(1024)
        self.is_agents_last = False  # it takes no session after this one
        self._plan = plan
        self.uplink = Uplink(plan.sound) if plan.sound else None
        snr_db = self.uplink.snr_db if self.uplink else no_noise
        self._conversation = Conversation(plan, offer.ends, snr_db)
        self._timeline = self._conversation.timeline
        self._clock = SessionClock(plan.pace)
        self._agent = agent
        self._user = user
        self._links = {"agent": agent, "user": user}
        self._outbox = outbox
        self._tools = offer.tools
        self._refused: str | None = None
        self._turns = 0
        self._quiet_since_ns = 0
        self._latest_ns = 0
        self._trace = TraceContext()
        self._harness = TurnProbe(probe, measures=plan.pace != "virtual")
        self._car = CarLink(
            plan,
            outbox,
            self._conversation,
            self._harness,
            changes_by_itself=offer.changes_by_itself,
        )

    async def run(self, bus: Bus, start: Snapshot) -> SessionResult:
        """Returns when the session is over and all it wrote is acknowledged by the broker."""
        infra: str | None = None
        floor = self._conversation.floor
        self._car.parked(start)
        if self.uplink is not None:
            self.uplink.car_is(start.state)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._write(bus), name=f"outbox {self._plan.sid}")
            watching = tasks.create_task(self._watch(bus), name=f"broker of {self._plan.sid}")
            try:
                await self._begin()
                await self._carry_out()
                while floor.end_reason is None:
                    await self._advance()
                    await self._carry_out()
            except (SessionBroken, PeerStalled, BadSound) as broken:
                infra = str(broken)
                floor.end("infra_error")
                await self._carry_out()
            finally:
                watching.cancel()
                for link in self._links.values():
                    link.detach()
                self.inbox.clear()
                self._outbox.close()
        infra = infra or self._refused
        if self._conversation.calls.unanswered - self._car.hit_by_fault and infra is None:
            infra = "the car left a command unanswered"
        return SessionResult(self._plan.sid, floor.end_reason or "infra_error", infra, self._turns)

    @abstractmethod
    async def _advance(self) -> None:
        """Let pass the time until something arrives or is due, and let it happen."""

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

    # --- begin

    async def _begin(self) -> None:
        prepare = self.uplink.prepare if self.uplink else None
        for link in self._links.values():
            link.attach(self._plan.sid, self.inbox, prepare)
            if link.gone.is_set():  # while it was waited for
                raise SessionBroken(f"the {_shown(link.role)} left before the session began")
        pace, lockstep = self._plan.pace, self._plan.pace == "virtual"
        await self._tell_time(0)
        start = SessionStart(
            instructions=self._plan.instructions,
            tools=self._tools,
            locale=self._plan.locale,
            pace=pace,
            lockstep=lockstep,
            budgets=self._plan.budgets.for_agents(),
            audio=OFFER if self.uplink else None,
        )
        await self._send_agent(ToAgent(start), 0)
        self._accept(await self._ready())
        self._clock = SessionClock(pace)
        await self._send_user(ToUser(SessionOpened(pace=pace, lockstep=lockstep)), 0)

    async def _ready(self) -> SessionReady:
        try:
            async with asyncio.timeout(self._plan.ready_within_s):
                while True:
                    arrival = await self.inbox.get()
                    match arrival.item:
                        case Gone(breach, how):
                            left = f"the {_shown(arrival.source)} left before the session began"
                            raise SessionBroken(f"{left}: {breach or how}".removesuffix(": "))
                        case Unusable(code, expected):
                            self._conversation.floor.correct(arrival.source, code, expected)
                            await self._carry_out()
                        case Frame(body=SessionReady() as ready) as frame:
                            self._trace.take(frame)
                            if frame.traceparent is not None:
                                self._outbox.log("in", "agent", frame, 0)
                            return ready
                        case _:
                            self._is_news(arrival)
        except TimeoutError as error:
            raise SessionBroken(
                "the agent did not answer session.start with session.ready in "
                f"{self._plan.ready_within_s:g} s"
            ) from error

    def _accept(self, ready: SessionReady) -> None:
        capabilities, floor = ready.capabilities, self._conversation.floor
        if self._plan.pace == "virtual" and not capabilities.get("lockstep"):
            raise SessionBroken(
                f"agent {ready.name!r} cannot keep lockstep, which --pace virtual needs; "
                "use --pace fast or live"
            )
        self.is_agents_last = bool(capabilities.get("single_session"))
        floor.partials = bool(capabilities.get("partials"))
        floor.speech_events = bool(capabilities.get("speech_events", True))
        self._car.tells_events = bool(capabilities.get("vehicle_events"))
        if self.uplink is not None and capabilities.get("audio") is not None:
            self._accept_audio(ready.name, capabilities["audio"])

    def _accept_audio(self, agent: str, asked: Any) -> None:
        """The microphone is on if the agent wants to hear; only `live` never skips silence."""
        assert self.uplink is not None
        try:
            capability = AudioCapability.model_validate(asked)
        except ValidationError as error:
            problem = first_problem(error, "capabilities.audio")
            raise SessionBroken(f"agent {agent!r} cannot be heard: {problem}") from error
        self._conversation.floor.agent_speaks = capability.output
        self._conversation.floor.turn_detection = capability.turn_detection
        if capability.input is not None and self._plan.pace == "live":
            self.uplink.encode_as(capability.input)
            first = FrameEnds(1)
            self._timeline.at(self.uplink.ends_ns(first), first)

    # --- what happens

    def _happen(self, due: Due) -> None:
        if isinstance(due.event, FrameEnds):
            self._hear(due.event, due.due_ns)
            return
        self._quiet_since_ns = due.due_ns
        self._latest_ns = max(self._latest_ns, due.due_ns)
        self._conversation.due(due.event, due.due_ns)

    def _hear(self, frame: FrameEnds, at_ns: int) -> None:
        """A frame of the microphone is complete, and the next one begins."""
        assert self.uplink is not None
        quiet_s, patience_s = (at_ns - self._quiet_since_ns) / SECOND, self._plan.patience_s
        if self._timeline.next_due_ns is None and patience_s and quiet_s > patience_s:
            raise SessionBroken(f"nobody said or did anything for {patience_s:g} s")
        self._conversation.effects.append(ToAgent(self.uplink.frame(frame)))
        following = FrameEnds(frame.number + 1)
        self._timeline.at(self.uplink.ends_ns(following), following)
        self._outbox.flush_if_due(at_ns)

    def _is_news(self, arrival: Arrival) -> bool:
        """Whether the conversation has to know; otherwise what it says is noted here."""
        match arrival.item:
            case Frame(body=Idle(upto_seq=seq)):
                self._links[arrival.source].idle_seq = seq
                return False
            case Reply() | CarNews():
                return self._car.is_news(arrival)
        return True

    def _handle(self, arrival: Arrival, at_ns: int) -> None:
        self._quiet_since_ns = at_ns
        match arrival.item:
            case Unusable(code, expected):
                self._conversation.floor.correct(arrival.source, code, expected)
            case Gone(breach) if breach and arrival.source == "agent":
                self._conversation.floor.correct("agent", CONNECTION_CLOSED, breach)
                self._conversation.floor.give_up(at_ns, "agent_failed")
            case Gone(_, how):
                left = f"the {_shown(arrival.source)} left in the middle of the session: {how}"
                raise SessionBroken(self._refused or left.removesuffix(": "))
            case Reply() | CarNews():
                self._car.take(arrival, at_ns)
            case Frame() as frame:
                self._take_frame(arrival.source, frame, at_ns)

    def _take_frame(self, role: str, frame: Frame, at_ns: int) -> None:
        counts = True
        if role == "agent":
            counts = self._conversation.agent_frame(frame, at_ns)
            if counts:
                self._trace.take(frame)
            if counts and self._plan.simulated and frame.due_ns is not None:
                self._harness.said(frame.rid, at_ns - frame.due_ns)
        else:
            self._conversation.user_frame(frame, at_ns)
        self._outbox.log("in" if counts else "ignored", role, frame, at_ns)
        if isinstance(frame.body, ErrorFrame) and frame.body.fatal:
            raise SessionBroken(f"the {_shown(role)} gave up: {frame.body.message}")

    async def _tell_time(self, now: int) -> None:
        """Tell the car the time, and the agent what has happened to it until then."""
        for event in await self._car.catch_up(now, self.inbox):
            await self._do(event)

    # --- effects

    async def _carry_out(self) -> None:
        effects = self._conversation.effects
        while effects:
            await self._do(effects.popleft())

    async def _do(self, effect: Effect) -> None:
        now = self._clock.now()
        match effect:
            case ToAgent(body=InputTranscriptFinal()):
                await self._ask(effect, now)
            case ToAgent(body):
                if isinstance(body, Interrupt):
                    self._timeline.cancel(_is_sent_ahead)
                if isinstance(body, Interrupt | ResponseAudioCleared) and self.uplink is not None:
                    self.uplink.agent_is_cut(body.now_ns)
                if isinstance(body, ToolResult):
                    self._harness.passed_on(self._latest_ns, now)
                await self._send_agent(effect, now)
            case ToUser():
                await self._send_user(effect, now)
            case DriverSpeaks(words, begins_ns):
                if self.uplink is not None:
                    self.uplink.speaks(words, begins_ns)
            case AgentPlays(samples, begins_ns):
                if self.uplink is not None:
                    self.uplink.agent_plays(samples, begins_ns)
            case SendCommand(call):
                self._car.command(call, self._latest_ns, now, self._trace.of(call.cid))
            case TurnDone():
                self._publish_turn(effect, now)
            case Decided(word, reason, turn):
                self._outbox.control(word, reason, turn, now)
            case Ended(reason, revision):
                self._outbox.end(reason, revision, self._car.seq, now)

    async def _ask(self, effect: ToAgent, now: int) -> None:
        """Send the agent what the driver said; its time runs from then on."""
        if self._plan.pace != "live":  # one clock for all jumps since the last turn
            await self._tell_time(now)
        self._clock.flow(True)
        self._trace.new_turn()
        self._harness.begin()
        sent_ns = self._clock.of(await self._send_agent(effect, now))
        self._latest_ns = max(self._latest_ns, sent_ns)  # an answer is never older than this
        self._conversation.floor.turn.asked_ns = sent_ns

    async def _send_agent(self, effect: ToAgent, now: int) -> int:
        """Returns the wall stamp of the frame."""
        body, turn, rid, cid = effect
        frame = await self._agent.send(body, turn=turn, rid=rid, cid=cid)
        self._harness.delayed("send", wall_ns() - frame.mono_ns)
        self._outbox.log("out", "agent", frame, now)
        return frame.mono_ns

    async def _send_user(self, effect: ToUser, now: int) -> None:
        frame = await self._user.send(effect.body, turn=effect.turn, rid=effect.rid)
        self._outbox.log("out", "user", frame, now)

    def _publish_turn(self, done: TurnDone, now: int) -> None:
        self._turns = done.turn
        harness = with_restarts(self._harness.finish(), done.restarts_ns)
        error_ns = round(error_ms(harness) * MS)
        if self._plan.budgets.undecided(done.turn_class, done.spans, error_ns):
            verdict = done.verdict.model_copy(update={"undecided": True})
            done = done._replace(verdict=verdict)
        heard = self.uplink.heard(done.heard_user) if self.uplink else None
        if self.uplink is not None and done.plays_until_ns is not None:
            self.uplink.agent_is_cut(done.plays_until_ns)
        self._outbox.turn(done, harness, now, heard)


def _is_sent_ahead(event: object) -> bool:
    """Whether a due event is a frame that the agent has planned for later, in virtual time."""
    return isinstance(event, Arrival) and event.source == "agent"


def _shown(source: str) -> str:
    """The name of a peer or the broker in messages for people."""
    return "driver" if source == "user" else source
