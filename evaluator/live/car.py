"""A car to talk to, and the faults and events that can be caused in it."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from evaluator.live.conversation import SEEN_WITHIN_S, Conversations
from evaluator.live.expectations import Expectations, check_tool
from evaluator.live.observer import Observer
from evaluator.live.reply import Reply
from evaluator.live.wording import LAST_TURNS
from evaluator.record.record import Record, State
from evaluator.run.servers import Servers
from vehicle_bus.car.fault import Fault, FaultKind
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import CarEvent
from vehicle_bus.host.fault_plan import FaultPlan
from vehicle_bus.tools import BY_NAME
from vehicle_bus.validation_problem import first_problem

UNABLE = "the car cannot do that right now"


class FaultyCar(ABC):
    """A car whose calls can be made to fail from now on."""

    @abstractmethod
    def change_faults(self, change: Callable[[FaultPlan], None]) -> None:
        """Change the plan of the car's faults, in the thread that it belongs to."""

    def refuse(self, tool: str, reason: str | None = None, *, times: int | None = None) -> None:
        """The next calls of a tool do nothing and fail; without `times`, all of them."""
        self._plan(Fault(kind="refusal", tool=tool, times=times, text=reason or UNABLE))

    def lose_reply(self, tool: str, *, times: int | None = None) -> None:
        """The next calls of a tool are carried out, and nobody hears the answer."""
        self._plan(Fault(kind="loss", tool=tool, times=times))

    def delay_reply(self, tool: str, delay_ms: int, *, times: int | None = None) -> None:
        """The next calls of a tool are carried out at once and answered late."""
        self._plan(Fault(kind="delay", tool=tool, times=times, delay_ms=delay_ms))

    def heal(self) -> None:
        """No more faults."""
        self.change_faults(FaultPlan.clear)

    def _plan(self, fault: Fault) -> None:
        """A newer fault of a tool replaces an older one."""
        check_tool(fault.tool)

        def change(faults: FaultPlan) -> None:
            faults.forget(fault.tool)
            faults.plan(fault)

        self.change_faults(change)


class LiveCar(FaultyCar, Expectations):
    """On the bus for as long as the block of `live_car` runs."""

    def __init__(self, servers: Servers, observer: Observer, conversations: Conversations) -> None:
        super().__init__(observer, servers.cars.vehicle(observer.vin).snapshot())
        self.servers = servers
        self.vin = observer.vin
        self._conversations = conversations

    @property
    def time(self) -> tuple[int, float] | None:
        """The car's own time in ns, and its speed factor while it drives (else 1).

        None once the car has left the bus.
        """
        cars = self.servers.cars
        if self.vin not in cars.vins():
            return None
        return cars.now_ns(self.vin), cars.vehicle(self.vin).driving_rate

    async def begin_speech(self) -> None:
        """Begin to speak before the words are known; `say` brings them.

        Raises `ConversationBroken`.
        """
        await self._conversations.begin_speech()

    async def say(self, text: str, ended_ns: int | None = None) -> Reply:
        """Speak as the driver and listen until the car has answered.

        What was begun before ended at `ended_ns` of the wall clock, if not now.

        The first word opens a conversation, and so does the next one after its end. Raises
        `ConversationBroken` if it broke down on the way.
        """
        reply = await self._conversations.say(text, tuple(self.turns), ended_ns)
        self.turns.append(reply.lines)
        del self.turns[:-LAST_TURNS]
        return reply

    async def interrupt(self) -> None:
        """Speak over the assistant while another task awaits `say`, which then returns.

        The assistant is cut off now: its reply is what was heard so far. `say` says the words.
        """
        await self._conversations.interrupt()

    async def new_conversation(self) -> None:
        """Hang up; the next words go to an assistant that remembers nothing."""
        await self._conversations.close()

    async def end_conversation(self, word: str, reason: str = "") -> None:
        """End the conversation with a control word, such as STOP, which is a verdict on it."""
        await self._conversations.end(word, reason)

    def start_time(self) -> None:
        """Let the time of a car that waits run by the wall clock."""
        self.servers.cars.start_time(self.vin)

    def stop_time(self) -> None:
        """Let its time stand still; not within a turn, which has a time of its own."""
        self.servers.cars.stop_time(self.vin)

    def go_on(self) -> None:
        """Let its time run on from where it stopped."""
        self.servers.cars.go_on(self.vin)

    async def event(self, kind: str, *, sets: State | None = None, **detail: Any) -> None:
        """Cause an event; returns when it was seen on the bus.

        `sets` are values that it changes in the car, such as a knob that a passenger turns.
        """
        mark = self.observer.mark

        def published(seen: Record) -> CarEvent | None:
            for entry in seen.entries:
                if entry.rest == f"event/{kind}":
                    return entry.read(CarEvent)
            return None

        await self.servers.cars.happen(self.vin, kind, sets or {}, detail)
        async with asyncio.timeout(SEEN_WITHIN_S):
            await self.observer.until(published, mark)

    async def let_drive(self, on: bool, speed_factor: float = 1.0) -> None:
        """From now on the car drives along its trip, so many times as far, or brakes and stands."""
        await self.servers.cars.let_drive(self.vin, on, speed_factor)

    def change_faults(self, change: Callable[[FaultPlan], None]) -> None:
        change(self.servers.cars.faults(self.vin))

    async def fault(self, kind: FaultKind, **fields: Any) -> None:
        """Plan any fault that a task can have, with the same fields; once, by default.

        Earlier plans come first, and `at_s` counts from now. Raises `ValueError`
        for an unknown fault.
        """
        await self.plan_fault(one_fault(kind, **fields))

    async def clear_faults(self) -> None:
        """No more faults, as `heal`; an offline car is back when this returns."""
        await self.servers.cars.clear_faults(self.vin)

    async def plan_fault(self, fault: Fault) -> None:
        """Plan a fault; its `at_s` counts from now."""
        await self.servers.cars.plan(self.vin, fault)


def one_fault(kind: str, **fields: Any) -> Fault:
    """A fault as a task may have it; raises `ValueError` with what is wrong, in one line.

    `LookupError` for a tool that no car has.
    """
    try:
        fault = CarSetup.model_validate({"faults": [{"kind": kind, **fields}]}).faults[0]
    except ValidationError as error:
        raise ValueError(f"no such fault: {first_problem(error, skip=2)}") from None
    if not any(re.fullmatch(fault.tool, tool) for tool in BY_NAME):
        check_tool(fault.tool)
    return fault
