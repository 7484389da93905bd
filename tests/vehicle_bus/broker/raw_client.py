"""A client that sends and reads single packets, for looking a broker in the face."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import mqtt5

from vehicle_bus.mqtt.packets import PacketStream

PacketT = TypeVar("PacketT")
AT_LEAST_ONCE = mqtt5.QoS.AT_LEAST_ONCE


class RawClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._stream = PacketStream(16 << 20)
        self._packets: deque[mqtt5.Packet] = deque()

    def send(self, *packets: Any) -> None:
        self.writer.write(b"".join(packet.write() for packet in packets))

    def send_bytes(self, data: bytes) -> None:
        self.writer.write(data)

    async def receive(self) -> mqtt5.Packet | None:
        """The next packet, None when the broker hung up."""
        async with asyncio.timeout(10):
            while not self._packets:
                try:
                    data = await self._reader.read(1 << 16)
                except ConnectionError:
                    return None
                if not data:
                    return None
                self._packets.extend(self._stream.feed(data))
        return self._packets.popleft()

    async def receive_bytes(self) -> bytes:
        """Everything until the broker hangs up."""
        async with asyncio.timeout(10):
            return await self._reader.read()

    async def expect(self, kind: type[PacketT]) -> PacketT:
        """The next packet of a kind; others stay for later."""
        passed: list[mqtt5.Packet] = []
        try:
            while True:
                packet = await self.receive()
                assert packet is not None, f"hung up before {kind.__name__}, after {passed}"
                if isinstance(packet, kind):
                    return packet
                passed.append(packet)
        finally:
            self._packets.extendleft(reversed(passed))

    async def hung_up(self) -> mqtt5.DisconnectPacket | None:
        """Read to the end of the connection; the DISCONNECT if there was one."""
        goodbye = None
        while (packet := await self.receive()) is not None:
            if isinstance(packet, mqtt5.DisconnectPacket):
                goodbye = packet
        return goodbye

    async def subscribe(self, *patterns: str, **options: Any) -> list[int]:
        filters = [mqtt5.TopicFilter(p, **{"max_qos": AT_LEAST_ONCE} | options) for p in patterns]
        self.send(mqtt5.SubscribePacket(1, filters))
        return [int(code) for code in (await self.expect(mqtt5.SubAckPacket)).reason_codes]

    async def publish(self, topic: str, payload: bytes = b"", **options: Any) -> int:
        """Publish at QoS 1; the reason code of the acknowledgement."""
        self.send(publication(topic, payload, packet_id=7, **options))
        return int((await self.expect(mqtt5.PubAckPacket)).reason_code)

    async def message(self) -> mqtt5.PublishPacket:
        """The next message, acknowledged."""
        packet = await self.expect(mqtt5.PublishPacket)
        if packet.packet_id is not None:
            self.send(mqtt5.PubAckPacket(packet.packet_id))
        return packet

    def vanish(self) -> None:
        """Close the socket without a DISCONNECT."""
        self.writer.transport.abort()


def publication(
    topic: str, payload: bytes = b"", packet_id: int | None = None, **options: Any
) -> mqtt5.PublishPacket:
    qos = mqtt5.QoS.AT_MOST_ONCE if packet_id is None else AT_LEAST_ONCE
    return mqtt5.PublishPacket(topic, payload, qos=qos, packet_id=packet_id, **options)


@asynccontextmanager
async def socket_to(port: int) -> AsyncIterator[RawClient]:
    """A connection that has not said anything yet."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield RawClient(reader, writer)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def client_of(port: int, client_id: str = "", **options: Any) -> AsyncIterator[RawClient]:
    """A connected client."""
    async with socket_to(port) as client:
        client.send(mqtt5.ConnectPacket(client_id, **{"clean_start": True} | options))
        answer = await client.expect(mqtt5.ConnAckPacket)
        assert answer.reason_code == mqtt5.ConnAckReasonCode.SUCCESS, answer
        yield client
