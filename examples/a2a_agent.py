"""A whole assistant behind the Agent2Agent protocol, as the public car-bench agents are.

    pip install '.[a2a]'
    python examples/a2a_agent.py --port 9009
    codriver run --agent a2a:http://127.0.0.1:9009          # in another terminal

It decides by the rules that ship with codriver; `decide` is the one place to put a model in.
"""

import argparse
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from a2a.helpers.proto_helpers import (
    get_data_parts,
    get_text_parts,
    new_data_part,
    new_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.transcript import Answered, Heard, Line

KEPT_TALKS = 200  # nobody says when a conversation is over; those longest unheard of are forgotten
KEPT_OPEN_S = 75  # a connection that is closed while a driver speaks may lose what he says next

# What this turn took. Rules ask no model; yours tells what its provider says.
TURN_METRICS = {
    "model": "rules", "num_llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0,
}  # fmt: skip


@dataclass
class Talk:
    """One conversation: the rules of the car, its tools, and what was said and done so far."""

    instructions: str = ""
    tools: list[dict[str, Any]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """The first words of the driver stand behind the rules of the car."""
        if text.startswith("System: ") and not self.lines:
            rules, _, text = text.removeprefix("System: ").rpartition("\n\nUser: ")
            self.instructions = rules
        self.lines.append(Heard(text))

    def learn(self, data: dict[str, Any]) -> None:
        """What the car offers, or what the calls of the last message came to, in their order."""
        self.tools = data.get("tools", self.tools)
        if "tool_results" in data:
            outputs = [result["content"] for result in data["tool_results"]]
            called = self.lines[-1].calls if isinstance(self.lines[-1], AgentMessage) else ()
            self.lines.append(Answered(tuple(zip(called, outputs, strict=True))))

    def decide(self) -> AgentMessage:
        message = respond(tuple(self.lines), self.tools, self.instructions)
        self.lines.append(message)
        return message


class Assistant(AgentExecutor):
    """Keeps one `Talk` per context, the newest last."""

    def __init__(self) -> None:
        self.talks: dict[str, Talk] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        assert context.context_id is not None
        talk = self.talks.pop(context.context_id, None) or Talk()
        self.talks[context.context_id] = talk
        if len(self.talks) > KEPT_TALKS:
            del self.talks[next(iter(self.talks))]
        for data in get_data_parts(context.message.parts):
            talk.learn(data)
        for text in get_text_parts(context.message.parts):
            talk.hear(text)
        message = talk.decide()
        parts = [new_text_part(message.text)] if message.text else []
        if message.calls:
            parts.append(new_data_part({"tool_calls": [as_json(call) for call in message.calls]}))
        reply = new_message(parts, context_id=context.context_id)
        if not message.calls:
            reply.metadata.update({"turn_metrics": TURN_METRICS})
        await event_queue.enqueue_event(reply)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.talks.pop(context.context_id or "", None)


def as_json(call: Call) -> dict[str, Any]:
    return {"tool_name": call.name, "arguments": call.arguments}


def application(url: str) -> Starlette:
    """The agent as a web application; `url` is where it can be reached."""
    card = AgentCard(
        name="codriver example",
        description="An in-car assistant that decides by rules",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version)
            for version in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain", "application/json"],
        skills=[
            AgentSkill(
                id="car",
                name="In-car assistant",
                description="Answers the driver with words and tool calls",
                tags=["car", "voice"],
            )
        ],
    )
    handler = DefaultRequestHandler(
        agent_executor=Assistant(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True)
    return Starlette(routes=[*routes, *create_agent_card_routes(card)])


def main() -> None:
    parser = argparse.ArgumentParser(description="An example of an A2A agent for codriver.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9009)
    given = parser.parse_args()
    url = f"http://{given.host}:{given.port}/"
    uvicorn.run(
        application(url),
        host=given.host,
        port=given.port,
        log_level="warning",
        timeout_keep_alive=KEPT_OPEN_S,
    )


if __name__ == "__main__":
    main()
