"""Whole conversations as records, without sockets: written line by line, or played by an agent."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from assistant_gateway.agents.agent import Agent, AgentMessage, Call
from assistant_gateway.protocol import ResponseDone, ResponseTextDelta, SessionStart, ToolCall
from evaluator.record.record import Record
from evaluator.reference.driver_brief import driver_brief
from evaluator.task.task import Task
from tests.evaluator.episodes import Episode, task
from tests.vehicle_bus.cars import WORLD
from user_sim.scripted import ScriptedDriver
from vehicle_bus.car.state import CarSetup
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

CarAnswer = Mapping[str, Any]
TURNS = 12


class ScriptedCar(Vehicle):
    """A car some of whose answers are given instead of computed."""

    def __init__(self, setup: CarSetup, world: World) -> None:
        super().__init__(setup, world)
        self._next_answer: CarAnswer | None = None

    def answer_next(self, answer: CarAnswer) -> None:
        self._next_answer = answer

    def handle(self, tool: str, command: Command) -> Answer:
        given, self._next_answer = self._next_answer, None
        if given is None or not ({"answers", "fails"} & given.keys()):
            return super().handle(tool, command)
        before, revision = self.state, self.revision
        self._car.set(**given.get("sets", {}))
        self.revision += self.state != before
        changed = (("Vehicle", True),) if self.revision > revision else ()
        if "fails" in given:
            output = json.dumps({"status": "FAILURE", "errors": given["fails"]})
            [key] = given["fails"]
            return Answer("FAILURE", output, None, key, True, changed, revision, self.revision)
        output = json.dumps({"status": "SUCCESS", "result": given["answers"]})
        return Answer("SUCCESS", output, None, None, False, changed, revision, self.revision)


class Story(Episode):
    """An episode with the frames of both sides, as the gateway would have logged them."""

    def __init__(self, played: Task | None = None, world: World = WORLD) -> None:
        super().__init__(played)
        self.vehicle: ScriptedCar = ScriptedCar(self.task.car, world)
        self.outputs: list[str] = []
        self.placed = False
        self.heard: list[str] = []

    def driver(self, text: str) -> "Story":
        self.said("driver", text)
        return self

    def agent(
        self,
        text: str = "",
        *calls: Call,
        car_answers: Sequence[CarAnswer] = (),
        spoken: bool = True,
    ) -> "Story":
        """One message; without calls it hands the floor to the driver.

        `car_answers` holds the car's answer to each call, `spoken` is whether the
        driver heard text beside calls.
        """
        self.heard += [text] if spoken else []
        words = [ResponseTextDelta(delta=text)] if text else []
        asked = [ToolCall(name=call.name, arguments=call.arguments) for call in calls]
        self.frames(*words, *asked, ResponseDone())
        self.outputs = []
        for number, call in enumerate(calls):
            if car_answers:
                self.vehicle.answer_next(car_answers[number])
            self.call(call.name, **call.arguments)
            reply = self.record.calls[-1].reply
            assert reply is not None
            self.outputs.append(reply.output)
            self.placed |= call.name == "call_phone_by_number" and reply.status == "SUCCESS"
        if not calls:
            self.turn(heard=" ".join(self.heard))
            self.heard = []
        return self


def task_of(line: Mapping[str, Any]) -> Task:
    made = task(**line.get("start", {}))
    car = made.car.model_copy(
        update={"calendar_id": "cal_5201", **line.get("task", {}).get("car", {})}
    )
    return made.model_copy(update={"car": car})


def record_of(played: Task, lines: Sequence[Mapping[str, Any]], word: str = "STOP") -> Record:
    """The record of a conversation written down line by line.

    A line is what the `driver` said, or a message of the `agent` with its `calls`, each
    a tool's name or `{tool: arguments}`, beside it what the car `answers` or how it `fails`, and
    what the call `sets`, unless the car computes them.
    """
    story = Story(played)
    for line in lines:
        if "driver" in line:
            story.driver(str(line["driver"]))
            continue
        calls = [_call(entry) for entry in line.get("calls", ())]
        story.agent(
            line.get("agent", ""),
            *(call for call, _ in calls),
            car_answers=[answer for _, answer in calls],
            spoken=line.get("spoken", True),
        )
    return story.end(word).record


def _call(entry: str | Mapping[str, Any]) -> tuple[Call, CarAnswer]:
    if isinstance(entry, str):
        return Call(entry), {}
    answer = {name: entry[name] for name in ("answers", "fails", "sets") if name in entry}
    [name] = entry.keys() - answer.keys()
    return Call(name, entry[name]), answer


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def played(task: Task, world: World, agent: Agent) -> Record:
    """What the bus would have carried had this agent talked with the scripted driver of a task."""
    story, driver = Story(task, world), ScriptedDriver(driver_brief(task, world))
    agent.begin(SessionStart(instructions="", tools=story.vehicle.declarations()), "s-1")
    said: str | None = driver.opening()
    for _ in range(TURNS):
        assert said is not None
        seen = len(story.record.calls)
        heard = _turn(story, agent, said)
        if story.placed:
            return story.turn(handed_over=False).end("call_placed").record
        made = story.record.calls[seen:]
        confirmed = [(call.tool, call.arguments) for call in made if call.succeeded]
        decision = driver.after_turn(heard, confirmed)
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
