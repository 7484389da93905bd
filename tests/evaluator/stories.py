"""Whole conversations as records, without sockets: told line by line, or played by an agent."""

from typing import Any

from assistant_gateway.agents.agent import Agent, AgentMessage, Call
from assistant_gateway.protocol import SessionStart
from evaluator.record import Record
from evaluator.task import Task
from tests.evaluator.episodes import Episode
from tests.vehicle_bus.cars import WORLD
from user_sim.scripted import ScriptedDriver
from vehicle_bus.contract import Frames
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world import World

TURNS = 12


class Story(Episode):
    """An episode with the frames of both sides, as the gateway would have logged them."""

    def __init__(self, played: Task | None = None, world: World = WORLD) -> None:
        super().__init__(played)
        self.vehicle = Vehicle(self.task.car, world)
        self.outputs: list[str] = []
        self.placed = False

    def driver(self, text: str) -> "Story":
        self.said("driver", text)
        return self

    def agent(self, text: str = "", *calls: Call) -> "Story":
        """One message; without calls it hands the floor to the driver."""
        frames: list[dict[str, Any]] = []
        if text:
            frames.append({"type": "response.text.delta", "data": {"delta": text}})
        for number, call in enumerate(calls):
            data = {"name": call.name, "arguments": call.arguments}
            frames.append({"type": "tool.call", "cid": f"t{number}", "data": data})
        frames.append({"type": "response.done", "data": {}})
        stamped = [{**frame, "t_ns": self.now_ns} for frame in frames]
        self._session("frame", Frames, frames=stamped)
        self.outputs = []
        for call in calls:
            self.call(call.name, **call.arguments)
            reply = self.record.calls[-1].reply
            assert reply is not None
            self.outputs.append(reply.output)
            self.placed |= call.name == "call_phone_by_number" and reply.status == "SUCCESS"
        if not calls:
            self.turn()
        return self


def played(task: Task, world: World, agent: Agent) -> Record:
    """What the bus would have carried had this agent talked with the scripted driver of a task."""
    story, driver = Story(task, world), ScriptedDriver(task.driver)
    agent.begin(SessionStart(instructions="", tools=story.vehicle.declarations()), "s-1")
    said: str | None = driver.opening()
    for _ in range(TURNS):
        assert said is not None
        heard = _turn(story, agent, said)
        if story.placed:
            return story.turn(handed_over=False).end("call_placed").record
        decision = driver.after_turn(heard)
        if decision.say is None:
            return story.end(decision.word).record
        said = decision.say
    return story.end("step_limit").record


def _turn(story: Story, agent: Agent, said: str) -> str:
    story.driver(said)
    heard: list[str] = []
    message: AgentMessage | None = agent.on_heard(said)
    while message is not None:
        heard.append(message.text)
        story.agent(message.text, *message.calls)
        if not message.calls or story.placed:
            break
        results = tuple(zip(message.calls, story.outputs, strict=True))
        message = agent.on_results(results)
    return " ".join(filter(None, heard))
