"""In which formats an agent hears and speaks: what a session offers, and what an agent asks for."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from assistant_gateway.sound.pcm import RATE
from assistant_gateway.sound.wire_format import MULAW_RATE, WireFormat

OFFER: dict[str, Any] = {
    "formats": [
        {"encoding": "pcm16", "rate": RATE},
        {"encoding": "mulaw", "rate": MULAW_RATE},
    ],
    "frame_ms": [20, 40, 100, 200],
}


class AudioInput(WireFormat):
    """What an agent hears, and how often it is sent a frame."""

    frame_ms: Literal[20, 40, 100, 200] = 100


DetectedBy = Literal["recogniser", "truth", "agent"]


class AudioCapability(BaseModel):
    """What an agent that is offered sound takes of it: it hears `input`, it speaks `output`.

    `turn_detection` is who finds out that the driver has finished: the recogniser of the speech
    profile, nobody (it is known), or the agent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: AudioInput | None = None
    output: WireFormat | None = None
    turn_detection: DetectedBy = "recogniser"
