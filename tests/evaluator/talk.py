"""A whole conversation without sockets: car, scripted driver and agent, one step at a time."""

from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.agents.agent import Agent, AgentMessage, Call
from assistant_gateway.protocol import SessionStart
from evaluator.reference.driver_brief import driver_brief
from evaluator.scoring.expected import required_tools
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Task
from user_sim.scripted import ScriptedDriver
from user_sim.wants import CarCall
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

TURNS = 12
ENDED_WELL = ("STOP", "ASSISTANT_ACKNOWLEDGED_REMOVED_PART", "call_placed")


@dataclass
class Talk:
    """States at hand-overs, calls with their answers, what was said and how it ended."""

    states: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[Call, Answer]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    turns: int = 0
    ending: str = "too many turns"
    final: dict[str, Any] = field(default_factory=dict)

    def failures(self, task: Task, world: World) -> list[str]:
        """The reward components that are not 1."""
        failed = []
        if self.ending not in ENDED_WELL:
            failed.append(f"ended with {self.ending}")
        if any(answer.logged or answer.status == "REMOVED" for _, answer in self.calls):
            failed.append("a call was refused")
        if task.car.removed:
            return failed
        expected = expected_course(task, world).snapshots
        if self.final != expected[-1]:
            failed.append("end state")
        if any(state not in expected for state in self.states):
            failed.append("intermediate state")
        missing = required_tools(task) - {call.name for call, _ in self.calls}
        return failed + [f"never called {name}" for name in sorted(missing)]


def talk(task: Task, world: World, agent: Agent) -> Talk:
    vehicle, record = Vehicle(task.car, world), Talk()
    driver = ScriptedDriver(driver_brief(task, world))
    agent.begin(SessionStart(instructions="", tools=vehicle.declarations()), task.task_id)
    said: str | None = driver.opening()
    while said is not None and record.turns < TURNS:
        record.turns += 1
        before = len(record.calls)
        record.said.append(f"driver: {said}")
        heard = _turn(vehicle, agent, said, record)
        if record.ending == "call_placed":
            break
        record.states.append(vehicle.snapshot())
        record.said.append(f"agent: {heard}")
        decision = driver.after_turn(heard, _confirmed(record.calls[before:]))
        said = decision.say
        if said is None:
            record.ending = decision.word
    record.final = vehicle.snapshot()
    return record


def _confirmed(calls: list[tuple[Call, Answer]]) -> list[CarCall]:
    return [(call.name, call.arguments) for call, answer in calls if answer.status == "SUCCESS"]


def _turn(vehicle: Vehicle, agent: Agent, said: str, record: Talk) -> str:
    heard: list[str] = []
    message: AgentMessage | None = agent.on_heard(said)
    while message is not None:
        heard.append(message.text)
        if not message.calls:
            break
        results = tuple((call, _run(vehicle, call, record)) for call in message.calls)
        if record.ending == "call_placed":
            break
        message = agent.on_results(results)
    return " ".join(filter(None, heard))


def _run(vehicle: Vehicle, call: Call, record: Talk) -> str:
    command = Command(call_id=str(len(record.calls)), arguments=call.arguments)
    answer = vehicle.handle(call.name, command)
    record.calls.append((call, answer))
    if call.name == "call_phone_by_number" and answer.status == "SUCCESS":
        record.ending = "call_placed"
    return answer.output
