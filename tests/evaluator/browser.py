"""A headless Chromium driven over its debugging socket."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OFFLINE = ("--proxy-server=127.0.0.1:1", "--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1")
QUIET = ("--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync")


def find_chromium() -> str | None:
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


@dataclass
class Page:
    """One tab. `complaints` are console errors and exceptions, `requests` every address asked."""

    socket: ClientConnection
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _asked: int = 0
    _session: str | None = None

    async def attach(self) -> None:
        """Talk to the one tab there is from now on."""
        targets = (await self.command("Target.getTargets"))["targetInfos"]
        tab = next(target for target in targets if target["type"] == "page")
        answer = await self.command("Target.attachToTarget", targetId=tab["targetId"], flatten=True)
        self._session = answer["sessionId"]

    async def open(self, address: str) -> None:
        for domain in ("Runtime", "Log", "Network", "Page"):
            await self.command(f"{domain}.enable")
        await self.command("Page.navigate", url=address)
        await self.until("document.readyState === 'complete'")

    async def evaluate(self, script: str) -> Any:
        answer = await self.command("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until a script is true; the timeout is the test's."""
        while not await self.evaluate(condition):
            await self.evaluate("new Promise(requestAnimationFrame)")

    async def command(self, method: str, **parameters: Any) -> Any:
        self._asked += 1
        request = {"id": self._asked, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        await self.socket.send(json.dumps(request))
        while True:
            message = json.loads(await self.socket.recv())
            if message.get("id") == self._asked:
                return message["result"]
            self._note(message.get("method"), message.get("params", {}))

    def _note(self, method: str | None, params: dict[str, Any]) -> None:
        match method:
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning"):
                self.complaints.append(json.dumps(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])


@asynccontextmanager
async def browser_page(profile: Path, *, wide: int = 1280, high: int = 900) -> AsyncIterator[Page]:
    """A tab in a browser of its own that cannot reach any network."""
    command = find_chromium()
    assert command is not None
    process = await asyncio.create_subprocess_exec(
        *(command, "--headless=new", "--no-sandbox", "--remote-debugging-port=0"),
        *(f"--user-data-dir={profile}", f"--window-size={wide},{high}", *OFFLINE, *QUIET),
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.TaskGroup() as tasks:
            assert process.stderr is not None
            address = await _address(process.stderr)
            draining = tasks.create_task(_drain(process.stderr), name="chromium stderr")
            async with connect(address, max_size=None) as socket:
                page = Page(socket)
                await page.attach()
                yield page
            draining.cancel()
    finally:
        process.kill()
        await process.wait()


async def _address(stderr: asyncio.StreamReader) -> str:
    """Where the browser listens for commands; it says so when it is up."""
    while line := (await stderr.readline()).decode():
        if "DevTools listening on " in line:
            return line.split("DevTools listening on ")[1].strip()
    raise AssertionError("chromium ended before it listened")


async def _drain(stderr: asyncio.StreamReader) -> None:
    while await stderr.readline():
        pass
