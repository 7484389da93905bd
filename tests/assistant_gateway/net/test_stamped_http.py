import asyncio

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from assistant_gateway.net.stamped_http import came_ns
from assistant_gateway.net.web import listening, serving
from assistant_gateway.timing.timeline import wall_ns

HEAD = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"


async def read_then_tell(request: Request) -> PlainTextResponse:
    await request.body()
    return PlainTextResponse(str(came_ns(request)))


async def test_a_request_came_when_its_first_byte_did_not_when_it_had_been_read() -> None:
    app = Starlette(routes=[Route("/", read_then_tell, methods=["POST"])])
    with listening("127.0.0.1", 0) as at:
        async with asyncio.timeout(20), serving(app, at, "here"):
            reader, writer = await asyncio.open_connection(*at.getsockname())
            asked: list[tuple[int, int, int]] = []
            for _ in range(2):  # the second on the same connection
                before_ns = wall_ns()
                writer.write(HEAD)
                await reader.readuntil(b"100 Continue\r\n\r\n")
                between_ns = wall_ns()
                writer.write(b"{}")
                answer = await reader.readuntil(b"\r\n\r\n")
                length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                asked.append(
                    (before_ns, orjson.loads(await reader.readexactly(length)), between_ns)
                )
            writer.close()
            await writer.wait_closed()
    assert all(before_ns < stamp_ns < between_ns for before_ns, stamp_ns, between_ns in asked)
