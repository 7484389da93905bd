"""How many sessions can be open at once, and what memory each of them needs."""

import asyncio
from dataclasses import dataclass

from assistant_gateway.conversation.session_plan import SessionPlan
from evaluator.measuring.rig.memory import resident_mb, room_for
from evaluator.measuring.rig.parked_car import parked_car
from evaluator.measuring.rig.players import RemoteDrivers, remote_players
from evaluator.measuring.rig.small_talk import RepeatingDriver, SmallTalk, small_talk_id
from evaluator.problems import InfraProblem
from evaluator.run.units import Bench, RunSettings, bench
from user_sim.driver import Driver
from vehicle_bus.world.world import World

WATCHED_S = 1.0
OPENED_WITHIN_S = 60.0
LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Idle:
    """Sessions that were open at the same time, and the memory of gateway, car, bus and record."""

    sessions: int
    kb_per_session: float | None


class SilentDriver(RepeatingDriver):
    """Opens a session and says nothing."""

    async def _never(self) -> str:
        await asyncio.Event().wait()
        raise AssertionError("nothing ends its silence")

    def opening(self) -> "asyncio.Future[str] | str":  # type: ignore[override]  # never a word
        return asyncio.ensure_future(self._never())


@dataclass(frozen=True, slots=True)
class SilentPlayers(SmallTalk):
    """Sessions in which nobody says anything."""

    def driver(self, sid: str) -> Driver:
        return SilentDriver(1)


async def idle(settings: RunSettings, world: World, sessions: int) -> Idle:
    """Open so many sessions, a car, an agent and a driver each, and look whether they stay."""
    room_for(2 * sessions)
    async with (
        bench(settings, world) as up,
        remote_players(up, SilentPlayers(), sessions) as drivers,
    ):
        before_mb = resident_mb()
        async with asyncio.TaskGroup() as tasks:
            opened = [
                tasks.create_task(
                    _open(up, small_talk_id(0, 1, number), drivers), name=f"session {number}"
                )
                for number in range(sessions)
            ]
            await _all_open(up, sessions)
            await asyncio.sleep(WATCHED_S)
            stayed, after_mb = up.gateway.sessions, resident_mb()
            for session in opened:
                session.cancel()
    if stayed < sessions:
        raise InfraProblem(f"only {stayed} of {sessions} idle sessions stayed open")
    if before_mb is None or after_mb is None:
        return Idle(stayed, None)
    return Idle(stayed, round((after_mb - before_mb) * 1000 / sessions, 1))


async def _open(up: Bench, sid: str, drivers: RemoteDrivers) -> None:
    up.recorder.expect(sid)
    up.gateway.announce(SessionPlan(sid, sid, pace="live"))
    async with parked_car(up, sid):
        await drivers.drive(sid)


async def _all_open(up: Bench, sessions: int) -> None:
    try:
        async with asyncio.timeout(OPENED_WITHIN_S):
            while up.gateway.sessions < sessions:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError as error:
        raise InfraProblem(
            f"{up.gateway.sessions} of {sessions} sessions opened in {OPENED_WITHIN_S:g} s"
        ) from error
