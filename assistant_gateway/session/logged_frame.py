"""A conversation frame as the gateway writes it to the bus, and how readers decode it."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from assistant_gateway.protocol import (
    FROM_AGENT,
    FROM_USER,
    TO_AGENT,
    TO_USER,
    Body,
    SessionStart,
    well_formed,
)

Way = Literal["in", "out", "ignored"]
BODIES = {**TO_AGENT, **TO_USER, **FROM_AGENT, **FROM_USER}


class LoggedFrame(NamedTuple):
    """What was sent, `t_ns` after the session began: `in` from a peer or `out` to it.

    `peer` is `agent` or `user`. What was `ignored` came from a peer, but at a time at which it is
    no part of the conversation. `place` orders frames among all messages of the episode: the number
    of the batch and the position in it.
    """

    way: Way
    peer: str
    body: Body
    t_ns: int = 0
    turn: int | None = None
    rid: str | None = None
    cid: str | None = None
    mono_ns: int = 0
    place: tuple[int, int] = (0, 0)
    traceparent: str | None = None

    def encode(self) -> dict[str, Any]:
        """The fields on the bus; the type of an ignored frame is in its data."""
        kind, data = self.body.TYPE, self.body.__dict__
        if isinstance(self.body, SessionStart):
            names = [tool["function"]["name"] for tool in self.body.tools]
            data = {**data, "tools": names, "budgets": None}
            data = data if self.body.audio else {n: v for n, v in data.items() if n != "audio"}
        if data.get("zone") == "driver":
            data = {name: value for name, value in data.items() if name != "zone"}
        if self.way == "ignored":
            kind, data = self.way, {"type": kind, **data}
        traced = {} if self.traceparent is None else {"traceparent": self.traceparent}
        return {
            "way": self.way,
            "peer": self.peer,
            "type": kind,
            "turn": self.turn,
            "rid": self.rid,
            "cid": self.cid,
            "t_ns": self.t_ns,
            "mono_ns": self.mono_ns,
            "data": data,
            **traced,
        }


def logged_frames(batch: Mapping[str, Any]) -> Iterator[LoggedFrame]:
    """Decode a batch of frames; what no gateway writes is left out."""
    frames, number = batch.get("frames"), _whole(batch.get("n"))
    for index, fields in enumerate(frames if isinstance(frames, list) else ()):
        if isinstance(fields, dict) and (body := _body(fields)) is not None:
            turn, rid, cid = fields.get("turn"), fields.get("rid"), fields.get("cid")
            yield LoggedFrame(
                way=_way(fields),
                peer="user" if fields.get("peer") == "user" else "agent",
                body=body,
                t_ns=_whole(fields.get("t_ns")),
                turn=turn if isinstance(turn, int) else None,
                rid=rid if isinstance(rid, str) else None,
                cid=cid if isinstance(cid, str) else None,
                mono_ns=_whole(fields.get("mono_ns")),
                place=(number, index),
                traceparent=well_formed(fields.get("traceparent")),
            )


def _way(fields: Mapping[str, Any]) -> Way:
    if fields.get("type") == "ignored":
        return "ignored"
    return "out" if fields.get("way") == "out" else "in"


def _body(fields: Mapping[str, Any]) -> Body | None:
    data = fields.get("data")
    if not isinstance(data, dict):
        return None
    kind = data.get("type") if _way(fields) == "ignored" else fields.get("type")
    model = BODIES.get(kind) if isinstance(kind, str) else None
    if model is SessionStart and isinstance(names := data.get("tools"), list):
        data = {**data, "tools": [{"function": {"name": name}} for name in names]}
    try:
        return model.model_validate(data) if model else None
    except ValidationError:
        return None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
