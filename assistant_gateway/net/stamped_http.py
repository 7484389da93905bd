"""HTTP server protocol that stamps each request when its bytes arrive, not when it is read."""

from starlette.requests import Request
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assistant_gateway.timing.timeline import wall_ns


class StampedHttp(HttpToolsProtocol):
    """Puts the stamp that `came_ns` returns into the state of a request."""

    def data_received(self, data: bytes) -> None:
        self._data_came_ns = wall_ns()
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"]["came_ns"] = self._data_came_ns


def came_ns(request: Request) -> int:
    """Wall stamp of a request: when its first byte arrived."""
    stamp: int = request.state.came_ns
    return stamp
