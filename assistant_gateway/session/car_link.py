"""The session's side of its car: calls that it has to answer, its events, and the time it knows."""

import asyncio
import logging
from typing import NamedTuple

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import OpenCall, ToAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import VehicleEvent
from assistant_gateway.session.arrivals import Arrival, CarNews, Gone, Inbox
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.measurement_error import TurnProbe
from assistant_gateway.session.result import SessionBroken
from assistant_gateway.timing.timeline import wall_ns
from vehicle_bus.contract import TIME, CarEvent, Reply, Snapshot

log = logging.getLogger(__name__)

WATCHDOG_S = 60.0
CATCH_UP_S = 1.0
FAULT = "fault"


class SentCommand(NamedTuple):
    """A command on its way: its wall stamp, when it was sent, and when what led to it came."""

    sent_mono_ns: int
    sent_ns: int
    caused_ns: int


class CarLink:
    """Commands go out through `outbox`, replies and events of the car to `conversation`."""

    def __init__(
        self,
        plan: SessionPlan,
        outbox: BusOutbox,
        conversation: Conversation,
        harness: TurnProbe,
        *,
        changes_by_itself: bool,
    ) -> None:
        self.seq = 0
        self.tells_events = False  # to an agent that asked for them
        self.hit_by_fault: set[str] = set()  # calls: that a reply is missing may be intended
        self._plan = plan
        self._changes_by_itself = changes_by_itself
        self._outbox = outbox
        self._conversation = conversation
        self._harness = harness
        self._known_up_to_ns = -1  # session time up to which all events of the car are known
        self._unanswered: set[str] = set()
        self._commands: dict[str, SentCommand] = {}

    def parked(self, start: Snapshot) -> None:
        """The state of the car before the session."""
        self._outbox.stamper.saw(start.n)
        self.seq = start.seq

    @property
    def owes(self) -> bool:
        """Whether a call is still unanswered."""
        return bool(self._unanswered)

    def command(
        self, call: OpenCall, caused_ns: int, now: int, traceparent: str | None = None
    ) -> None:
        """Send a call; `caused_ns` is when what led to it came, which may have had to wait."""
        self._unanswered.add(call.call_id)
        self._commands[call.call_id] = SentCommand(wall_ns(), now, caused_ns)
        self._outbox.command(call.tool, call.call_id, call.arguments, call.turn, now, traceparent)

    async def catch_up(self, now: int, inbox: Inbox) -> list[ToAgent]:
        """Tell the car the time and wait for its events until then; returns those for the agent.

        Other arrivals stay in the inbox. Raises `SessionBroken` if virtual time cannot go on.
        """
        pace, for_agent, others = self._plan.pace, list[ToAgent](), list[Arrival]()
        self._outbox.clock(now, pace)
        if not self._changes_by_itself or pace == "live":
            return for_agent
        try:
            async with asyncio.timeout(WATCHDOG_S if pace == "virtual" else CATCH_UP_S):
                while self._known_up_to_ns < now:
                    arrival = await inbox.get()
                    if not isinstance(arrival.item, CarNews):
                        others.append(arrival)
                    elif self.is_news(arrival):
                        for_agent += self._on_event(arrival.item, now)
                    if isinstance(arrival.item, Gone):
                        break
        except TimeoutError as error:
            if pace == "virtual":
                raise SessionBroken(
                    f"the car did not answer the clock within {WATCHDOG_S:g} s"
                ) from error
            log.warning("car %s has not answered the clock", self._plan.vin)
        finally:
            inbox.put_back(others)
        return for_agent

    def is_news(self, arrival: Arrival) -> bool:
        """Whether a reply or event is still waited for; a fault may make the car repeat one."""
        match arrival.item:
            case Reply(call_id=call_id):
                return self._is_answer(call_id, arrival)
            case CarNews(kind, event):
                self._outbox.stamper.saw(event.n)
                self.seq = max(self.seq, arrival.seq)
                if kind == TIME:
                    self._known_up_to_ns = max(self._known_up_to_ns, event.t_ns)
                    return False
                if "call_id" not in event.detail:
                    return self.tells_events and kind != FAULT
                call_id = str(event.detail["call_id"])
                self.hit_by_fault.add(call_id)
                return event.detail.get("answered") is False and self._is_answer(call_id, arrival)
        return False

    def _is_answer(self, call_id: str, arrival: Arrival) -> bool:
        """Whether a call that is unanswered until now gets its reply, or will get none."""
        if call_id not in self._unanswered:
            return False
        self._unanswered.discard(call_id)
        self.seq = max(self.seq, arrival.seq)
        return True

    def take(self, arrival: Arrival, at_ns: int) -> None:
        """A reply or event that is news."""
        match arrival.item:
            case Reply() as reply:
                self._on_reply(reply, arrival.mono_ns, at_ns)
            case CarNews() as news:
                self._conversation.effects.extend(self._on_event(news, at_ns))

    def _on_reply(self, reply: Reply, arrived_ns: int, at_ns: int) -> None:
        command = self._commands.pop(reply.call_id, None)
        if command is not None:
            if reply.fault is None:
                self._harness.delayed("bus", arrived_ns - command.sent_mono_ns - reply.took_ns)
            planned_ns = reply.t_ns - command.sent_ns if self._plan.simulated else reply.took_ns
            self._harness.answered(at_ns - command.caused_ns - planned_ns)
        self._outbox.stamper.saw(reply.n)
        self._conversation.calls.reply(reply, at_ns)

    def _on_event(self, news: CarNews, at_ns: int) -> list[ToAgent]:
        """What the agent is sent of an event; nothing of a lost reply, whose call gets overdue."""
        detail = news.event.detail
        if "call_id" in detail:
            self._reply_lost(str(detail["call_id"]), news.event, at_ns)
            return []
        return [ToAgent(VehicleEvent(kind=news.kind, detail=detail, now_ns=at_ns))]

    def _reply_lost(self, call_id: str, event: CarEvent, at_ns: int) -> None:
        command = self._commands.pop(call_id, None)
        if command is not None:
            self._harness.answered(at_ns - command.caused_ns)
        revision = int(event.detail.get("revision_after") or 0)
        changed = revision > int(event.detail.get("revision_before") or 0)
        self._conversation.calls.reply_lost(call_id, revision, at_ns, changed=changed)
