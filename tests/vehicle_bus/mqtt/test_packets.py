import mqtt5
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehicle_bus.mqtt.packets import (
    Malformed,
    OtherProtocolVersion,
    PacketStream,
    PacketTooLarge,
    StreamError,
)

PACKETS = st.lists(
    st.builds(
        mqtt5.PublishPacket,
        st.sampled_from(["t", "a/b", "straße"]),
        st.binary(max_size=300),
    ),
    max_size=8,
)


@given(PACKETS, st.data())
def test_packets_come_out_whole_however_the_bytes_arrive(
    packets: list[mqtt5.PublishPacket], data: st.DataObject
) -> None:
    wire = b"".join(packet.write() for packet in packets)
    cuts = data.draw(st.lists(st.integers(0, len(wire)), max_size=6).map(sorted))
    stream = PacketStream()
    parts = [wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)]
    assert [packet for part in parts for packet in stream.feed(part)] == packets


# Bytes 0x80 and above are left out: the codec panics on bad UTF-8, which Python reports loudly.
@given(st.lists(st.integers(0, 0x7F), max_size=200).map(bytes), st.sampled_from(range(256)))
def test_nonsense_is_a_stream_error_or_a_packet(nonsense: bytes, first: int) -> None:
    stream = PacketStream(limit=1000)
    try:
        packets = list(stream.feed(bytes([first]) + nonsense))
    except StreamError:
        return
    assert all(type(packet).__module__ == "mqtt5" for packet in packets)


def test_a_packet_beyond_the_limit_is_recognised_by_its_header() -> None:
    with pytest.raises(PacketTooLarge, match="205 bytes, 100 are allowed"):
        list(PacketStream(limit=100).feed(bytes([0x30, 0xCA, 0x01])))


def test_a_packet_that_lies_about_an_inner_length_is_malformed() -> None:
    with pytest.raises(Malformed):
        list(PacketStream().feed(bytes([0x30, 4, 0, 200]) + b"ab"))


@pytest.mark.parametrize(
    ("name", "level"), [(b"\0\6MQIsdp", 3), (b"\0\4MQTT", 4), (b"\0\4MQTT", 6)]
)
def test_another_protocol_version_is_recognised(name: bytes, level: int) -> None:
    body = name + bytes([level, 2, 0, 60, 0, 1]) + b"a"
    with pytest.raises(OtherProtocolVersion) as caught:
        list(PacketStream().feed(bytes([0x10, len(body)]) + body))
    assert caught.value.level == level


def test_a_topic_that_is_no_text_is_malformed_and_the_codec_is_not_asked(
    capfd: pytest.CaptureFixture[str],
) -> None:
    packet = b"\x30\x06\x00\x02a\xff\x00x"
    with pytest.raises(Malformed, match="not UTF-8"):
        list(PacketStream().feed(packet))
    assert capfd.readouterr().err == ""
