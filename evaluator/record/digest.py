"""The canonical record: what two runs with one seed must agree on, and its hash.

Inside: every numbered message that `end` announced, sorted by `(n, src, seq)`, as topic and payload
with sorted keys; `end.counts` too, so a lost message cannot go unnoticed.

Outside, because it differs between equal runs:
- wall stamps: `mono_ns` of payloads and frames, `took_ns` of replies, `harness` of turns,
- `traceparent` of frames,
- the names of this run: the vin reads `VIN` wherever it stands alone, the session id in topics and
  in `session` of a command `SID`, the client in a reply topic `CLIENT`,
- messages beyond the fence: of sources that do not number, of sources that `end` does not announce,
  and what a source sent after its announced last number (the car going offline, the verdict).
"""

import hashlib
import re
from functools import cached_property
from typing import Any

import orjson

from evaluator.record.record import Entry, Record

VOLATILE = frozenset({"mono_ns", "took_ns", "harness", "traceparent"})
_SORTED = orjson.OPT_SORT_KEYS


class _Vin:
    """What this run called its car: `VIN` wherever it stands alone, in a sentence too."""

    def __init__(self, vin: str) -> None:
        self._vin = vin

    @cached_property
    def _alone(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w-]){re.escape(self._vin)}(?![\w-])")

    def occurs_in(self, raw: bytes) -> bool:
        return self._vin.encode() in raw

    def replaced(self, value: Any) -> Any:
        match value:
            case str():
                return self._alone.sub("VIN", value) if self._vin in value else value
            case dict():
                return {key: self.replaced(inner) for key, inner in value.items()}
            case list():
                return [self.replaced(inner) for inner in value]
        return value


def digest(record: Record) -> str:
    """The sha256 of the canonical record, in hex."""
    canonical = hashlib.sha256()
    for line in canonical_lines(record):
        canonical.update(line)
    return canonical.hexdigest()


def canonical_lines(record: Record) -> list[bytes]:
    """One line `topic payload` per message; the payload is JSON with sorted keys."""
    vin = _Vin(record.vin)
    return [_line(entry, vin) for entry in record.fenced()]


def _line(entry: Entry, vin: _Vin) -> bytes:
    levels = entry.rest.split("/")
    if levels[0] == "session" and len(levels) > 1:
        levels[1] = "SID"
    if levels[0] == "reply":
        levels[1:] = ["CLIENT"]
    payload = {name: value for name, value in entry.fields.items() if name not in VOLATILE}
    if isinstance(frames := payload.get("frames"), list):
        payload["frames"] = [_unstamped(frame) for frame in frames]
    if "session" in payload:
        payload["session"] = "SID"
    if vin.occurs_in(entry.payload):
        payload = vin.replaced(payload)
    return "/".join(levels).encode() + b" " + orjson.dumps(payload, option=_SORTED) + b"\n"


def _unstamped(frame: Any) -> Any:
    if not isinstance(frame, dict):
        return frame
    return {name: value for name, value in frame.items() if name not in VOLATILE}
