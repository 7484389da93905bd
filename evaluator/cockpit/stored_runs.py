"""Stored runs for pages: JSON and files under `/runs`.

Runs are read in a process of their own, so that nobody who looks at one makes the bench late.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from evaluator.cockpit.page_files import HEADERS, plain_text
from evaluator.problems import Problem
from evaluator.report.stored import CONTENT, FILES, answer

LOW_PRIORITY = 5
# What each question needs to be told, in the query of its address.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "list": (),
    "run": ("run",),
    "unit": ("run", "unit"),
    "compare": ("first", "second"),
    "unit.html": ("run", "unit"),
    "compare.html": ("first", "second"),
    "report.html": ("run",),
}
Allowed = Callable[[HTTPConnection], bool]


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """The runs in a folder, read by one process."""

    folder: Path
    reader: ProcessPoolExecutor

    def routes(self, allowed: Allowed) -> list[Route]:
        """What is stored, for those who are allowed."""

        async def ask(request: Request) -> Response:
            if not allowed(request):
                return plain_text(403, "this needs the token of the page")
            return await self._answered(request)

        return [Route("/runs/{question}", ask)]

    async def _answered(self, request: Request) -> Response:
        question = request.path_params["question"]
        needed = QUESTIONS.get(question)
        if needed is None:
            return plain_text(404, f"there is no /runs/{question}")
        if missing := [name for name in needed if name not in request.query_params]:
            return plain_text(400, f"/runs/{question} needs {' and '.join(missing)}")
        names = (*needed, "force") if question.startswith("compare") else needed
        given = {name: request.query_params.get(name, "") for name in names}
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self.reader, answer, question, self.folder, given
            )
        except Problem as problem:
            return plain_text(404, str(problem))
        except BrokenExecutor:
            return plain_text(500, "the process that reads runs has ended; start serve again")
        return _json(found) if question in CONTENT else _file(found, question, given)


@asynccontextmanager
async def stored_runs(folder: Path) -> AsyncIterator[StoredRuns]:
    """The process begins with the first question and ends with the block."""
    assert set(QUESTIONS) == {*CONTENT, *FILES}
    reader = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin_reading)
    try:
        yield StoredRuns(folder, reader)
    finally:
        reader.shutdown(wait=False, cancel_futures=True)


def _json(content: object) -> Response:
    body = orjson.dumps(content)
    return Response(body, media_type="application/json", headers=HEADERS)


def _file(html: str, question: str, given: Mapping[str, str]) -> Response:
    """A file to keep; a browser does not show it on this address."""
    kind = question.partition(".")[0]
    parts = [given[name] for name in QUESTIONS[question]]
    name = "-".join(["codriver", kind, *parts])
    safe = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)
    disposition = {"Content-Disposition": f'attachment; filename="{safe}.html"'}
    return Response(html, media_type="text/html", headers={**HEADERS, **disposition})


def _begin_reading() -> None:
    """Ctrl-C is for the process that serves, and nothing is read when that has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(LOW_PRIORITY)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
