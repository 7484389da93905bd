"""Brokers of others: TLS with a CA of their own, and versions they do not speak."""

import asyncio
import gc
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from vehicle_bus.broker.address import external
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.bus import BusError, BusRefused, BusUnreachable, Publication

SELF_SIGNED = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
    "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out ca.pem"
)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    subprocess.run(SELF_SIGNED.split(), cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "ca.pem"


@asynccontextmanager
async def answering(connected: object, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on loopback; yields its port."""
    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)  # type: ignore[arg-type]  # any handler
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def broker_behind_tls(certificate: Path) -> AsyncIterator[int]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
        writer.close()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", plain)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(copy(reader, inner_writer))
            tasks.create_task(copy(inner_reader, writer))

    async with embedded_broker() as plain, answering(forward, context) as port:
        yield port


async def test_a_broker_with_a_private_ca_is_reached_when_its_file_is_named(
    certificate: Path,
) -> None:
    async with (
        broker_behind_tls(certificate) as port,
        broker(f"mqtts://127.0.0.1:{port}?ca={certificate}") as address,
        connect(address, "observer") as bus,
        bus.subscribe("t") as messages,
    ):
        await bus.publish(Publication("t", b"x"))
        assert (await anext(messages)).payload == b"x"


@pytest.fixture
def garbage_collected() -> Iterator[None]:
    """What a test leaves is collected when its event loop is closed, and not in a later test."""
    yield
    gc.collect()


# paho leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.usefixtures("garbage_collected")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_an_unknown_ca_is_said_with_the_way_to_name_it(certificate: Path) -> None:
    async with broker_behind_tls(certificate) as port:
        with pytest.raises(BusUnreachable, match=r"mqtts://…\?ca=FILE"):
            async with broker(f"mqtts://127.0.0.1:{port}"):
                pass


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("mqtts://h?ca=missing.pem", "missing.pem holds no certificate"),
        (f"mqtts://h?ca={__file__}", "test_tls.py holds no certificate"),
        ("mqtt://h?ca=ca.pem", "begin the broker URL with mqtts://"),
    ],
)
def test_a_file_without_certificates_is_said_at_once(url: str, problem: str) -> None:
    with pytest.raises(BusError, match=problem):
        external(url)


def test_version_and_ca_may_stand_in_one_url(certificate: Path) -> None:
    address = external(f"mqtts://h?protocol=3.1.1&ca={certificate}")
    assert (address.protocol, address.ca_file) == ("3.1.1", str(certificate))


async def test_a_broker_of_3_1_1_only_is_named_with_the_way_to_it() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"\x20\x03\x00\x84\x00")  # CONNACK: unsupported protocol version
        await writer.drain()
        writer.close()

    async with answering(refuse) as port:
        with pytest.raises(BusRefused, match=r"\?protocol=3\.1\.1"):
            async with broker(f"mqtt://127.0.0.1:{port}"):
                pass
