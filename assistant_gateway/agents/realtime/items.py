"""Settings and conversation items that a Realtime client sends. Pure."""

from openai.types.realtime import (
    ConversationItemParam,
    RealtimeConversationItemAssistantMessageParam,
    RealtimeSessionCreateRequestParam,
)
from openai.types.realtime.realtime_audio_input_turn_detection_param import (
    RealtimeAudioInputTurnDetectionParam,
)

from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.protocol import SessionStart
from assistant_gateway.sound.pcm import RATE


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


def sound_settings(
    start: SessionStart, turn_detection: TurnDetection
) -> RealtimeSessionCreateRequestParam:
    """The same for a session that is heard; with `truth` the client says who has finished."""
    detection: RealtimeAudioInputTurnDetectionParam | None = None
    if turn_detection == "server_vad":
        detection = {"type": "server_vad"}
    elif turn_detection == "semantic_vad":
        detection = {"type": "semantic_vad"}
    return {
        **settings(start),
        "output_modalities": ["audio"],
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": RATE},
                "turn_detection": detection,
            },
            "output": {"format": {"type": "audio/pcm", "rate": RATE}},
        },
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
