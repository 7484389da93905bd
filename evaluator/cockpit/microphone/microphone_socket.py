"""The socket of a page whose microphone is on: what somebody says, from when until when."""

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.sound.pcm import RATE, BadSound, from_bytes, silence
from assistant_gateway.sound.resampling import Resampler
from assistant_gateway.timing.timeline import wall_ns
from evaluator.cockpit.cockpit import Cockpit
from evaluator.cockpit.messages import PageMessage
from evaluator.cockpit.microphone.recogniser import NotRecognised, recognised
from evaluator.person.seat import NotAccepted

MOST = 60 * RATE  # samples of one utterance
LONGEST = 64 << 10  # bytes that a page may send at once
WORDS_UNKNOWN = "(spoken)"


class BeginSpeech(PageMessage):
    """Somebody begins to speak; the samples that follow have this rate."""

    kind: Literal["begin"]
    rate: Annotated[int, Field(ge=8000, le=192_000)]


class EndSpeech(PageMessage):
    """It ended `ago_ms` before: a microphone that is open notices that by the silence after it."""

    kind: Literal["end"]
    ago_ms: Annotated[int, Field(ge=0, le=10_000)] = 0


DECODER: TypeAdapter[BeginSpeech | EndSpeech] = TypeAdapter(
    Annotated[BeginSpeech | EndSpeech, Field(discriminator="kind")]
)


class SpeechOfPage:
    """One utterance after the other."""

    def __init__(self, cockpit: Cockpit) -> None:
        self._cockpit = cockpit
        self._resampler: Resampler | None = None  # while somebody speaks
        self._said = silence(0)

    async def take(self, message: BeginSpeech | EndSpeech) -> None:
        """Raises `NotAccepted` and `NotRecognised`."""
        match message:
            case BeginSpeech(rate=rate):
                await self._cockpit.begin_speech()
                self._resampler, self._said = Resampler(rate, RATE), silence(0)
            case EndSpeech(ago_ms=ago_ms) if self._resampler is not None:
                ended_ns, command = wall_ns() - ago_ms * 1_000_000, self._cockpit.recogniser
                self._resampler = None
                text = await recognised(self._said, command) if command else WORDS_UNKNOWN
                self._cockpit.end_speech(text, ended_ns)

    def hear(self, content: bytes) -> None:
        if self._resampler is not None and len(self._said) < MOST:
            samples = self._resampler.add(from_bytes(content))
            self._said += samples
            self._cockpit.hear(samples)


async def listen(cockpit: Cockpit, socket: WebSocket) -> None:
    """Hear an accepted socket until it is closed; it is told what went wrong."""
    speech = SpeechOfPage(cockpit)
    with suppress(WebSocketDisconnect, KeyError):
        while True:
            received = await socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            try:
                if (content := received.get("bytes")) is not None:
                    speech.hear(content[:LONGEST])
                else:
                    await speech.take(DECODER.validate_json(received["text"]))
            except (NotAccepted, NotRecognised, BadSound) as problem:
                await socket.send_json({"kind": "trouble", "text": str(problem)})
            except ValidationError:
                continue
