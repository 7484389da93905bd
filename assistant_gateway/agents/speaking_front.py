"""A front that speaks for an agent of text: what the agent says is sent as samples, too.

It stands between the agent and the gateway, and hands on all frames. In a session without sound it
does nothing else.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.exceptions import ConnectionClosed
from websockets.typing import Data, Subprotocol

from assistant_gateway.peer import agent_socket
from assistant_gateway.protocol import AGENT_PROTOCOL, TO_PEER_LIMIT
from assistant_gateway.sound.gate import audible
from assistant_gateway.sound.pcm import RATE, BadSound, Samples, silence, to_bytes
from assistant_gateway.sound.voice import Synthesiser, Voice, spoken

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
FRAME = RATE // 10
FRONT_VOICE = Voice(name="en-us+f5", words_per_minute=175)
MOST_WAITING = 1000  # frames of an agent; the front then reads no more
Envelope = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FrontVoice:
    """Who speaks for the agent; what it says begins with exactly so much silence."""

    synthesiser: Synthesiser
    folder: Path
    lead_in_ms: int = 0
    voice: Voice = FRONT_VOICE

    async def sound(self, text: str, *, first: bool) -> Samples:
        """A sentence; the first one of a message has the lead-in. Empty if nothing is audible."""
        try:
            sound = await spoken(text, self.voice, self.synthesiser, self.folder)
        except BadSound:
            return silence(0)
        if not first:
            return sound.samples
        if not (heard := audible(sound.samples[:RATE])):
            return silence(0)
        begin = heard[0].begins_ns * RATE // 1_000_000_000
        return silence(RATE * self.lead_in_ms // 1000) + sound.samples[begin:]


async def serve_spoken(
    url: str,
    token: str,
    *,
    serve: Callable[[str, str], Coroutine[Any, Any, None]],
    voice: FrontVoice,
) -> None:
    """Serve one socket of the gateway with an agent that connects to the front instead."""
    async with agent_socket(url, token) as gateway:

        async def connected(agent: ServerConnection) -> None:
            await SpeakingFront(agent, gateway, voice).run()

        async with listen(
            connected,
            "127.0.0.1",
            0,
            subprotocols=[Subprotocol(AGENT_PROTOCOL)],
            compression=None,
            max_size=TO_PEER_LIMIT,
            ping_interval=None,
        ) as front:
            port = next(iter(front.sockets)).getsockname()[1]
            await serve(f"ws://127.0.0.1:{port}", token)


class SpeakingFront:
    """One agent and its gateway."""

    def __init__(
        self, agent: ServerConnection, gateway: ClientConnection, voice: FrontVoice
    ) -> None:
        self._agent = agent
        self._gateway = gateway
        self._voice = voice
        self._is_heard = False
        self._unspoken = ""  # what is not a whole sentence yet
        self._begun = False  # something of the message was spoken
        self._waiting: asyncio.Queue[Envelope] = asyncio.Queue(MOST_WAITING)
        self._held = 0  # frames that wait for samples before them
        self._stopped = 0  # how often it was interrupted

    async def run(self) -> None:
        """Until one of the two is gone."""
        async with asyncio.TaskGroup() as tasks:
            work = (self._from_gateway(), self._from_agent(), self._speak())
            parts = [tasks.create_task(part, name=f"front {n}") for n, part in enumerate(work)]
            await asyncio.wait(parts[:2], return_when=asyncio.FIRST_COMPLETED)
            await self._agent.close()
            for part in parts:
                part.cancel()

    async def _from_gateway(self) -> None:
        async for raw in _until_closed(self._gateway):
            frame = orjson.loads(raw)
            match frame["type"]:
                case "session.start":
                    self._is_heard = frame["data"].pop("audio", None) is not None
                    raw = orjson.dumps(frame).decode()
                    self._stop()
                case "interrupt" | "session.end":
                    self._stop()
            with suppress(ConnectionClosed):
                await self._agent.send(raw)

    def _stop(self) -> None:
        """Nothing that was said so far is spoken any more."""
        self._stopped += 1
        self._unspoken, self._begun, self._held = "", False, 0
        while not self._waiting.empty():
            self._waiting.get_nowait()

    async def _from_agent(self) -> None:
        async for raw in _until_closed(self._agent):
            frame = orjson.loads(raw)
            frame["seq"] = 0  # ours are between them
            if not self._is_heard:
                await self._hand_on(frame)
                continue
            match frame["type"]:
                case "session.ready":
                    frame["data"].setdefault("capabilities", {})["audio"] = {"output": {}}
                    await self._in_order(frame)
                case "response.text.delta":
                    await self._in_order(frame)
                    self._unspoken += frame["data"]["delta"]
                    for sentence in self._sentences():
                        await self._waiting.put(_saying(sentence, frame))
                case "tool.call" | "response.done":
                    await self._say_rest(frame)
                    await self._in_order(frame)
                case _:
                    await self._in_order(frame)

    async def _say_rest(self, frame: Envelope) -> None:
        """What comes before a call or the end of a message is a sentence, however it ends."""
        rest, self._unspoken = self._unspoken, ""
        if rest.strip():
            await self._waiting.put(_saying(rest, frame))

    async def _in_order(self, frame: Envelope) -> None:
        """Hand on the end of a message after its samples, and all that follows after that."""
        if self._held or frame["type"] == "response.done":
            self._held += 1
            (frame.get("ts") or {}).pop("due_ns", None)  # nobody has planned for the samples
            await self._waiting.put(frame)
        else:
            await self._hand_on(frame)

    def _sentences(self) -> Iterator[str]:
        """Those that are complete."""
        *whole, self._unspoken = SENTENCE_END.split(self._unspoken)
        yield from whole

    async def _speak(self) -> None:
        while True:
            frame, stopped = await self._waiting.get(), self._stopped
            if "says" not in frame:
                await self._hand_on(frame)
                if self._stopped == stopped:
                    self._held -= 1
                    self._begun = self._begun and frame["type"] != "response.done"
                continue
            text = " ".join(frame.pop("says").split())
            samples = await self._voice.sound(text, first=not self._begun)
            self._begun = self._begun or (len(samples) > 0 and self._stopped == stopped)
            for start in range(0, len(samples), FRAME):
                if self._stopped != stopped:
                    break
                audio = b64encode(to_bytes(samples[start : start + FRAME])).decode("ascii")
                await self._hand_on({**frame, "data": {"audio": audio}})

    async def _hand_on(self, frame: Envelope) -> None:
        try:
            await self._gateway.send(orjson.dumps(frame).decode())
        except ConnectionClosed:
            await self._agent.close()


async def _until_closed(socket: Connection) -> AsyncIterator[Data]:
    with suppress(ConnectionClosed):
        async for raw in socket:
            yield raw


def _saying(sentence: str, of: Envelope) -> Envelope:
    """What is to be spoken, in the message of this frame."""
    named = {name: of.get(name) for name in ("sid", "turn", "rid")}
    return {"type": "response.audio.delta", **named, "says": sentence}
