"""A whole agent in fifty lines: it finds the window that is open and closes it.

export CODRIVER_AGENT_TOKEN=secret
codriver run --agent ws --gateway-port 8765 --task-ids settle_open_window
CODRIVER_TOKEN=secret python examples/ws_agent.py ws://127.0.0.1:8765
"""

import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

WINDOWS = ("driver", "passenger", "driver_rear", "passenger_rear")


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with connect(
        f"{url}/agent",
        additional_headers=headers,
        subprotocols=[Subprotocol("codriver.agent.v1")],
    ) as gateway:

        async def send(kind: str, cid: str | None = None, **data: object) -> None:
            envelope = {"type": kind, "sid": sid, "turn": turn, "cid": cid, "data": data}
            await gateway.send(json.dumps(envelope))

        async def say(text: str) -> None:
            await send("response.text.delta", delta=text)
            await send("response.done")

        async def call(tool: str, **arguments: object) -> None:
            await send("tool.call", cid=tool, name=tool, arguments=arguments)
            await send("response.done")

        async for raw in gateway:
            frame = json.loads(raw)
            sid, turn, data = frame["sid"], frame["turn"], frame["data"]
            match frame["type"]:
                case "session.start":
                    await send("session.ready", name="example")
                case "input.transcript.final" if "window" in data["text"].lower():
                    await call("get_vehicle_window_positions")
                case "input.transcript.final":
                    await say("Sorry, I only know about windows.")
                case "tool.result" if data["error"] is not None:
                    await say("The car does not answer.")
                case "tool.result" if '"SUCCESS"' not in data["output"]:  # JSON, or plain text
                    await say("Sorry, that did not work.")
                case "tool.result" if frame["cid"] == "get_vehicle_window_positions":
                    result = json.loads(data["output"])["result"]
                    window = max(WINDOWS, key=lambda name: result[f"window_{name}_position"])
                    await call("open_close_window", window=window.upper(), percentage=0)
                case "tool.result":
                    await say("I've closed it.")
                case "error":
                    print(data["message"], file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2 or "CODRIVER_TOKEN" not in os.environ:
        sys.exit("start me as CODRIVER_TOKEN=… python ws_agent.py ws://HOST:PORT")
    try:
        asyncio.run(main(sys.argv[1], os.environ["CODRIVER_TOKEN"]))
    except OSError:
        sys.exit(f"no gateway answers at {sys.argv[1]}; start it first")
    except WebSocketException as error:  # a wrong token, or a gateway that died
        sys.exit(f"{sys.argv[1]}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
