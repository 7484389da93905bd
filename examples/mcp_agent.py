"""The assistant `rules` as an MCP client, in the way a coding agent is one: official Python SDK.

codriver run --agent mcp --num-tasks 10 --agent-command "python examples/mcp_agent.py {url}"
python examples/mcp_agent.py codriver mcp --num-tasks 10
"""

import asyncio
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.agent import RulesAgent

OWN = {"start_conversation", "send_message_to_user", "wait_for_user"}


async def play(client: Client) -> bool:
    """One conversation to its end; False if there is none."""
    listed = (await client.list_tools(cache_mode="bypass")).tools
    result = await client.call_tool("start_conversation", {})
    if is_over(result):
        return False
    rules, first_words = texts(result)
    offered = [as_function(tool) for tool in listed if tool.name not in OWN]
    agent = RulesAgent.told(rules, offered)
    message: AgentMessage | None = agent.on_heard(first_words)
    while message is not None:
        if message.calls:
            results = [(call, await called(client, call)) for call in message.calls]
            message = agent.on_results(tuple(results))
            continue
        result = await client.call_tool("send_message_to_user", {"message": message.text})
        if is_over(result):
            return True
        message = agent.on_heard(texts(result)[-1])
    return True


async def called(client: Client, call: Call) -> str:
    return texts(await client.call_tool(call.name, call.arguments))[0]


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if block.type == "text"]


def is_over(result: CallToolResult) -> bool:
    return bool((result.structured_content or {}).get("conversation_over"))


def as_function(tool: Any) -> dict[str, Any]:
    """A tool as the rules read it."""
    parameters, description = tool.input_schema, tool.description
    function = {"name": tool.name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


async def main(where: list[str]) -> None:
    """Play all conversations there are, at an address or with a program that is started for it."""
    program = StdioServerParameters(command=where[0], args=where[1:])
    at = where[0] if where[0].startswith("http") else stdio_client(program)
    conversations = 0
    try:
        async with Client(at) as client:
            try:
                while await play(client):
                    conversations += 1
            except MCPError as error:  # the run is over, and its server has gone
                print(error, file=sys.stderr)
    except* httpx2.TransportError as error:  # the same, seen from a new connection
        if not conversations:
            raise
        print(error.exceptions[0], file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("start me as python mcp_agent.py URL, or with a command such as codriver mcp")
    asyncio.run(main(sys.argv[1:]))
