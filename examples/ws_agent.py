"""A whole agent in thirty lines: it can look at the windows and says so when asked for more.

codriver run --agent ws --gateway-port 8765 --agent-token secret
CODRIVER_TOKEN=secret python examples/ws_agent.py ws://127.0.0.1:8765
"""

import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with connect(
        f"{url}/agent",
        additional_headers=headers,
        subprotocols=["codriver.agent.v1"],  # type: ignore[list-item]
    ) as gateway:

        async def send(kind: str, cid: str | None = None, **data: object) -> None:
            await gateway.send(json.dumps({"type": kind, "sid": sid, "cid": cid, "data": data}))

        async for raw in gateway:
            frame = json.loads(raw)
            sid, data = frame["sid"], frame["data"]
            match frame["type"]:
                case "session.start":
                    await send("session.ready", name="example")
                case "input.transcript.final" if "window" in data["text"].lower():
                    await send("tool.call", "1", name="get_vehicle_window_positions", arguments={})
                    await send("response.done")
                case "input.transcript.final":
                    await send("response.text.delta", delta="Sorry, I only know about windows.")
                    await send("response.done")
                case "tool.result":
                    driver = json.loads(data["output"])["result"]["window_driver_position"]
                    await send("response.text.delta", delta=f"Yours is {driver} percent open.")
                    await send("response.done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], os.environ["CODRIVER_TOKEN"]))
