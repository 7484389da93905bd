"""HTTP that knows when each request came in, not when somebody got round to reading it."""

from starlette.requests import Request
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assistant_gateway.timing.timeline import wall_ns


class StampedHttp(HttpToolsProtocol):
    """What a server speaks so that `came_ns` can tell."""

    def data_received(self, data: bytes) -> None:
        self._data_came_ns = wall_ns()
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"]["came_ns"] = self._data_came_ns


def came_ns(request: Request) -> int:
    """Wall stamp of a request: when its first byte was here."""
    stamp: int = request.state.came_ns
    return stamp
