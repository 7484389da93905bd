"""The VISS server, asked by a client of others and by plain messages."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from kuksa_client import KuksaClientThread  # type: ignore[import-untyped]
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.vehicle_bus.cars import car
from tests.vehicle_bus.remote_car.running import VIN, RemoteRig, followed
from vehicle_bus.bus import BusError
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.signals import SIGNALS
from vehicle_bus.remote_car import remote_car
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.viss.server import SUBPROTOCOL, viss_server

HVAC = "Vehicle.Cabin.HVAC"
FAN = f"{HVAC}.Station.Row1.Driver.FanSpeed"
WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"
FOG = "Vehicle.Body.Lights.Fog.Front.IsOn"
Json = dict[str, Any]


class VissClient:
    """Sends requests as they stand in the specification."""

    def __init__(self, rig: RemoteRig, socket: ClientConnection) -> None:
        self.rig = rig
        self._socket = socket
        self._numbers = iter(range(1, 1000))
        self.events: list[Json] = []

    async def ask(self, action: str, path: str | None = None, **fields: Any) -> Json:
        number = str(next(self._numbers))
        request = {"action": action, "path": path, "requestId": number, **fields}
        await self._socket.send(json.dumps({k: v for k, v in request.items() if v is not None}))
        while (answer := await self._received()).get("requestId") != number:
            self.events.append(answer)
        assert answer.pop("action") == action
        assert _is_utc(answer.pop("ts"))
        del answer["requestId"]
        return answer

    async def send(self, raw: str | bytes) -> Json:
        await self._socket.send(raw)
        return await self._received()

    async def event(self) -> Json:
        event = self.events.pop(0) if self.events else await self._received()
        assert event.pop("action") == "subscription"
        assert _is_utc(event.pop("ts"))
        return event

    async def reason(self, action: str, path: str | None = None, **fields: Any) -> str:
        """The number and reason of the error that a request has to end with."""
        error = (await self.ask(action, path, **fields))["error"]
        assert error["message"]
        return f"{error['number']} {error['reason']}"

    async def _received(self) -> Json:
        async with asyncio.timeout(5):
            return dict(json.loads(await self._socket.recv()))


@asynccontextmanager
async def client(vehicle: Vehicle | None = None) -> AsyncIterator[VissClient]:
    async with (
        followed(vehicle) as rig,
        viss_server(rig.remote) as url,
        connect(url, subprotocols=[SUBPROTOCOL]) as socket,
    ):
        assert socket.subprotocol == SUBPROTOCOL
        yield VissClient(rig, socket)


def _is_utc(text: str) -> bool:
    return text.endswith("Z") and datetime.fromisoformat(text).tzinfo == UTC


def values(data: Any) -> dict[str, Any]:
    """Values by path, of one data point or several."""
    listed = data if isinstance(data, list) else [data]
    assert all(_is_utc(point["dp"]["ts"]) for point in listed)
    return {point["path"]: point["dp"]["value"] for point in listed}


async def test_a_client_of_kuksa_reads_subscribes_and_sets() -> None:
    """Eclipse KUKSA's own client, which speaks VISS over WebSocket with `protocol` ws."""
    async with followed() as rig, viss_server(rig.remote) as url:
        port = int(url.rpartition(":")[2])
        seen = await asyncio.to_thread(_with_kuksa, port)
        assert rig.host.vehicle(VIN).state.fan_speed == 3
    assert seen["before"]["data"]["dp"]["value"] == "0"
    assert "error" not in seen["set"]
    assert seen["event"]["data"] == {
        "path": FAN,
        "dp": {"value": "60", "ts": seen["event"]["data"]["dp"]["ts"]},
    }
    assert seen["read-only"]["error"]["reason"] == "read_only"
    assert seen["metadata"]["metadata"]["FanSpeed"]["type"] == "actuator"
    assert "error" not in seen["unsubscribed"]


def _with_kuksa(port: int) -> dict[str, Json]:
    events: asyncio.Queue[str] = asyncio.Queue()
    kuksa = KuksaClientThread({"ip": "127.0.0.1", "port": port, "protocol": "ws"})
    kuksa.start()
    try:
        while not kuksa.connection_established():
            kuksa.join(0.01)
        seen = {
            "before": kuksa.getValue(FAN),
            "subscribed": kuksa.subscribe(FAN, events.put_nowait),
        }
        seen["set"] = kuksa.setValue(FAN, "60", "targetValue")
        while events.empty():
            kuksa.join(0.01)
        seen["event"] = events.get_nowait()
        battery = "Vehicle.Powertrain.TractionBattery.Range"
        seen["read-only"] = kuksa.setValue(battery, "1", "targetValue")
        seen["metadata"] = kuksa.getMetaData(FAN)
        number = json.loads(seen["subscribed"])["subscriptionId"]
        seen["unsubscribed"] = kuksa.unsubscribe(number)
    finally:
        kuksa.stop()
        kuksa.join(5)
        kuksa.loop.close()  # it leaves that to us
    return {name: json.loads(text) for name, text in seen.items()}


async def test_a_page_in_a_browser_is_refused() -> None:
    async with followed() as rig, viss_server(rig.remote) as url:
        with pytest.raises(InvalidStatus, match="403"):
            await connect(url, subprotocols=[SUBPROTOCOL], origin=Origin("https://example.org"))


async def test_every_signal_of_the_car_is_read_by_its_path() -> None:
    async with client() as viss:
        got = values((await viss.ask("get", "Vehicle"))["data"])
        shown = viss.rig.host.vehicle(VIN).signals()
        assert got.keys() == {path for path, value in shown.items() if value is not None}
        assert values((await viss.ask("get", FOG.replace(".", "/")))["data"]) == {FOG: "false"}


async def test_wildcards_and_paths_filters_name_several_signals() -> None:
    async with client() as viss:
        got = await viss.ask("get", "Vehicle.Cabin.Door.*.*.Window.Position")
        assert len(values(got["data"])) == 4
        wanted = {"type": "paths", "parameter": ["Door.Row1.*.Window", "Sunroof.Position"]}
        got = await viss.ask("get", "Vehicle.Cabin", filter=wanted)
        assert len(values(got["data"])) == 3


async def test_setting_a_signal_is_a_command_with_the_tool_that_owns_it() -> None:
    async with client() as viss:
        assert await viss.ask("set", WINDOW, value="40") == {}
        assert viss.rig.host.vehicle(VIN).state.window_driver_position == 40
        assert values((await viss.ask("get", WINDOW))["data"]) == {WINDOW: "40"}


async def test_what_cannot_be_done_is_an_error_with_number_and_reason() -> None:
    async with client(car("codriver", "set_fan_speed")) as viss:
        assert await viss.reason("set", "Vehicle.Nowhere", value="1") == "404 invalid_path"
        assert await viss.reason("get", "Vehicle.Nowhere") == "404 invalid_path"
        assert await viss.reason("set", FAN, value="60") == "401 read_only"
        assert await viss.reason("set", WINDOW, value="wide") == "400 invalid_value"
        assert await viss.reason("set", WINDOW, value="101") == "400 invalid_value"
        roof = "Vehicle.Cabin.Sunroof.Position"
        assert await viss.reason("set", roof, value="-5") == "400 invalid_value"  # the car's limit
        destination = "Vehicle.Cabin.Infotainment.Navigation.DestinationSet.Latitude"
        assert await viss.reason("get", destination) == "404 unavailable_data"
        assert await viss.reason("unsubscribe", subscriptionId="9") == "404 invalid_subscriptionId"
        assert await viss.reason("set", WINDOW) == "400 bad_request"
        assert await viss.reason("fetch", WINDOW) == "400 bad_request"
        curve = {"type": "curvelog", "parameter": {"maxerr": "1", "bufsize": "9"}}
        assert await viss.reason("subscribe", WINDOW, filter=curve) == "400 filter_invalid"
        never = {"type": "timebased", "parameter": {"period": "0"}}
        assert await viss.reason("subscribe", WINDOW, filter=never) == "400 invalid_duration"


async def test_faults_of_the_car_are_errors_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    async with client() as viss:
        await viss.rig.host.plan(VIN, Fault(kind="refusal", text="Not now."))
        assert await viss.reason("set", WINDOW, value="40") == "503 service_unavailable"
        await viss.rig.host.clear_faults(VIN)
        monkeypatch.setattr(remote_car, "ANSWER_WITHIN_S", 0.05)
        await viss.rig.host.plan(VIN, Fault(kind="lost_command"))
        assert await viss.reason("set", WINDOW, value="40") == "504 gateway_timeout"


@pytest.mark.parametrize("raw", ["{", "[]", b"\x00", '{"action": "get"}', '{"requestId": "1"}'])
async def test_what_is_no_request_is_answered_and_the_connection_goes_on(raw: str | bytes) -> None:
    async with client() as viss:
        answer = await viss.send(raw)
        assert answer["error"]["number"] == 400
        assert (await viss.ask("get", FOG))["data"]


async def test_a_subscription_sends_each_change_until_it_is_ended() -> None:
    async with client() as viss:
        number = (await viss.ask("subscribe", WINDOW))["subscriptionId"]
        for position in ("10", "20"):
            await viss.ask("set", WINDOW, value=position)
            event = await viss.event()
            assert (event["subscriptionId"], values(event["data"])) == (number, {WINDOW: position})
        await viss.ask("unsubscribe", subscriptionId=number)
        await viss.ask("set", WINDOW, value="30")
        await viss.ask("get", WINDOW)
        assert viss.events == []


async def test_a_subscription_to_a_branch_sends_lists() -> None:
    async with client() as viss:
        await viss.ask("subscribe", HVAC)
        await viss.rig.remote.call("set_window_defrost", {"on": True, "defrost_window": "ALL"})
        seen: dict[str, Any] = {}
        while len(seen) < 2:
            event = await viss.event()
            assert isinstance(event["data"], list)
            seen |= values(event["data"])
        assert seen == {
            f"{HVAC}.IsFrontDefrosterActive": "true",
            f"{HVAC}.IsRearDefrosterActive": "true",
        }


@pytest.mark.parametrize(
    ("wanted", "positions"),
    [
        ({"type": "change", "parameter": {"logic-op": "gt", "diff": "15"}}, ["30", "50"]),
        ({"type": "change", "parameter": {"logic-op": "lt", "diff": "0"}}, ["0"]),
        ({"type": "range", "parameter": {"boundary-op": "gte", "boundary": "30"}}, ["30", "50"]),
        (
            {
                "type": "range",
                "parameter": [
                    {"boundary-op": "lt", "boundary": "5", "combination-op": "OR"},
                    {"boundary-op": "gt", "boundary": "45"},
                ],
            },
            ["50", "0"],
        ),
        ('{"type": "range", "parameter": {"boundary-op": "eq", "boundary": "10"}}', ["10"]),
    ],
)
async def test_filters_send_only_what_was_asked_for(wanted: object, positions: list[str]) -> None:
    async with client() as viss:
        await viss.ask("subscribe", WINDOW, filter=wanted)
        for position in ("10", "30", "50", "0"):
            await viss.ask("set", WINDOW, value=position)
            await viss.ask("get", WINDOW)  # its event, if any, has arrived before the answer
        assert [values(event["data"])[WINDOW] for event in viss.events] == positions


async def test_a_timebased_subscription_sends_whether_or_not_anything_changes() -> None:
    async with client() as viss:
        often = {"type": "timebased", "parameter": {"period": "20"}}
        await viss.ask("subscribe", FOG, filter=often)
        assert [values((await viss.event())["data"]) for _ in range(3)] == [{FOG: "false"}] * 3


async def test_metadata_tells_what_can_be_set_and_what_the_server_can_do() -> None:
    async with client(car("codriver", "set_fan_speed")) as viss:
        wanted = {"type": "static-metadata", "parameter": ""}
        tree = (await viss.ask("get", "Vehicle", filter=wanted))["metadata"]["Vehicle"]
        driver = tree["children"]["Cabin"]["children"]["HVAC"]["children"]["Station"]["children"][
            "Row1"
        ]["children"]["Driver"]["children"]
        assert driver["Temperature"] == {
            "type": "actuator",
            "datatype": "float",
            "unit": "Celsius",
        }
        assert driver["FanSpeed"]["type"] == "sensor"
        wanted = {"type": "dynamic-metadata", "parameter": "server_capabilities"}
        known = (await viss.ask("get", "Vehicle", filter=wanted))["metadata"]
        assert known["transport_protocol"] == ["ws"]


async def test_subscriptions_of_two_clients_do_not_meet() -> None:
    async with client() as viss, viss_server(viss.rig.remote) as url, connect(url) as other:
        assert other.subprotocol is None
        await viss.ask("subscribe", WINDOW)
        await other.send(json.dumps({"action": "set", "path": WINDOW, "value": 5, "requestId": 1}))
        assert "error" not in json.loads(await other.recv())
        assert values((await viss.event())["data"]) == {WINDOW: "5"}
        await other.send(json.dumps({"action": "get", "path": WINDOW, "requestId": 2}))
        assert json.loads(await other.recv())["action"] == "get"  # no event of the other client


async def test_a_port_that_is_taken_is_said() -> None:
    async with followed() as rig, viss_server(rig.remote) as url:
        with pytest.raises(BusError, match="choose another --viss"):
            async with viss_server(rig.remote, port=int(url.rpartition(":")[2])):
                pass


def test_all_paths_have_distinct_places_in_the_tree() -> None:
    paths = {signal.path for signal in SIGNALS}
    assert len(paths) == len(SIGNALS)
    assert not any(other.startswith(f"{path}.") for path in paths for other in paths)
