"""The conversations of one car, one after the other; each begins with the first word."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import SessionClose
from assistant_gateway.server import Gateway
from assistant_gateway.session.bus_outbox import SRC
from assistant_gateway.sound.voice import Voice
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from evaluator.live.observer import Observer
from evaluator.live.reply import OpenTurn, Reply
from evaluator.live.settings import CarRequest, LiveSettings
from evaluator.run.agent_connections import plan_for
from evaluator.run.units import opaque
from evaluator.scoring.policies.instructions import instructions
from user_sim.free_driver import FreeDriver, Outcome

SEEN_WITHIN_S = 5.0
BATCH_NS = 5 * MS  # spectators see words as they come


class ConversationBroken(Exception):
    """The conversation broke down; the text says why."""


class GatewayGone(ConversationBroken):
    """The gateway is lost, and with it the whole bench."""


@dataclass(slots=True)
class Conversations:
    """Says what the driver types; opens and closes conversations as needed."""

    _settings: LiveSettings
    _request: CarRequest
    _fresh: Callable[[], Agent] | None
    _gate: Gateway
    _agents: dict[str, PacedAgent]
    _driver: FreeDriver
    _observer: Observer
    _name: str = field(default_factory=lambda: secrets.token_hex(4))
    _count: int = 0
    _sid: str | None = None
    _turns: int = 0
    _gateway_seq: int = 0
    _opened_at: int = 0
    _speaking: bool = False

    async def begin_speech(self) -> None:
        """The driver begins to speak; `say` brings the words."""
        if not self._speaking:
            await self._open()
            await self._driver.begin()

    async def say(
        self, text: str, earlier: tuple[tuple[str, ...], ...], ended_ns: int | None = None
    ) -> Reply:
        """One turn, from the driver's first word until it is his turn again.

        What began before its words were known ended then, by the wall clock.
        """
        if not text.split():
            raise ValueError("the driver has to say something")
        if self._speaking:
            raise ConversationBroken("the driver is still speaking; await the reply first")
        mark, seen = self._observer.mark, self._observer.since()
        self._speaking = True
        try:
            sid = await self._open()
            turn = OpenTurn(
                text,
                sid,
                self._turns + 1,
                self._last_seen(),
                seen.final_state or {},
                max(seen.states, default=0),
            )
            typed = self._settings.typed and self._settings.sound is None
            ago_ms = 0 if ended_ns is None else (wall_ns() - ended_ns) // MS
            outcome = await self._driver.say(text, typed=typed, ago_ms=ago_ms)
            return await self._reply(turn, outcome, mark, earlier)
        except BaseException:  # also when cancelled: after half a turn it cannot go on
            self._turns = -1
            raise
        finally:
            self._speaking = False

    async def interrupt(self) -> None:
        """Cut the assistant off: the turn under way ends, and the next words are said at once."""
        if self._speaking:
            await self._driver.interrupt()

    async def close(self) -> None:
        """Hang up, if a conversation is open; the car stays."""
        if self._sid is None:
            return
        await self._driver.hang_up()
        with suppress(GatewayGone):
            await self._leave()

    async def end(self, word: str, reason: str) -> None:
        """End the conversation with a control word, as the driver of a task does."""
        if self._speaking:
            raise ConversationBroken("the driver is still speaking; await the reply first")
        if self._sid is None:
            raise ConversationBroken("nothing has been said yet that could be ended")
        await self._driver.end(word, reason)
        await self._leave()

    async def _open(self) -> str:
        if self._turns < 0:
            await self.close()
        if self._sid is not None and not self._driver.talking:
            raise ConversationBroken(await self._leave() or "the conversation is over")
        if self._sid is None:
            self._opened_at = self._observer.mark
            self._sid, self._turns, self._gateway_seq = self._announce(), 0, 0
            closed = await self._driver.open(self._sid)
            if closed is not None:
                raise ConversationBroken(await self._leave() or closed.reason)
        return self._sid

    def _last_seen(self) -> int:
        """The last of the gateway's message numbers up to which all were seen."""
        seen = self._observer.since(self._opened_at).entries
        numbers, last = {entry.seq for entry in seen if entry.src == SRC}, self._gateway_seq
        while last + 1 in numbers:
            last += 1
        return last

    def _announce(self) -> str:
        settings, vin = self._settings, self._observer.vin
        self._count += 1
        # Frames of an earlier car of the same name must not be taken for those of this one.
        sid, seed = opaque(f"{vin}-{self._name}-{self._count}"), f"{settings.seed}/{self._count}"
        if settings.agent.in_process:
            profile = latency_profile(settings.latency_profile)
            latency = LatencyModel(profile, f"{seed}/latency")
            assert self._fresh is not None
            self._agents[sid] = PacedAgent(self._fresh(), latency)
        setup, listener = self._request.setup, self._request.listener
        heard_by, sound = listener() if listener else None, None
        if settings.sound is not None:
            person = self._request.person
            sound = settings.sound.of(Voice(), f"{seed}/noise", heard_by, person)
        utterances = sound.utterances if sound else None
        plan = SessionPlan(
            sid=sid,
            vin=vin,
            pace=settings.pace,
            instructions=instructions(setup.start),
            turn_classes=self._request.effective_turn_classes,
            max_steps=settings.max_steps,
            speak_progress=setup.compat != "car-bench",
            tool_timeout_ns=int(settings.tool_timeout_s * SECOND),
            patience_s=None,
            batch_ns=BATCH_NS,
            speech=replace(settings.speech, seed=f"{seed}/speech", said=utterances),
            budgets=settings.budgets_in(self._request),
            on_hard_limit=settings.on_hard_limit,
            sound=sound,
        )
        self._gate.announce(plan_for(plan, settings.agent, settings.patience_s))
        return sid

    async def _leave(self) -> str | None:
        """Forget a conversation that is over; returns what broke it, or None."""
        sid, self._sid = self._sid, None
        assert sid is not None
        if self._driver.gone:
            raise GatewayGone("the gateway is gone")
        try:
            result = await self._gate.result(sid)
        finally:
            self._agents.pop(sid, None)
        return result.infra

    async def _reply(
        self, opened: OpenTurn, outcome: Outcome, mark: int, earlier: tuple[tuple[str, ...], ...]
    ) -> Reply:
        ended = outcome.reason if isinstance(outcome, SessionClose) else None
        if ended is not None:
            broken = await self._leave()
            if ended == "infra_error":
                raise ConversationBroken(broken or ended)
        try:
            async with asyncio.timeout(SEEN_WITHIN_S):
                turn = await self._observer.until(opened.finished, mark)
        except TimeoutError as error:
            raise ConversationBroken(
                f"the bus did not carry all of turn {opened.number} within {SEEN_WITHIN_S:g} s"
            ) from error
        self._turns, self._gateway_seq = opened.number, turn.seq
        seen = self._observer.since(mark)
        return Reply(
            driver=opened.driver,
            turn=turn,
            calls=opened.calls(seen),
            before=opened.state,
            after=seen.final_state or opened.state,
            ended=ended,
            earlier=earlier,
        )
