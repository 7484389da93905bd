"""Traces are sent to a collector as it wants them, and what it answers is not passed over."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from evaluator.exports.otlp_post import traces_url
from evaluator.problems import UsageProblem
from tests.conftest import free_port
from tests.evaluator.command_line import INFRA, USAGE, Here
from tests.evaluator.exports.test_exports import UNITS, spans_of, stored

__all__ = ["stored"]


class Collector(ThreadingHTTPServer):
    """Keeps requests; answers with `code`."""

    def __init__(self, code: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.code = code
        self.taken: list[tuple[str, dict[str, str], dict[str, Any]]] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        collector = self.server
        assert isinstance(collector, Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        collector.taken.append((self.path, dict(self.headers.items()), json.loads(body)))
        answer = b'{"partialSuccess": {}}' if collector.code == 200 else b"no such project"
        self.send_response(collector.code)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@contextmanager
def collector(code: int = 200) -> Iterator[Collector]:
    with Collector(code) as server:
        serving = Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            serving.join()


def test_each_unit_is_a_request_with_the_headers_that_were_asked_for(
    stored: Path, here: Here
) -> None:
    with collector() as server:
        url = f"http://127.0.0.1:{server.server_port}"
        options = ("--format", "otlp", "--to", url, "--header", "Authorization: Basic c2VjcmV0")
        done = here("export", stored, *options, "--json")
    assert done.code == 0, done.stderr
    assert [path for path, _, _ in server.taken] == ["/v1/traces"] * UNITS
    sent = [span for _, _, request in server.taken for span in spans_of(request)]
    assert json.loads(done.stdout)["spans"] == len(sent)
    headers = server.taken[0][1]
    assert headers["Authorization"] == "Basic c2VjcmV0"
    assert headers["Content-Type"] == "application/json"


def test_a_collector_that_refuses_is_quoted(stored: Path, here: Here) -> None:
    with collector(401) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        done = here("export", stored, "--format", "otlp", "--to", url)
    assert (done.code, done.stderr.count("\n")) == (INFRA, 1)
    assert "took 0 units and refused one: 401 no such project" in done.stderr


def test_a_collector_that_is_not_there_is_named(stored: Path, here: Here) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = here("export", stored, "--format", "otlp", "--to", url)
    assert (done.code, done.stderr.count("\n")) == (INFRA, 1)
    assert f"no collector answers at {url}/v1/traces" in done.stderr


def test_the_usual_path_is_added_unless_another_is_named() -> None:
    assert traces_url("http://h:4318") == "http://h:4318/v1/traces"
    assert traces_url("http://h:4318/") == "http://h:4318/v1/traces"
    assert traces_url("https://h/api/otel/v1/traces") == "https://h/api/otel/v1/traces"
    for wrong in ("h:4318", "http://["):
        with pytest.raises(UsageProblem, match="no address"):
            traces_url(wrong)


@pytest.mark.parametrize(
    "options",
    [
        ("--to", "http://me:secret@127.0.0.1:9"),
        ("--to", "http://127.0.0.1:9/?key=secret"),
        ("--to", "me:secret@127.0.0.1:9"),
        ("--to", "http://127.0.0.1:9", "--header", "Authorization: Basic no,secret"),
    ],
)
def test_what_is_refused_is_not_repeated(
    stored: Path, here: Here, options: tuple[str, ...]
) -> None:
    done = here("export", stored, "--format", "otlp", *options)
    assert done.code == USAGE
    assert "secret" not in done.stdout + done.stderr
