"""A mosquitto of our own: a child process on loopback that lives as long as the block."""

import asyncio
import os
import shutil
import socket
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from vehicle_bus.background_tasks import background
from vehicle_bus.broker.acl import Access
from vehicle_bus.broker.mosquitto_files import acl_file, configuration, password_file
from vehicle_bus.bus import BusError
from vehicle_bus.child_process import child_process

PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", "/usr/local/opt/mosquitto/sbin")
START_TIMEOUT_S = 10.0


def find_mosquitto() -> Path | None:
    """The mosquitto program, also where it is installed outside PATH."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *PLACES))
    found = shutil.which("mosquitto", path=path)
    return None if found is None else Path(found)


@asynccontextmanager
async def mosquitto_broker(
    access: Access | None = None, *, port: int = 0, agents: Iterable[str] = ()
) -> AsyncIterator[int]:
    """Run mosquitto on 127.0.0.1 for as long as the block runs; yields its port.

    Without `access` everybody may do everything. `agents` are the vins that get an agent login,
    because mosquitto reads its users at start. A BusError says when it is missing, cannot start,
    or ends while the block still runs.
    """
    program = find_mosquitto()
    if program is None:
        raise BusError("mosquitto is not installed; install it, or use the embedded broker")
    listening = _free_port(port)
    with tempfile.TemporaryDirectory(prefix="codriver-mosquitto-") as name:
        folder = Path(name)
        config = _write_files(folder, listening, access, tuple(agents))
        log = folder / "log"
        with log.open("wb") as output:
            starting = child_process([program, "-c", config], output, folder=folder)
            async with starting as process:
                await _ready(process, listening, log)
                async with background(_outlive(process, log), "mosquitto"):
                    yield listening


def _write_files(folder: Path, port: int, access: Access | None, agents: tuple[str, ...]) -> Path:
    config, passwords, acl = folder / "mosquitto.conf", folder / "passwords", folder / "acl"
    if access is None:
        config.write_text(configuration(port, None, None))
        return config
    for path, text in (
        (passwords, password_file(access, agents)),
        (acl, acl_file(access, agents)),
        (config, configuration(port, passwords, acl)),
    ):
        path.touch(mode=0o600)
        path.write_text(text)
    return config


async def _ready(process: Process, port: int, log: Path) -> None:
    """Return once the port answers."""
    deadline_s = asyncio.get_running_loop().time() + START_TIMEOUT_S
    while process.returncode is None and asyncio.get_running_loop().time() < deadline_s:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            return
        await asyncio.sleep(0.005)
    raise _failed(f"mosquitto does not start on port {port}", log)


async def _outlive(process: Process, log: Path) -> None:
    code = await process.wait()
    raise _failed(f"mosquitto ended with code {code}", log)


def _failed(what: str, log: Path) -> BusError:
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if "Error" in line]
    return BusError(f"{what}: {errors[-1]}" if errors else what)


def _free_port(wanted: int) -> int:
    """The port if nobody has it, or any for 0; asked first, lest somebody else's broker answers."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise BusError(
                f"mosquitto cannot use port {wanted}: {error.strerror}; "
                "choose another one, or 0 for any free port"
            ) from error
        port: int = probe.getsockname()[1]
    return port
