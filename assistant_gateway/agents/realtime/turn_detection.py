"""Who finds out that the driver has finished: it is known, or the server decides. Pure."""

from typing import Literal

TurnDetection = Literal["truth", "server_vad", "semantic_vad"]
