"""How long the bus takes: a bare request, and a tool call of an agent with all that is between."""

import asyncio
from dataclasses import dataclass, field

from assistant_gateway.agents.agent import Agent, AgentMessage, Call
from assistant_gateway.agents.client import PacedAgent, serve_agent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from assistant_gateway.timing.timeline import wall_ns
from evaluator.measuring.rig.parked_car import parked_car, request_ns
from evaluator.problems import InfraProblem
from evaluator.run.units import Bench
from user_sim.driver import connect_driver
from user_sim.script import DriverBrief, Script
from user_sim.scripted import ScriptedDriver

WARM_UP = 50


async def round_trips_ns(up: Bench, requests: int) -> list[int]:
    """Requests of the cheapest tool, one after the other."""
    async with parked_car(up, "round-trips"):
        took_ns = [
            await request_ns(up, "round-trips", "get_car_color", {})
            for _ in range(WARM_UP + requests)
        ]
    return took_ns[WARM_UP:]


@dataclass(slots=True)
class StopwatchAgent(Agent):
    """Calls one tool after the other and notes how long each answer took to come back.

    Every other call changes the car, so that signals and a snapshot travel before the reply.
    """

    calls: int
    name: str = "stopwatch"
    took_ns: list[int] = field(default_factory=list)
    _asked_ns: int = 0

    def on_heard(self, text: str) -> AgentMessage:
        return self._ask()

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        self.took_ns.append(wall_ns() - self._asked_ns)
        return self._ask() if len(self.took_ns) < self.calls else AgentMessage("That was all.")

    def _ask(self) -> AgentMessage:
        number = len(self.took_ns)
        level = {"level": number // 2 % 6}
        call = Call("set_fan_speed", level) if number % 2 else Call("get_climate_settings")
        self._asked_ns = wall_ns()
        return AgentMessage(calls=(call,))


async def tool_calls_ns(up: Bench, calls: int) -> list[int]:
    """From the agent over its socket, gateway and bus to the car, and all the way back."""
    vin, agent = "tool-calls", StopwatchAgent(WARM_UP + calls)
    url, tokens = up.gateway.url, up.gateway.tokens
    agents = {vin: PacedAgent(agent, LatencyModel(latency_profile("zero"), vin))}
    up.gateway.announce(SessionPlan(vin, vin, pace="fast", max_steps=agent.calls + 1))
    driver = ScriptedDriver(DriverBrief(instruction="", script=Script(opening="Go on, please.")))
    async with parked_car(up, vin), asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(
            serve_agent(url, tokens.agent, agents.__getitem__), name="stopwatch agent"
        )
        async with connect_driver(url, tokens.user) as connected:
            reason = await connected.drive(vin, driver)
        await up.gateway.result(vin)
        serving.cancel()
    if len(agent.took_ns) < agent.calls:
        raise InfraProblem(f"only {len(agent.took_ns)} of {agent.calls} calls came back ({reason})")
    return agent.took_ns[WARM_UP:]
