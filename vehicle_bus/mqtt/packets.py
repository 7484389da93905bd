"""MQTT 5 packets out of a byte stream, for both ends of a connection.

The codec needs care in three places, and this is where it is taken: its enums are always truthy
(compare with `==`), it says "not enough bytes" also for a complete packet that lies about an inner
length, and it panics on strings that are not UTF-8.
"""

from collections.abc import Iterator

import mqtt5

CONNECT_TYPE = 0x10
PUBLISH_TYPE = 0x30
LARGEST_PACKET = 4 << 20  # bytes


class StreamError(Exception):
    """The bytes are not MQTT 5; the connection they came from cannot go on."""


class Malformed(StreamError):
    """The bytes make no packet."""


class PacketTooLarge(StreamError):
    """A packet announces more bytes than allowed."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"a packet of {size} bytes, {limit} are allowed")


class OtherProtocolVersion(StreamError):
    """A CONNECT of another MQTT version; 4 means MQTT 3.1.1."""

    def __init__(self, level: int) -> None:
        super().__init__(f"MQTT protocol level {level}")
        self.level = level


class PacketStream:
    """Takes bytes as they arrive and gives whole packets."""

    def __init__(self, limit: int = LARGEST_PACKET) -> None:
        self._limit = limit
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[mqtt5.Packet]:
        """Packets completed by `data`; a StreamError where the bytes stop making sense."""
        buffer = self._rest + data if self._rest else data
        self._rest = b""
        view = memoryview(buffer)
        position, end = 0, len(buffer)
        while position < end:
            size = _packet_size(view[position : position + 5])
            if size is not None and size > self._limit:
                raise PacketTooLarge(size, self._limit)
            if size is None or size > end - position:
                self._rest = bytes(view[position:])
                return
            packet = _decode(view[position : position + size])
            position += size
            yield packet


def _packet_size(start: memoryview) -> int | None:
    """Length of the packet that starts here, header included; None while that is open."""
    remaining = 0
    for index in range(1, len(start)):
        byte = start[index]
        remaining |= (byte & 0x7F) << 7 * (index - 1)
        if byte < 0x80:
            return 1 + index + remaining
    if len(start) == 5:
        raise Malformed("a length of more than four bytes")
    return None


def _decode(frame: memoryview) -> mqtt5.Packet:
    try:
        _check_topic(frame)
        return mqtt5.read(frame)[0]
    except UnicodeDecodeError as error:
        raise Malformed("text that is not UTF-8") from error
    except (ValueError, IndexError) as error:
        level = _foreign_protocol_level(frame)
        if level is not None:
            raise OtherProtocolVersion(level) from error
        raise Malformed(str(error)) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # a Rust panic has no importable type
            raise Malformed("text that is not UTF-8") from error
        raise


def _check_topic(frame: memoryview) -> None:
    """Raise `UnicodeDecodeError` for a topic that is no text; the codec would print its panic."""
    if frame[0] & 0xF0 != PUBLISH_TYPE:
        return
    at = 2
    while frame[at - 1] & 0x80:
        at += 1
    size = int.from_bytes(frame[at : at + 2])
    str(frame[at + 2 : at + 2 + size], "utf-8")


def _foreign_protocol_level(frame: memoryview) -> int | None:
    if frame[0] != CONNECT_TYPE:
        return None
    header = bytes(frame[:16])
    for name in (b"\x00\x04MQTT", b"\x00\x06MQIsdp"):
        at = header.find(name)
        if 2 <= at <= 5 and len(header) > at + len(name):
            level = header[at + len(name)]
            return level if level != 5 else None
    return None
