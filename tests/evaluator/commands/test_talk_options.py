"""What `serve` and `play` are told about car, speech, budgets and model takes effect."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.cockpit.about import about
from evaluator.cockpit.scenario import scenario
from evaluator.live import CarRequest, LiveSettings, Reply, live_car
from evaluator.live.settings import talk_settings, talk_setup, task_named
from evaluator.options import ServeOptions, TalkOptions
from evaluator.problems import UsageProblem
from tests.assistant_gateway.chat_server import chat_server, said
from tests.evaluator.runs import WORLD
from tests.vehicle_bus.small_world import MUN, SMALL
from vehicle_bus.car.state import context_at_start

FAN = "Set the fan speed to 3."


def settings_with(**options: Any) -> LiveSettings:
    """Settings without the waiting for speech."""
    options = {"latency_profile": "zero", **options}
    return replace(talk_settings(TalkOptions(**options)), pace="fast")


async def a_turn(settings: LiveSettings, words: str = FAN) -> Reply:
    async with live_car(settings, WORLD) as car:
        return await car.say(words)


def written(folder: Path, text: str) -> str:
    file = folder / "of_my_own.yaml"
    file.write_text(text)
    return str(file)


async def test_the_car_has_the_name_it_was_given() -> None:
    settings, world, request = talk_setup(TalkOptions(vin="demo"))
    async with live_car(settings, world, request) as car:
        assert car.vin == "demo"


def test_a_free_drive_begins_with_a_charged_car_and_a_task_as_it_says() -> None:
    _, _, free = talk_setup(TalkOptions())
    assert context_at_start(free.setup.start).state_of_charge == 80
    task = "base_range_drops"
    _, _, played = talk_setup(TalkOptions(task=task))
    assert played.setup == task_named(task).car


def test_a_port_for_a_broker_that_is_not_ours_is_refused() -> None:
    with pytest.raises(UsageProblem, match="--broker names another one"):
        talk_settings(TalkOptions(broker="mqtt://127.0.0.1:1", broker_port=1883))


async def test_faults_are_on_the_bus(tmp_path: Path) -> None:
    settings = settings_with(faults=written(tmp_path, "- {kind: refusal, tool: set_fan_speed}\n"))
    async with live_car(settings, WORLD) as car:
        reply = await car.say(FAN)
        faults = [e for e in car.observer.since().entries if e.rest == "event/fault"]
        assert [entry.fields["detail"]["kind"] for entry in faults] == ["refusal"]
        *looked_up, changed = [call.reply.fault for call in reply.calls if call.reply]
        assert (set(looked_up), changed) == ({None}, "f1")
        car.unchanged()


async def test_the_reference_agent_knows_what_is_to_go_wrong(tmp_path: Path) -> None:
    faults = written(tmp_path, "- {kind: refusal, tool: open_close_window, times: 2}\n")
    request = CarRequest(task=task_named("settle_open_window"))
    async with live_car(settings_with(agent="reference", faults=faults), WORLD, request) as car:
        reply = await car.say("Close the window, please.")
        closing = [call.reply for call in reply.calls if call.tool == "open_close_window"]
        statuses = [answer.status for answer in closing if answer is not None]
        assert statuses == ["FAILURE", "FAILURE", "SUCCESS"]


async def test_turns_are_judged_by_the_limits_of_the_profile() -> None:
    reply = await a_turn(settings_with(budget_profile="strict"))
    assert reply.turn.verdict["limits"]["first_speech"] == [1.125, 2.25]
    assert "limits" not in (await a_turn(settings_with())).turn.verdict


def test_the_page_tells_the_limits_that_are_applied() -> None:
    limits = about(scenario(ServeOptions(budget_profile="strict"), WORLD), WORLD).limits
    assert (limits["E"].soft, limits["E"].hard) == (0.9, 1.875)


async def test_speech_takes_the_time_of_its_profile(tmp_path: Path) -> None:
    patient = written(tmp_path, "source: a test\nendpointing_ms: 900\n")
    reply = await a_turn(settings_with(speech_profile=patient))
    assert reply.turn.spans["eou_delay"] == 900_000_000


async def test_a_turn_without_a_word_in_time_ends_if_that_was_asked_for(tmp_path: Path) -> None:
    slow = written(tmp_path, "source: a test\nshift_ms: 20000\nmedian_ms: 1\nsigma: 0.1\n")
    (tmp_path / "tight").mkdir()
    text = "source: a test\nlimits: {first_speech: {soft_s: 0.4, hard_s: 0.6}}\n"
    tight = written(tmp_path / "tight", text)
    settings = settings_with(latency_profile=slow, budget_profile=tight, on_hard_limit="end")
    reply = await a_turn(settings)
    assert (reply.text, reply.turn.handed_over) == ("", False)
    assert reply.turn.verdict["hard_miss"]


async def test_the_model_is_asked_as_the_options_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    asked: dict[str, Any] = {"temperature": 0.3, "reasoning_effort": "low"}
    async with chat_server(said("Hello.")) as model:
        more = {"base_url": model.url, "extra_body": '{"top_p": 0.9}'}
        await a_turn(settings_with(agent="openai:any", **asked, **more))
    (request,) = model.requests
    assert {name: request[name] for name in (*asked, "top_p")} == {**asked, "top_p": 0.9}


def test_an_a2a_agent_has_as_long_as_was_said() -> None:
    assert settings_with(agent="a2a:http://127.0.0.1:9", agent_timeout_s=7.0).agent.timeout_s == 7.0


def test_a_page_is_told_which_places_have_a_route_from_where_the_car_is() -> None:
    here = {"id": MUN, "name": "Munich", "position": {"longitude": 11.6, "latitude": 48.1}}
    told = about(scenario(ServeOptions(), SMALL, {"current_location": here}), SMALL)
    assert told.destinations == ["Essen", "Berlin", "Hamburg"]
