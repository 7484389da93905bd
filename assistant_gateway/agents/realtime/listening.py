"""A Realtime model that hears the driver and speaks: sound goes to the server and comes from it.

Who finds out that the driver has finished is either known (`truth`: what was heard is committed at
the true end of his speech) or left to the server, which then begins its responses by itself.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from openai.types.realtime import ConversationItemParam

from assistant_gateway.agents.realtime.agent import RealtimeAgent
from assistant_gateway.agents.realtime.connection import RealtimeConnection
from assistant_gateway.agents.realtime.response import ResponseSoFar
from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.agents.remote import NO_OUTPUTS, Outputs, Piece, Tell
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import ResponseAudioClear, TurnDetected
from assistant_gateway.sound.pcm import RATE

FRAME_MS = 40
LAST_FRAME_S = 1.0  # how long the frame with the end of speech is waited for
BYTES_PER_MS = 2 * RATE // 1000


class ListeningAgent(RealtimeAgent):
    """Commits what it heard at the true end of the driver's speech."""

    turn_detection = "truth"

    def __init__(self, connection: RealtimeConnection, choice: ModelChoice) -> None:
        super().__init__(connection, choice)
        self._frames = 0
        self._frame_came = asyncio.Event()
        self._asked_at = 0
        self._played_ms: int | None = None

    @property
    def capabilities(self) -> Mapping[str, Any]:
        audio = {"input": {"frame_ms": FRAME_MS}, "output": {}}
        return {
            "lockstep": False,
            "partials": False,
            "speech_events": True,
            "audio": {**audio, "turn_detection": self.turn_detection},
        }

    async def hears(self, audio: str, until_ns: int) -> None:
        await self._connection.hear(audio)
        self._frames += 1
        self._frame_came.set()

    async def speech_begins(self) -> None:
        await self._connection.forget_sound()

    async def cleared(self, played_ms: int) -> None:
        self._played_ms = played_ms

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._outputs |= late
        self._asked_at = self._frames
        return self._message((), turn_begins=True)

    async def _ask(self, items: Sequence[ConversationItemParam], *, turn_begins: bool) -> None:
        if turn_begins:
            await self._last_frame()
            await self._connection.commit()
        await super()._ask(items, turn_begins=turn_begins)

    async def _last_frame(self) -> None:
        """The end of the driver's speech is in the frame that was not complete at that time."""
        try:
            async with asyncio.timeout(LAST_FRAME_S):
                while self._frames == self._asked_at:
                    self._frame_came.clear()
                    await self._frame_came.wait()
        except TimeoutError:
            return

    async def _keep_heard(self, turn: Sequence[ResponseSoFar]) -> None:
        played_ms, self._played_ms = self._played_ms, None
        self._heard_text = None
        if played_ms is not None:
            await self._truncate(turn, played_ms)

    async def _truncate(self, turn: Sequence[ResponseSoFar], played_ms: int) -> None:
        """Of what was said in these responses only the first so many ms were heard."""
        for response in turn:
            for item_id in list(response.messages):
                lasts_ms = response.audio_bytes.get(item_id, 0) // BYTES_PER_MS
                kept_ms = min(lasts_ms, played_ms)
                played_ms -= kept_ms
                if not kept_ms:
                    response.messages.remove(item_id)
                    await self._connection.delete(item_id)
                elif kept_ms < lasts_ms:
                    response.audio_bytes[item_id] = kept_ms * BYTES_PER_MS
                    await self._connection.truncate(item_id, kept_ms)


class DetectingAgent(ListeningAgent):
    """Lets the server find out that the driver has finished, and that he speaks over it."""

    turn_detection = "agent"

    def __init__(self, connection: RealtimeConnection, choice: ModelChoice) -> None:
        super().__init__(connection, choice)
        self._tell: Tell | None = None
        connection.turns = self

    def begin(self, tell: Tell) -> None:
        self._tell = tell

    async def driver_begins(self) -> None:
        if self._pending.response_id is not None:
            self._pending.dropped = True  # what of it is still on its way is not played
        if self._tell is not None:
            await self._tell(ResponseAudioClear())

    async def driver_ends(self) -> None:
        if self._tell is not None:
            await self._tell(TurnDetected())

    async def speech_begins(self) -> None:
        return

    async def cleared(self, played_ms: int) -> None:
        await self._truncate(self._turn, played_ms)

    async def gave_up(self, outputs: Outputs) -> None:
        self._outputs |= outputs
        await self._settle()

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        return self._message((), turn_begins=True)

    async def _ask(self, items: Sequence[ConversationItemParam], *, turn_begins: bool) -> None:
        if turn_begins:
            self._pending = await self._connection.begun()
            self._spending.request_sent()
        else:
            await super()._ask(items, turn_begins=False)

    def _is_answered_anew(self, response: ResponseSoFar) -> bool:
        return response.ending == ("cancelled", "turn_detected")


def agent_that_listens(
    connection: RealtimeConnection, choice: ModelChoice, turn_detection: TurnDetection
) -> ListeningAgent:
    kind = ListeningAgent if turn_detection == "truth" else DetectingAgent
    return kind(connection, choice)
