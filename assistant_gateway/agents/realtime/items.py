"""Settings and conversation items that a Realtime client sends. Pure."""

from openai.types.realtime import (
    ConversationItemParam,
    RealtimeConversationItemAssistantMessageParam,
    RealtimeSessionCreateRequestParam,
)

from assistant_gateway.protocol import SessionStart


def settings(start: SessionStart) -> RealtimeSessionCreateRequestParam:
    """Settings of a session: text only, without speech detection."""
    functions = [tool["function"] for tool in start.tools]
    return {
        "type": "realtime",
        "output_modalities": ["text"],
        "instructions": start.instructions,
        "tools": [
            {
                "type": "function",
                "name": function["name"],
                "description": function.get("description", ""),
                "parameters": function.get("parameters", {}),
            }
            for function in functions
        ],
        "tool_choice": "auto",
        "audio": {"input": {"turn_detection": None}},
    }


def said_by_driver(text: str) -> ConversationItemParam:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def said_by_assistant(text: str) -> RealtimeConversationItemAssistantMessageParam:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


def output(call_id: str, text: str) -> ConversationItemParam:
    return {"type": "function_call_output", "call_id": call_id, "output": text}
