"""What a session knows of its car: calls it owes an answer to, what came about, and until when."""

import asyncio
import logging
from collections import deque
from typing import NamedTuple

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import OpenCall, ToAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import VehicleEvent
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.measurement_error import TurnProbe
from assistant_gateway.session.peer_link import Arrival, CarNews, Gone
from assistant_gateway.session.result import SessionBroken
from assistant_gateway.timing.timeline import wall_ns
from vehicle_bus.contract import TIME, CarEvent, Reply, Snapshot

log = logging.getLogger(__name__)

WATCHDOG_S = 60.0
CATCH_UP_S = 1.0
FAULT = "fault"


class Commanded(NamedTuple):
    """A command on its way: its wall stamp, when it was sent, and when what led to it came."""

    sent_mono_ns: int
    sent_ns: int
    caused_ns: int


class CarLink:
    """Commands go out through `outbox`, what comes of them to `conversation`."""

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
        self.befallen: set[str] = set()  # calls that a fault struck: what they lack is intended
        self._plan = plan
        self._changes_by_itself = changes_by_itself
        self._outbox = outbox
        self._conversation = conversation
        self._harness = harness
        self._told_up_to_ns = -1
        self._owed: set[str] = set()
        self._commands: dict[str, Commanded] = {}

    def parked(self, start: Snapshot) -> None:
        """How it stands before the session."""
        self._outbox.stamper.saw(start.n)
        self.seq = start.seq

    @property
    def owes(self) -> bool:
        """Whether a call is still unanswered."""
        return bool(self._owed)

    def run(self, call: OpenCall, caused_ns: int, now: int) -> None:
        """Command it; `caused_ns` is when what led to it came, which may have had to wait."""
        self._owed.add(call.call_id)
        self._commands[call.call_id] = Commanded(wall_ns(), now, caused_ns)
        self._outbox.command(call.tool, call.call_id, call.arguments, call.turn, now)

    async def catch_up(
        self, now: int, inbox: asyncio.Queue[Arrival], held: deque[Arrival]
    ) -> list[CarNews]:
        """Tell it the time; returns the news of it when all is known that happened until then.

        What else arrives meanwhile is `held`. Raises `SessionBroken` if virtual time cannot go on.
        """
        pace, news = self._plan.pace, list[CarNews]()
        self._outbox.clock(now, pace)
        if not self._changes_by_itself or pace == "live":
            return news
        try:
            async with asyncio.timeout(WATCHDOG_S if pace == "virtual" else CATCH_UP_S):
                while self._told_up_to_ns < now:
                    arrival = await inbox.get()
                    if not isinstance(arrival.item, CarNews):
                        held.append(arrival)
                    elif self.is_news(arrival):
                        if "call_id" in arrival.item.event.detail:
                            self.will_not_reply(arrival.item.event, now)
                        else:
                            news.append(arrival.item)
                    if isinstance(arrival.item, Gone):
                        break
        except TimeoutError as error:
            if pace == "virtual":
                raise SessionBroken("the car does not say what has happened in it") from error
            log.warning("car %s was told the time and has not answered", self._plan.vin)
        return news

    def is_news(self, arrival: Arrival) -> bool:
        """Whether something is still waited for; a fault may make the car say a thing twice."""
        match arrival.item:
            case Reply(call_id=call_id) if call_id in self._owed:
                self._answered(call_id, arrival)
            case Reply():
                return False
            case CarNews() as occurrence:
                return self._tells_something(occurrence, arrival)
        return True

    def _tells_something(self, occurrence: CarNews, arrival: Arrival) -> bool:
        """Whether a call will stay unanswered or the agent is to hear of it; others only count."""
        kind, event = occurrence.kind, occurrence.event
        self._outbox.stamper.saw(event.n)
        self.seq = max(self.seq, arrival.seq)
        if kind == TIME:
            self._told_up_to_ns = max(self._told_up_to_ns, event.t_ns)
            return False
        if "call_id" not in event.detail:
            return self.tells_events and kind != FAULT
        call_id = str(event.detail["call_id"])
        self.befallen.add(call_id)
        if event.detail.get("answered") is not False:
            return False
        awaited = call_id in self._owed
        self._answered(call_id, arrival)
        return awaited

    def _answered(self, call_id: str, arrival: Arrival) -> None:
        self._owed.discard(call_id)
        self.seq = max(self.seq, arrival.seq)

    def replied(self, reply: Reply, arrived_ns: int, at_ns: int) -> None:
        """The answer to a call; `arrived_ns` is a wall stamp."""
        command = self._commands.pop(reply.call_id, None)
        if command is not None:
            if reply.fault is None:
                self._harness.carried(arrived_ns - command.sent_mono_ns - reply.took_ns)
            planned_ns = reply.t_ns - command.sent_ns if self._plan.simulated else reply.took_ns
            self._harness.answered(at_ns - command.caused_ns - planned_ns)
        self._outbox.stamper.saw(reply.n)
        self._conversation.calls.reply(reply, at_ns)

    def will_not_reply(self, event: CarEvent, at_ns: int) -> None:
        """A fault took the answer to a call; what the call changed is told instead."""
        detail = event.detail
        call_id, revision = (
            str(detail["call_id"]),
            int(detail.get("revision_after") or 0),
        )
        command = self._commands.pop(call_id, None)
        if command is not None:
            self._harness.answered(at_ns - command.caused_ns)
        changed = revision > int(detail.get("revision_before") or 0)
        self._conversation.calls.reply_lost(call_id, revision, at_ns, changed=changed)


def as_vehicle_event(occurrence: CarNews, now: int) -> ToAgent:
    """What the agent hears of it."""
    return ToAgent(VehicleEvent(kind=occurrence.kind, detail=occurrence.event.detail, now_ns=now))
