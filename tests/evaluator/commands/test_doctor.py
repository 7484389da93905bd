"""What a user reads before the first run."""

import json
import logging
import sys
from typing import NoReturn

import pytest

from evaluator.commands.doctor import OPEN_FILES, _bench, examine
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem
from evaluator.run.settings import run_settings
from tests.conftest import free_port, need_mosquitto
from vehicle_bus.broker.mosquitto import mosquitto_broker

pytestmark = pytest.mark.malformed("what an agent may read is tried with empty payloads")


@pytest.mark.parametrize("query", ["", "?protocol=3.1.1"])
async def test_a_car_answers_over_both_versions_of_mqtt(query: str) -> None:
    need_mosquitto()
    async with mosquitto_broker() as port:
        url = f"mqtt://127.0.0.1:{port}{query}"
        settings = run_settings(RunOptions(broker=url), "doctor")
        checks = {check.name: check async for check in _bench(settings)}
    assert {name: check.state for name, check in checks.items() if name != "car"} == {
        "broker": "ok",
        "gateway": "ok",
        "access rules": "note",
    }
    assert checks["car"].detail.startswith("answers in ")


def test_the_last_line_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    examine("embedded", as_json=False)
    last = capsys.readouterr().out.splitlines()[-1]
    assert logging.getLogger("vehicle_bus.broker").level == logging.NOTSET
    assert last.startswith("ready")
    assert last.endswith("; next: codriver run --agent rules --broker embedded")


def test_what_ray_prints_is_no_part_of_the_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def connected(on: str, workers: str) -> NoReturn:
        sys.stdout.write("a node was added\n")
        raise InfraProblem(f"{on} with {workers} workers is not there")

    monkeypatch.setattr("evaluator.commands.doctor.check_on", lambda options: None)
    monkeypatch.setattr("evaluator.commands.doctor.connected", connected)
    with pytest.raises(InfraProblem, match="not ready: cluster"):
        examine("embedded", "ray", as_json=True)
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_a_missing_broker_is_said_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InfraProblem, match="not ready: broker"):
        examine(f"mqtt://u:secret@127.0.0.1:{free_port()}", as_json=False)
    out = capsys.readouterr().out
    assert "no MQTT broker answers at 127.0.0.1" in out
    assert "secret" not in out


@pytest.mark.parametrize(
    ("load", "limit", "noted"), [(0.1, OPEN_FILES, set()), (99.0, 16, {"load", "open files"})]
)
def test_a_busy_or_narrow_machine_is_noted(
    load: float,
    limit: int,
    noted: set[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("resource.getrlimit", lambda _: (limit, limit))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    examine("embedded", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    notes = {each["name"] for each in found["findings"] if each["state"] == "note"}
    assert notes - {"car"} == noted
