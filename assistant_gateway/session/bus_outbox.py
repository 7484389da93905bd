"""What one session writes to the bus: numbered, stamped, in order, conversation frames batched."""

import asyncio
from dataclasses import asdict
from typing import Any, Literal

from assistant_gateway.conversation.effects import TurnDone
from assistant_gateway.hearing.recogniser import Recognised
from assistant_gateway.protocol import (
    Frame,
    InputAudioAppend,
    Pace,
    ResponseAudioDelta,
    SessionClose,
    UserControl,
)
from assistant_gateway.session.logged_frame import LoggedFrame, Way
from assistant_gateway.sound.gate import Gate
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.contract import (
    Clock,
    Command,
    Control,
    Frames,
    SessionEnd,
    Stamped,
    Stamper,
    Topics,
    TurnFinished,
    encode,
)

SRC = "gateway"


class BusOutbox:
    """Collects publications in the session's loop; `write` carries them to the bus in bursts."""

    def __init__(self, topics: Topics, vin: str, sid: str, client_id: str, batch_ns: int) -> None:
        self.stamper = Stamper(SRC)
        self._topics = topics
        self._vin = vin
        self._sid = sid
        self._client_id = client_id
        self._batch_ns = batch_ns
        self._queue: asyncio.Queue[Publication | None] = asyncio.Queue(4096)
        self._batch: list[dict[str, Any]] = []
        self._batch_from_ns = 0

    def log(self, way: Way, peer: str, frame: Frame, t_ns: int) -> None:
        """Keep a conversation frame for the bus.

        The driver's word travels on `control` alone, and samples stay off the bus.
        """
        if isinstance(
            frame.body, UserControl | SessionClose | InputAudioAppend | ResponseAudioDelta
        ):
            return
        self.flush_if_due(t_ns)
        if not self._batch:
            self._batch_from_ns = t_ns
        logged = LoggedFrame(
            way, peer, frame.body, t_ns, frame.turn, frame.rid, frame.cid, frame.mono_ns,
            traceparent=frame.traceparent,
        )  # fmt: skip
        self._batch.append(logged.encode())

    @property
    def batching(self) -> bool:
        return bool(self._batch)

    def flush_if_due(self, t_ns: int) -> None:
        """Do not let frames wait any longer than agreed."""
        if t_ns - self._batch_from_ns > self._batch_ns:
            self.flush()

    def flush(self) -> None:
        if self._batch:
            frames, self._batch = self._batch, []
            self._session("frame", Frames(**self.stamper.next(), frames=frames))

    def turn(
        self,
        done: TurnDone,
        harness: dict[str, float],
        t_ns: int,
        sound: dict[str, Any] | None = None,
    ) -> None:
        """A turn is over; `harness` is what the bench measured of itself, in ms.

        `sound` says how the driver was heard.
        """
        self.flush()
        fields = {**done._asdict(), "verdict": done.verdict.model_dump()}
        del fields["plays_until_ns"]
        audible_ns = fields.pop("audible_ns")
        recognised: Recognised | None = fields.pop("recognised")
        if recognised is not None:
            sound = {**(sound or {}), **recognised.fields()}
        if audible_ns is not None:
            sound = {**(sound or {}), "agent_audible_ns": audible_ns, "gate": asdict(Gate())}
        payload = TurnFinished(
            **self.stamper.next(), t_ns=t_ns, **fields, harness=harness, sound=sound
        )
        self._session("turn", payload)

    def control(self, word: str, reason: str, turn: int, t_ns: int) -> None:
        self.flush()
        payload = Control(**self.stamper.next(), t_ns=t_ns, word=word, reason=reason, turn=turn)
        self._session("control", payload)

    def end(self, reason: str, revision: int, car_seq: int, t_ns: int) -> None:
        """The session is over; this is the last number of ours."""
        self.flush()
        stamps = self.stamper.next()
        counts = {SRC: stamps["seq"], "car": car_seq}
        end = SessionEnd(**stamps, t_ns=t_ns, reason=reason, counts=counts, revision=revision)
        self._session("end", end)

    def _session(self, kind: Literal["frame", "turn", "control", "end"], payload: Stamped) -> None:
        topic = self._topics.session(self._vin, self._sid, kind)
        self._queue.put_nowait(Publication(topic, encode(payload)))

    def clock(self, t_ns: int, pace: Pace) -> None:
        rate = 0.0 if pace == "virtual" else 1.0
        payload = Clock(**self.stamper.next(), t_ns=t_ns, rate=rate, pace=pace)
        self._queue.put_nowait(Publication(self._topics.clock(self._vin), encode(payload)))

    def command(
        self,
        tool: str,
        call_id: str,
        arguments: dict[str, Any],
        turn: int,
        t_ns: int,
        traceparent: str | None = None,
    ) -> None:
        self.flush()
        payload = Command(
            **self.stamper.next(),
            t_ns=t_ns,
            call_id=call_id,
            at_ns=t_ns,
            arguments=arguments,
            session=self._sid,
            turn=turn,
        )
        self._queue.put_nowait(
            Publication(
                self._topics.command(self._vin, tool),
                encode(payload),
                response_topic=self._topics.reply(self._vin, self._client_id),
                correlation=call_id.encode(),
                user_properties=(("traceparent", traceparent),) if traceparent else (),
            )
        )

    def close(self) -> None:
        """Nothing more will be written."""
        self._queue.put_nowait(None)

    async def write(self, bus: Bus) -> None:
        """Publish until closed; all that was queued is acknowledged when this returns."""
        while True:
            burst = [await self._queue.get()]
            while not self._queue.empty():
                burst.append(self._queue.get_nowait())
            await bus.publish_all([item for item in burst if item is not None])
            if burst[-1] is None:
                return
