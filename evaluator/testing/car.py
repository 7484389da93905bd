"""The car of a test: its actions can be awaited, or waited for without an event loop."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from anyio.from_thread import BlockingPortal

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.server import NoAgent
from evaluator.live import LiveBench, LiveCar, Reply
from evaluator.live.car import FaultyCar
from evaluator.live.conversation import GatewayGone
from evaluator.live.expectations import Expectations
from evaluator.live.wording import conversation_lines
from evaluator.problems import Problem, first_cause
from evaluator.record.record import Call
from evaluator.testing.benches import Benches, for_one_test
from evaluator.testing.blocking_contexts import Held, Pending, held, start
from evaluator.testing.requested_car import RequestedCar
from vehicle_bus.bus import BusError
from vehicle_bus.car.fault import FaultKind
from vehicle_bus.host.fault_plan import FaultPlan

Result = TypeVar("Result")


class Car(FaultyCar, Expectations):
    """The fixture `car`: like a `LiveCar`, from any thread and any event loop."""

    def __init__(self, live: LiveCar, portal: BlockingPortal, bench: Held[LiveBench]) -> None:
        super().__init__(live.observer, live.at_start, live.turns)
        self.vin = live.vin
        self._live = live
        self._portal = portal
        self._bench = bench
        self._pending: list[Pending[Any]] = []

    def say(self, text: str) -> Pending[Reply]:
        """Speak as the driver; await the reply, or call `.wait()` where there is no event loop."""
        return self._start(f"car.say({text!r})", lambda: self._live.say(text))

    def new_conversation(self) -> Pending[None]:
        """Hang up; the next words go to an assistant that remembers nothing."""
        return self._start("car.new_conversation()", self._live.new_conversation)

    def event(
        self, kind: str, *, sets: dict[str, Any] | None = None, **detail: Any
    ) -> Pending[None]:
        """Cause an event, and change the values that it `sets` in the car."""
        what = f"car.event({kind!r})"
        return self._start(what, lambda: self._live.event(kind, sets=sets, **detail))

    def change_faults(self, change: Callable[[FaultPlan], None]) -> None:
        self._portal.call(self._live.change_faults, change)

    def fault(self, kind: FaultKind, **fields: Any) -> None:
        """Plan any fault that a task can have, with the same fields; once, by default.

        Raises `ValueError` for an unknown fault.
        """
        self._portal.call(lambda: self._live.fault(kind, **fields))

    @property
    def calls(self) -> tuple[Call, ...]:
        """All commands to the car, from any sender, each with its reply."""
        self.check_awaited()
        return super().calls

    def signal(self, name: str) -> Any:
        """The value of a signal now: as the car has it by short name, as VSS has it by path."""
        self.check_awaited()
        return super().signal(name)

    @property
    def story(self) -> list[str]:
        """The last turns, for a test that failed."""
        return conversation_lines(self.turns) if self.turns else []

    def check_awaited(self) -> None:
        """Fail if an action was never awaited: it would make every expectation meaningless."""
        for pending in self._pending:
            if not pending.awaited:
                pending.awaited = True  # reported once is enough
                pytest.fail(
                    f"{pending.what} was never awaited; write `await {pending.what}`, or "
                    f"`{pending.what}.wait()` in a test that is not async",
                    pytrace=False,
                )

    def stop(self) -> None:
        """Cancel all unfinished actions."""
        for pending in self._pending:
            pending.stop()

    def _start(self, what: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> Pending[Result]:
        async def watched() -> Result:
            try:
                return await work()
            except GatewayGone as error:
                raise (await self._bench.breaking()) or error from None

        pending = start(self._portal, what, watched)
        self._pending.append(pending)
        return pending


@contextmanager
def placed_car(benches: Benches, wanted: RequestedCar) -> Iterator[Car]:
    """A car for one test. A problem outside the test fails it in one line."""
    try:
        bench = benches.bench(wanted)
    except Exception as error:
        cause = first_cause(error)
        if isinstance(cause, Problem | BusError | NoAgent | ModelUnusable | OSError):
            raise pytest.fail.Exception(str(cause), pytrace=False) from None
        raise
    opened = for_one_test(bench.value, wanted.settings).car(wanted.car)
    try:
        with held(benches.portal, opened) as placed:
            car = Car(placed.value, benches.portal, bench)
            try:
                yield car
                car.check_awaited()
            finally:
                car.stop()
    except Exception:  # a bench that broke down is the cause of any error
        reported, broken = bench.reported, bench.broken
        if broken is None:
            raise
        if not reported:
            raise broken from None
