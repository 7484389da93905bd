"""What one session writes to the bus: numbered, stamped, in order, conversation frames batched."""

import asyncio
from typing import Any, Literal

from assistant_gateway.conversation.effects import TurnDone
from assistant_gateway.protocol import Frame, Pace, SessionClose, SessionStart, UserControl
from assistant_gateway.timing.timeline import wall_ns
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.contract import (
    Clock,
    Command,
    Control,
    Frames,
    SessionEnd,
    Stamped,
    Topics,
    TurnFinished,
    encode,
)

SRC = "gateway"
Way = Literal["in", "out", "ignored"]


class BusOutbox:
    """Collects publications in the session's loop; `write` carries them to the bus in bursts."""

    def __init__(self, topics: Topics, vin: str, sid: str, client_id: str, batch_ns: int) -> None:
        self.seq = 0
        self.n = 0
        self._topics = topics
        self._vin = vin
        self._sid = sid
        self._client_id = client_id
        self._batch_ns = batch_ns
        self._queue: asyncio.Queue[Publication | None] = asyncio.Queue(4096)
        self._batch: list[dict[str, Any]] = []
        self._batch_from_ns = 0

    def saw(self, n: int) -> None:
        """A message of somebody else was taken into account: ours come after it."""
        self.n = max(self.n, n)

    def log(self, way: Way, peer: str, frame: Frame, t_ns: int) -> None:
        """Keep a conversation frame for the bus; the driver's word travels on `control` alone.

        What was `ignored` is no part of the conversation: its type stands in its data.
        """
        if isinstance(frame.body, UserControl | SessionClose):
            return
        if self._batch and t_ns - self._batch_from_ns > self._batch_ns:
            self.flush(t_ns)
        if not self._batch:
            self._batch_from_ns = t_ns
        body = frame.body
        data = body.__dict__
        if isinstance(body, SessionStart):
            names = [tool["function"]["name"] for tool in body.tools]
            data = {**data, "tools": names, "budgets": None}
        kind = body.TYPE
        if way == "ignored":
            kind, data = way, {"type": kind, **data}
        self._batch.append(
            {
                "way": way,
                "peer": peer,
                "type": kind,
                "turn": frame.turn,
                "rid": frame.rid,
                "cid": frame.cid,
                "t_ns": t_ns,
                "mono_ns": frame.mono_ns,
                "data": data,
            }
        )

    @property
    def batching(self) -> bool:
        return bool(self._batch)

    def flush(self, t_ns: int) -> None:
        if self._batch:
            frames, self._batch = self._batch, []
            self._put(self._topics.session(self._vin, self._sid, "frame"), Frames, frames=frames)

    def turn(self, done: TurnDone, harness: dict[str, float], t_ns: int) -> None:
        """A turn is over; `harness` is what the bench measured of itself, in ms."""
        self._publish("turn", TurnFinished, t_ns, **done._asdict(), harness=harness)

    def control(self, word: str, reason: str, turn: int, t_ns: int) -> None:
        self._publish("control", Control, t_ns, word=word, reason=reason, turn=turn)

    def end(self, reason: str, revision: int, car_seq: int, t_ns: int) -> None:
        """The session is over; this is the last number of ours."""
        counts = {SRC: self.seq + 1 + self.batching, "car": car_seq}
        self._publish("end", SessionEnd, t_ns, reason=reason, counts=counts, revision=revision)

    def _publish(
        self,
        kind: Literal["turn", "control", "end"],
        model: type[Stamped],
        t_ns: int,
        **fields: Any,
    ) -> None:
        self.flush(t_ns)
        topic = self._topics.session(self._vin, self._sid, kind)
        self._put(topic, model, t_ns=t_ns, **fields)

    def clock(self, t_ns: int, pace: Pace) -> None:
        rate = 0.0 if pace == "virtual" else 1.0
        self._put(self._topics.clock(self._vin), Clock, t_ns=t_ns, rate=rate, pace=pace)

    def command(
        self, tool: str, call_id: str, arguments: dict[str, Any], turn: int, t_ns: int
    ) -> None:
        self.flush(t_ns)
        self._put(
            self._topics.command(self._vin, tool),
            Command,
            response_topic=self._topics.reply(self._vin, self._client_id),
            t_ns=t_ns,
            call_id=call_id,
            at_ns=t_ns,
            arguments=arguments,
            session=self._sid,
            turn=turn,
        )

    def _put(
        self, topic: str, model: type[Stamped], response_topic: str | None = None, **fields: Any
    ) -> None:
        self.seq += 1
        self.n += 1
        payload = model.model_construct(
            src=SRC, seq=self.seq, n=self.n, mono_ns=wall_ns(), **fields
        )
        correlation = fields["call_id"].encode() if response_topic else None
        self._queue.put_nowait(
            Publication(
                topic, encode(payload), response_topic=response_topic, correlation=correlation
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
