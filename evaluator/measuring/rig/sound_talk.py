"""Conversations in sound to measure with: an agent of which it is known what is heard when.

The agent hears the microphone and speaks in samples. It notes when each frame comes, and when the
driver interrupts it, goes on for exactly `stops_ms`: what the gateway measures must agree.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.peer import Peer, agent_peer
from assistant_gateway.protocol import (
    Body,
    InputAudioAppend,
    InputSpeechStarted,
    InputTranscriptFinal,
    Interrupt,
    ResponseAudioDelta,
    ResponseDone,
    ResponseTextDelta,
    SessionEnded,
    SessionReady,
    SessionStart,
)
from assistant_gateway.sound.pcm import RATE, Samples, silence, to_bytes
from assistant_gateway.timing.timeline import MS, SECOND, sleep_until, wall_ns
from evaluator.measuring.rig.own_process import print_line
from evaluator.measuring.rig.players import serve_until_end
from evaluator.measuring.rig.small_talk import RepeatingDriver
from user_sim.driver import Driver
from user_sim.script import Interjection

LEAD_INS_MS = (0, 120, 480)
DELAY_MS = 300  # until the agent answers
FRAME_MS = 100
AUDIO = {"audio": {"input": {}, "output": {}}, "partials": False}


@dataclass(frozen=True, slots=True)
class Answer:
    """A text and its samples, which begin and end with sound."""

    text: str
    samples: Samples


@dataclass(frozen=True, slots=True)
class SoundTalk:
    """Who plays sessions in sound; number and turns stand in their ids.

    The last of the driver's utterances interrupts the answer before it, which never pauses.
    """

    answers: Sequence[Answer]
    interrupted: Answer
    questions: Sequence[str]
    interruption: str

    def prepare(self) -> None:
        """Nothing to load."""

    def agent(self, sid: str) -> PacedAgent:
        raise NotImplementedError("it listens: `serve` is its agent")

    def driver(self, sid: str) -> Driver:
        number, turns = numbers(sid)
        return TalkingDriver(turns - 1, self.questions, self.interruption, number)

    def answer(self, sid: str, turn: int) -> tuple[Answer, int]:
        """What the agent says in a turn, counted from 1, and after how many ms of silence."""
        number, turns = numbers(sid)
        if turn == turns - 1:
            return self.interrupted, 0
        place = number + turn
        return self.answers[place % len(self.answers)], LEAD_INS_MS[place % len(LEAD_INS_MS)]

    async def serve(self, url: str, token: str, tell: Callable[[bytes], None]) -> None:
        """An agent for one session after the other; `tell` gets a line about each of them."""
        async with agent_peer(url, token) as peer, asyncio.TaskGroup() as tasks:
            session: SpeakingSession | None = None
            async for frame in peer.frames():
                match frame.body:
                    case SessionStart():
                        peer.sid = frame.sid
                        session = SpeakingSession(peer, self, frame.sid, tasks)
                        await peer.send(SessionReady(name="bench", capabilities=AUDIO))
                    case SessionEnded() if session is not None:
                        tell(session.noted())
                        session = None
                    case _ if session is not None:
                        await session.take(frame.body, frame.turn)


def stops_ms(sid: str) -> int:
    """For how long the agent goes on when the driver interrupts it; in each session another time.

    Longer than it speaks ahead, and shorter than the driver takes to be understood.
    """
    return 250 + 7 * numbers(sid)[0] % 100


def session_id(number: int, turns: int) -> str:
    return f"sound-{number}-{turns}"


def numbers(sid: str) -> tuple[int, int]:
    """Of a session: its own, and that of its turns."""
    _, number, turns = sid.split("-")
    return int(number), int(turns)


@dataclass(slots=True)
class SpeakingSession:
    """One session of the agent."""

    peer: Peer
    talk: SoundTalk
    sid: str
    tasks: asyncio.TaskGroup
    speaking: asyncio.Task[None] | None = None
    answered: int = 0
    driver_began_ns: int = 0
    frames_ns: list[int] = field(default_factory=list)  # from what was heard until it came

    async def take(self, body: Body, turn: int | None) -> None:
        match body:
            case InputAudioAppend():
                self.frames_ns.append(wall_ns() - body.now_ns)
            case InputSpeechStarted():
                self.driver_began_ns = wall_ns()
            case InputTranscriptFinal():
                self.answered += 1
                name = f"answer {self.sid}"
                self.speaking = self.tasks.create_task(self._answer(turn, wall_ns()), name=name)
            case Interrupt() if self.speaking is not None:
                self.speaking.cancel()
                await self._say(ResponseDone(status="cancelled"), turn)

    def noted(self) -> bytes:
        """How late each frame came, against the earliest of the session, in ns."""
        earliest_ns = min(self.frames_ns, default=0)
        late_ns = [each - earliest_ns for each in self.frames_ns]
        return orjson.dumps({"sid": self.sid, "late_ns": late_ns})

    async def _answer(self, turn: int | None, asked_ns: int) -> None:
        answer, lead_in_ms = self.talk.answer(self.sid, self.answered)
        samples = silence(RATE * lead_in_ms // 1000) + answer.samples
        await sleep_until(asked_ns + DELAY_MS * MS)
        await self._say(ResponseTextDelta(delta=answer.text), turn)
        if self.answered == numbers(self.sid)[1] - 1:
            await self._speak_until_interrupted(samples, turn)
            return
        for part in _frames(samples):
            await self._say(_audio(part), turn)
        await self._say(ResponseDone(), turn)

    async def _speak_until_interrupted(self, samples: Samples, turn: int | None) -> None:
        """As a voice does that speaks in real time: one frame ahead of what is played."""
        begun_ns, sent = wall_ns(), 0
        for number, part in enumerate(_frames(samples)):
            await sleep_until(begun_ns + max(0, number - 1) * FRAME_MS * MS)
            if self.driver_began_ns > begun_ns:
                last_ns = self.driver_began_ns + stops_ms(self.sid) * MS - begun_ns
                part = part[: max(0, last_ns * RATE // SECOND - sent)]
            if part:
                await self._say(_audio(part), turn)
            sent += len(part)
        # The message stays open until it is cut.

    async def _say(self, body: Body, turn: int | None) -> None:
        await self.peer.send(body, turn=turn, rid=f"r{self.answered}")


def _frames(samples: Samples) -> Sequence[Samples]:
    count = RATE * FRAME_MS // 1000
    return [samples[start : start + count] for start in range(0, len(samples), count)]


def _audio(samples: Samples) -> ResponseAudioDelta:
    return ResponseAudioDelta(audio=b64encode(to_bytes(samples)).decode("ascii"))


class TalkingDriver(RepeatingDriver):
    """Asks one question after the other, and interrupts the answer to the last one."""

    def __init__(
        self, turns: int, questions: Sequence[str], interruption: str, number: int
    ) -> None:
        super().__init__(turns + 1)
        self._questions = questions
        self._interruption = interruption
        self._number = number
        self._last = turns

    def opening(self) -> str:
        return self._questions[(self._number + self.turns_left) % len(self._questions)]

    def interjections(self, turn: int) -> Sequence[Interjection]:
        if turn != self._last:
            return ()
        return (Interjection(turn=turn, after_words=2, say=self._interruption),)

    def interrupted(self, heard: str, said: str) -> None:
        self.turns_left -= 1


async def play_listening_agents(
    orders: asyncio.StreamReader, talk: SoundTalk, url: str, token: str, sockets: int
) -> None:
    """The process of the agents: tells of each session how late its frames were."""

    def serve() -> Any:
        return talk.serve(url, token, print_line)

    with without_long_pauses():
        await serve_until_end(orders, serve, sockets)
