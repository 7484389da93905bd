"""Small talk to measure with: a driver who asks the same again and again, and how it went."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant_gateway.agents.agent import Agent, AgentMessage, Call
from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import GO_ON, Pace
from assistant_gateway.timing.latency import LatencyModel, LatencyProfile
from assistant_gateway.timing.timeline import MS
from evaluator.measuring.rig.parked_car import parked_car
from evaluator.problems import InfraProblem
from evaluator.record.record import Record
from evaluator.run.units import Bench, DrivesSessions
from evaluator.scoring.conversation_end import STOP
from user_sim.driver import Driver
from user_sim.scripted import Decision
from user_sim.wants import CarCall

ANSWER = "Everything is as it should be."


@dataclass(slots=True)
class RepeatingDriver(Driver):
    """Asks how the car is until it has had its turns."""

    turns_left: int

    def opening(self) -> str:
        return "How is the car?"

    def after_turn(self, heard: str, confirmed: Sequence[CarCall] = ()) -> Decision:
        self.turns_left -= 1
        if not self.turns_left:
            return Decision(STOP, None, "that was all")
        return Decision(GO_ON, self.opening(), "")

    def after_silence(self) -> Decision:
        return self.after_turn("")


class ConstantAgent(Agent):
    """An assistant that always answers the same."""

    name = "constant"

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage(ANSWER)

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        return None


class FixedLatency(LatencyModel):
    """A model that takes the same time for every answer but, perhaps, its first."""

    def __init__(self, delay_ms: float, first_ms: float, seed: str) -> None:
        super().__init__(LatencyProfile(source="bench", shift_ms=delay_ms, session_sigma=0.0), seed)
        self._first_ns: int | None = round(first_ms * MS)

    def first_token_ns(self) -> int:
        usual_ns = super().first_token_ns()
        delay_ns, self._first_ns = self._first_ns, None
        return usual_ns if delay_ns is None else delay_ns


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Who plays sessions of small talk: how long and with what delays stands in their ids."""

    def prepare(self) -> None:
        """Nothing to load."""

    def agent(self, sid: str) -> PacedAgent:
        delay_ms, first_ms = sid.split("-")[1:3]
        return PacedAgent(ConstantAgent(), FixedLatency(float(delay_ms), float(first_ms), sid))

    def driver(self, sid: str) -> Driver:
        return RepeatingDriver(int(sid.split("-")[3]))


def small_talk_id(
    delay_ms: int, turns: int, number: int | str, *, first_ms: float | None = None
) -> str:
    """The id of a session of small talk: so many turns, each answered after exactly the delay.

    The first one may be answered after another delay.
    """
    return f"talk-{delay_ms}-{delay_ms if first_ms is None else first_ms}-{turns}-{number}"


async def play_small_talk(
    up: Bench,
    sid: str,
    turns: int,
    connected: DrivesSessions,
    *,
    pace: Pace = "fast",
    plan: SessionPlan | None = None,
) -> Record:
    """One session of small talk with a parked car; its record, complete."""
    up.recorder.expect(sid)
    up.gateway.announce(plan or SessionPlan(sid, sid, pace=pace, max_steps=turns))
    try:
        async with parked_car(up, sid):
            await connected.drive(sid, RepeatingDriver(turns))
            result = await up.gateway.result(sid)
            record = await up.recorder.finished(sid)
    finally:
        up.recorder.forget(sid)
    if len(record.turns) < turns or result.infra:
        heard = f"{len(record.turns)} of {turns} turns were played"
        raise InfraProblem(f"{heard} ({result.infra or result.reason})")
    return record


def first_words_ns(record: Record) -> list[int]:
    """From the final transcript to the first word of the answer, turn by turn."""
    spans = (turn.spans.get("ttft_text") for turn in record.turns)
    return [span for span in spans if span is not None]
