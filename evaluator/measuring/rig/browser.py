"""A headless Chromium that is driven over its debugging socket; it cannot reach any network."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

from evaluator.problems import InfraProblem
from vehicle_bus.background_tasks import background

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OFFLINE = ("--proxy-server=127.0.0.1:1", "--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1")
QUIET = ("--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync")
LOOK_EVERY_S = 0.01
LOADED = "globalThis.wasLeft === undefined && document.readyState === 'complete'"


class BrowserRefused(Exception):
    """The browser did not carry out a command, or a script raised; the text says why."""


def find_chromium() -> str | None:
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


@dataclass
class Page:
    """One tab. `complaints` are console errors and exceptions, `requests` every address asked."""

    socket: ClientConnection
    session: str | None = None
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _asked: int = 0

    async def open(self, address: str) -> None:
        """Load an address, also the one that is open already."""
        await self._leave("Page.navigate", url=address)

    async def reload(self) -> None:
        await self._leave("Page.reload")

    async def _leave(self, method: str, **parameters: Any) -> None:
        await self.evaluate("globalThis.wasLeft = true")
        await self.command(method, **parameters)
        await self.until(LOADED)

    async def evaluate(self, script: str) -> Any:
        """The value of a script, or of the promise that it returns."""
        answer = await self.command(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise BrowserRefused(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until a script is true, also if the page is loaded anew; the caller limits it."""
        while True:
            with suppress(PageLeft):
                if await self.evaluate(condition):
                    return
            await asyncio.sleep(LOOK_EVERY_S)

    async def command(self, method: str, **parameters: Any) -> Any:
        self._asked += 1
        request = {"id": self._asked, "method": method, "params": parameters}
        if self.session is not None:
            request["sessionId"] = self.session
        await self.socket.send(orjson.dumps(request).decode())
        while True:
            message = orjson.loads(await self.socket.recv())
            if message.get("id") != self._asked:
                self._note(message.get("method"), message.get("params", {}))
            elif "result" in message:
                return message["result"]
            else:
                refused = f"{method}: {message['error']['message']}"
                raise PageLeft(refused) if method == "Runtime.evaluate" else BrowserRefused(refused)

    def _note(self, method: str | None, params: dict[str, Any]) -> None:
        match method:
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning"):
                self.complaints.append(str(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.complaints.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])


class PageLeft(BrowserRefused):
    """A script had no page to run in, or the page was left meanwhile."""


@dataclass(frozen=True)
class Browser:
    """A browser that runs, and the address of its debugging socket."""

    address: str

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[Page]:
        """An empty tab in a window of its own, for as long as the block runs."""
        # Events fill the queue of an idle tab, and pongs behind them are not read.
        async with connect(self.address, max_size=None, proxy=None, ping_interval=None) as socket:
            page = Page(socket)
            made = await page.command("Target.createTarget", url="about:blank", newWindow=True)
            target = made["targetId"]
            to = await page.command("Target.attachToTarget", targetId=target, flatten=True)
            page.session = to["sessionId"]
            for domain in ("Runtime", "Log", "Network", "Page"):
                await page.command(f"{domain}.enable")
            yield page
            page.session = None
            await page.command("Target.closeTarget", targetId=target)


@asynccontextmanager
async def chromium(
    profile: Path, *more: str, wide: int = 1280, high: int = 900
) -> AsyncIterator[Browser]:
    """A browser of its own for as long as the block runs, with `more` arguments.

    Raises `InfraProblem`.
    """
    command = find_chromium()
    if command is None:
        raise InfraProblem(f"none of {', '.join(CHROMIUM)} is installed")
    process = await asyncio.create_subprocess_exec(
        *(command, "--headless=new", "--no-sandbox", "--remote-debugging-port=0"),
        *(f"--user-data-dir={profile}", f"--window-size={wide},{high}", *OFFLINE, *QUIET),
        *more,
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        address = await _address(process.stderr)
        async with background(_drain(process.stderr), "chromium stderr"):
            yield Browser(address)
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def browser_page(
    profile: Path, *more: str, wide: int = 1280, high: int = 900
) -> AsyncIterator[Page]:
    """A tab in a browser of its own."""
    async with chromium(profile, *more, wide=wide, high=high) as browser, browser.tab() as page:
        yield page


async def _address(stderr: asyncio.StreamReader) -> str:
    """Where the browser listens for commands; it says so when it is up."""
    while line := (await stderr.readline()).decode():
        if "DevTools listening on " in line:
            return line.split("DevTools listening on ")[1].strip()
    raise InfraProblem("chromium ended before it listened")


async def _drain(stderr: asyncio.StreamReader) -> None:
    while await stderr.readline():
        pass
