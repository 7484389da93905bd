"""The flow for Node-RED in examples/: its nodes are wired, and its topics are those of a car."""

import asyncio
from typing import Any

import orjson

from tests.conftest import EXAMPLES
from tests.vehicle_bus.remote_car.running import TOPICS, VIN, followed
from vehicle_bus.bus import Publication

NODES: dict[str, dict[str, Any]] = {
    node["id"]: node for node in orjson.loads((EXAMPLES / "node_red_flow.json").read_bytes())
}
BROUGHT = {"tab", "mqtt-broker", "mqtt in", "mqtt out", "inject", "debug"}  # by Node-RED itself


def of_type(kind: str) -> list[dict[str, Any]]:
    return [node for node in NODES.values() if node["type"] == kind]


def test_every_node_is_one_that_node_red_brings_and_every_wire_ends_at_a_node() -> None:
    assert {node["type"] for node in NODES.values()} == BROUGHT
    for node in NODES.values():
        for output in node.get("wires", ()):
            assert set(output) <= NODES.keys()
        assert node.get("z", "codriver-tab") in NODES
        assert node.get("broker", "codriver-broker") in (*NODES, "127.0.0.1")


async def test_its_buttons_move_the_car_and_it_shows_what_the_car_publishes() -> None:
    async with followed() as rig:
        shown = {TOPICS.signal(VIN, path) for path in rig.remote.readings}
        listening = {node["topic"] for node in of_type("mqtt in")}
        assert listening - shown == {TOPICS.reply(VIN, "anonymous")}
        for button in of_type("inject"):
            [[target]] = button["wires"]
            wanted = orjson.loads(button["payload"])["arguments"]["percentage"]
            command = Publication(NODES[target]["topic"], button["payload"].encode())
            before = rig.remote.revision
            await rig.bus.publish(command)
            async with asyncio.timeout(5), rig.remote.changed:
                while rig.remote.revision == before:
                    await rig.remote.changed.wait()
            assert rig.host.vehicle(VIN).state.sunroof_position == wanted
