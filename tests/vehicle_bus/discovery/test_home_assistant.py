"""Home Assistant as its documentation has it: templates are rendered, commands published."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from jinja2 import Environment

from tests.vehicle_bus.cars import car
from tests.vehicle_bus.remote_car.running import TOPICS, VIN, RemoteRig, followed
from vehicle_bus.bus import Publication
from vehicle_bus.car.signals import SIGNALS
from vehicle_bus.discovery.home_assistant import discovery, forgotten
from vehicle_bus.remote_car.setters import SETTERS

Json = dict[str, Any]
JINJA = Environment(autoescape=False)
JINJA.globals["now"] = lambda: datetime.now(UTC)
CONTROLS = {"switch", "number", "select", "cover"}


def found(vehicle: Any) -> dict[str, tuple[str, Json]]:
    """Component and configuration by the last part of the unique id."""
    published = discovery(TOPICS, VIN, vehicle.declarations(), vehicle.signals())
    entities = {}
    for each in published:
        prefix, component, node, name, last = each.topic.split("/")
        assert (prefix, node, last, each.retain) == (
            "homeassistant",
            f"codriver_{VIN}",
            "config",
            True,
        )
        entities[name] = (component, dict(orjson.loads(each.payload)))
    assert len(entities) == len(published)
    return entities


class HomeAssistant:
    """One entity, shown and set as Home Assistant does it."""

    def __init__(self, rig: RemoteRig, component: str, config: Json) -> None:
        self._rig = rig
        self._component = component
        self._config = config

    def state(self) -> str:
        topic = self._config.get("state_topic") or self._config["position_topic"]
        path = topic.split("/signal/")[1].replace("/", ".")
        template = self._config.get("value_template") or self._config["position_template"]
        value = {"value": self._rig.remote.reading(path).value}
        return JINJA.from_string(template).render(value_json=value)

    def settings(self) -> list[tuple[str, str]]:
        """Payloads to send, and the state that each has to lead to."""
        config = self._config
        match self._component:
            case "switch":
                return [
                    (config["payload_on"], config["state_on"]),
                    (config["payload_off"], config["state_off"]),
                ]
            case "number":
                values = (config["max"], config["min"], config["min"] + config["step"])
                return [(self._rendered("command_template", value=v), f"{v:g}") for v in values]
            case "select":
                return [
                    (self._rendered("command_template", value=option), option)
                    for option in config["options"]
                ]
            case "cover" if "position_topic" in config:
                half = self._rendered("set_position_template", position=50)
                ends = [(config["payload_open"], "100"), (config["payload_close"], "0")]
                return [(half, "50"), *ends]
        return [(config["payload_open"], "open"), (config["payload_close"], "closed")]

    async def send(self, payload: str) -> None:
        """Publish a command, and wait for the revision that it makes."""
        remote = self._rig.remote
        before = remote.revision
        await self._rig.bus.publish(Publication(self._config["command_topic"], payload.encode()))
        async with asyncio.timeout(5), remote.changed:
            await remote.changed.wait_for(lambda: remote.revision > before)

    def _rendered(self, template: str, **values: Any) -> str:
        rendered = JINJA.from_string(self._config[template]).render(**values)
        orjson.loads(rendered)
        return rendered


@pytest.mark.parametrize("component", sorted(CONTROLS))
async def test_every_control_sets_the_car_and_shows_what_it_set(component: str) -> None:
    async with followed() as rig:
        controls = {
            name: HomeAssistant(rig, kind, config)
            for name, (kind, config) in found(rig.host.vehicle(VIN)).items()
            if kind == component
        }
        assert controls
        for name, control in controls.items():
            for payload, state in control.settings():
                if control.state().removesuffix(".0") != state:
                    await control.send(payload)
                assert (name, control.state().removesuffix(".0")) == (name, state)


def test_every_signal_is_an_entity_and_every_setter_a_control() -> None:
    entities = found(car())
    settable = {signal.name for signal in SIGNALS if signal.path in SETTERS}
    controls = {name for name, (component, _) in entities.items() if component in CONTROLS}
    assert controls == settable
    assert len(entities) == len(car().signals())
    assert len({config["unique_id"] for _, config in entities.values()}) == len(entities)
    assert {config["device"]["name"] for _, config in entities.values()} == {VIN}


@pytest.mark.parametrize("name", ["fan_speed", "ambient_light", "sunroof_position"])
def test_commands_that_are_templates_have_call_ids_of_their_own(name: str) -> None:
    _, config = found(car())[name]
    template = config.get("command_template") or config["set_position_template"]
    rendered = [JINJA.from_string(template).render(value="OFF", position=1) for _ in range(2)]
    assert rendered[0] != rendered[1]
    assert all('"call_id":' in each and "{{" not in each for each in rendered)


def test_a_car_without_a_tool_has_a_sensor_in_its_place() -> None:
    component, config = found(car("codriver", "set_fan_speed"))["fan_speed"]
    assert component == "sensor"
    assert "command_topic" not in config


def test_whether_the_car_is_there_is_read_from_its_status() -> None:
    _, config = found(car())["fan_speed"]
    assert config["availability_topic"] == TOPICS.status(VIN)
    template = JINJA.from_string(config["availability_template"])
    states = [template.render(value_json={"online": online}) for online in (True, False)]
    assert states == ["online", "offline"]


def test_what_was_published_can_be_forgotten() -> None:
    published = discovery(TOPICS, VIN, car().declarations(), car().signals())
    empty = forgotten(published)
    assert [each.topic for each in empty] == [each.topic for each in published]
    assert all(each.retain and not each.payload for each in empty)
