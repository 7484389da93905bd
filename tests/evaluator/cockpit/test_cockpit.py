"""What is chosen, started, paused and played again, seen by pages at their sockets."""

from pathlib import Path

import pytest

from evaluator.live import LiveCar
from evaluator.live.settings import task_named
from evaluator.problems import UsageProblem
from evaluator.scoring.scores import score
from evaluator.views.captions import MAIN_TYPES
from tests.evaluator.cockpit.served import PageSocket, page_socket, served
from tests.evaluator.runs import WORLD
from vehicle_bus.car.state import CarState

FAN = "Set the fan speed to 3."
KIDS = "base_kids_and_windows"


def fan_speed(car: LiveCar) -> int:
    state: CarState = car.servers.cars.vehicle(car.vin).state
    return state.fan_speed


def car_ns(car: LiveCar) -> int:
    return car.servers.cars.vehicle(car.vin).now_ns


def moved(socket: PageSocket) -> list[float]:
    """The distances driven that the page was told of, but for the first."""
    reports = [each["values"] for each in socket.heard if each["kind"] == "changed"]
    driven = [values["travelled_m"] for values in reports if "travelled_m" in values]
    return [each["value"] for each in driven if each["before"] is not None]


def past(socket: PageSocket) -> list[str]:
    """What the greeting says that has happened; the route is always told."""
    kinds = [each["kind"] for each in socket.hello["history"]]
    return [kind for kind in kinds if kind != "route"]


async def until_moving(socket: PageSocket) -> None:
    before = len(moved(socket))
    while len(moved(socket)) == before:
        await socket.until("changed")


async def refused(socket: PageSocket) -> str:
    text = (await socket.until("trouble"))["text"]
    assert isinstance(text, str)
    return text


async def test_nothing_of_a_task_happens_before_start() -> None:
    async with served("null", task=KIDS, motion_hz=10) as page, page_socket(page) as driver:
        assert (driver.hello["state"], driver.hello["chosen"]["task"]) == ("ready", KIDS)
        await driver.until("catalog")
        assert (car_ns(page.car), moved(driver)) == (0, [])
        await driver.send("start")
        await driver.until("stage", state="running")
        await until_moving(driver)
        assert car_ns(page.car) > 0


async def test_a_pause_holds_the_time_of_the_car_and_refuses_words() -> None:
    async with (
        served("null", task=KIDS, motion_hz=10, pace="live") as page,
        page_socket(page) as driver,
    ):
        await driver.send("start")
        await until_moving(driver)
        await driver.send("pause")
        await driver.until("stage", state="paused")
        there_ns = page.car.servers.cars.now_ns(page.car.vin)
        await driver.send("say", text="Hello.")
        assert "press start" in await refused(driver)
        await driver.send("say", text="Hello again.")
        await refused(driver)
        assert page.car.servers.cars.now_ns(page.car.vin) == there_ns >= car_ns(page.car)
        await driver.send("start")
        await driver.until("stage", state="running")
        await until_moving(driver)
        assert car_ns(page.car) > there_ns


async def test_words_start_what_waits() -> None:
    async with served() as page, page_socket(page) as driver:
        await driver.answer(FAN)
        assert [each["state"] for each in driver.heard if each["kind"] == "stage"] == ["running"]
        assert fan_speed(page.car) == 3


async def test_a_restart_brings_the_car_as_at_the_start_and_forgets_what_was() -> None:
    async with served(vin="demo") as page, page_socket(page) as driver:
        await driver.answer(FAN)
        await driver.send("restart")
        await driver.until("hello")
        assert (driver.hello["state"], past(driver)) == ("ready", [])
        assert (page.car.vin, fan_speed(page.car)) == ("demo", 0)
        turn = await driver.answer(FAN)
        assert (turn["turn"], fan_speed(page.car)) == (1, 3)


async def test_a_restart_in_the_middle_of_an_answer_does_not_wait_for_it() -> None:
    slow = {"latency_profile": "edge_8b_int4", "pace": "live"}
    async with served(**slow) as page, page_socket(page) as driver:
        await driver.send("say", text=FAN)
        await driver.until("began")
        await driver.send("restart")
        await driver.until("hello")
        assert past(driver) == []


async def test_another_task_agent_and_profile_are_chosen_on_the_page() -> None:
    async with served("null") as page, page_socket(page) as driver:
        gateway = page.car.servers.gateway.port
        await driver.send("choose", task="settle_open_window", latency_profile="cloud_fast")
        await driver.until("hello")
        assert driver.hello["chosen"]["latency_profile"] == "cloud_fast"
        assert driver.hello["agent"] == "null"
        assert page.car.servers.gateway.port == gateway  # the assistant stayed connected
        await driver.send("choose", agent="rules", task="")
        await driver.until("hello")
        assert (driver.hello["agent"], driver.hello["chosen"]["task"]) == ("rules", None)
        assert (await driver.answer(FAN))["heard"]
        assert fan_speed(page.car) == 3


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"agent": "replay:/etc"}, "agent is one of"),
        ({"faults": "/etc/passwd"}, "faults is one of none, flaky"),
        ({"latency_profile": "mine.yaml"}, "latency_profile is one of"),
        ({"task": "no_such_task"}, "there is no task 'no_such_task'"),
        ({"agent": "reference"}, "name one with --task"),
    ],
)
async def test_what_cannot_be_chosen_is_refused_and_nothing_changes(
    fields: dict[str, str], why: str
) -> None:
    async with served() as page, page_socket(page) as driver:
        await driver.send("choose", **fields)
        assert why in await refused(driver)
        await driver.answer(FAN)
        assert fan_speed(page.car) == 3


async def test_only_the_driver_may_choose_start_or_speak() -> None:
    async with served() as page, page_socket(page), page_socket(page) as watcher:
        for kind, fields in (
            ("say", {"text": FAN}),
            ("start", {}),
            ("pause", {}),
            ("restart", {}),
            ("choose", {"agent": "null"}),
            ("hang_up", {}),
        ):
            await watcher.send(kind, **fields)
            assert (await refused(watcher)).startswith("Another tab is the driver")
        await watcher.send("take")
        await watcher.until("seat", drives=True)
        await watcher.answer(FAN)


async def test_every_page_is_told_what_can_be_chosen() -> None:
    async with served() as page, page_socket(page) as driver:
        catalog = (await driver.until("catalog"))["catalog"]
        assert catalog["demo"] in {task["id"] for task in catalog["tasks"]}
        [task] = [each for each in catalog["tasks"] if each["id"] == KIDS]
        assert set(task) == {"id", "type", "subject", "title", "goal"}
        assert {"rules", "null", "reference"} <= set(catalog["agents"])
        assert {"none", "flaky"} <= set(catalog["faults"])
        assert catalog["paces"] == ["live", "fast"]
        for name, choices in (("agent", "agents"), ("latency_profile", "latency_profiles")):
            assert catalog["explained"][name].keys() == set(catalog[choices])
        async with page_socket(page) as late:
            assert late.hello["catalog"] == catalog


async def test_settings_in_the_address_are_chosen_until_something_was_started() -> None:
    async with served() as page:
        async with page_socket(page, "&agent=null&motion=true") as driver:
            await driver.until("hello")
            assert driver.hello["agent"] == "null"
            assert driver.hello["chosen"]["motion"] is True
            await driver.send("start")
            await driver.until("stage", state="running")
        async with page_socket(page, "&agent=rules") as reloaded:
            assert reloaded.hello["agent"] == "null"
            await reloaded.send("pause")
            await reloaded.until("stage", state="paused")
            assert reloaded.hello["agent"] == "null"


async def test_an_address_that_asks_for_what_cannot_be_is_told() -> None:
    async with served() as page, page_socket(page, "&pace=virtual") as driver:
        assert "The address of the page has a wrong setting" in await refused(driver)


async def test_two_assistants_hear_the_same_words_and_act_in_cars_of_their_own() -> None:
    async with (
        served("rules", agent_b="claims", vin="demo") as page,
        page_socket(page) as driver,
    ):
        lanes = [(lane["lane"], lane["agent"], lane["vin"]) for lane in driver.hello["lanes"]]
        assert lanes == [("a", "rules", "demo"), ("b", "claims", "demo-b")]
        await driver.send("say", text=FAN)
        over = [await driver.until("turn"), await driver.until("turn")]
        assert {turn["lane"] for turn in over} == {"a", "b"}
        a, b = (lane.car for lane in page.cockpit.lanes)
        assert (fan_speed(a), fan_speed(b)) == (3, 0)
        assert a.servers.address == b.servers.address


async def test_a_virtual_pace_is_refused() -> None:
    with pytest.raises(UsageProblem, match="--pace is one of live, fast"):
        async with served(pace="virtual"):
            pass


async def test_an_interruption_cuts_the_answer_and_is_said_before_what_waits() -> None:
    async with served(latency_profile="lpu_fast", pace="live") as page, page_socket(page) as driver:
        await driver.send("say", text="How far is it to Graz?")
        await driver.send("say", text="Open the trunk.")
        await driver.until("heard")
        await driver.send("interrupt", text=" Stop. ")
        turns = [await driver.until("turn") for _ in range(3)]
        assert [turn["handed_over"] for turn in turns] == [False, True, True]
        said = [each["text"] for each in driver.heard if each["kind"] == "driver"]
        assert said == ["How far is it to Graz?", "Stop.", "Open the trunk."]


WINDOW = "settle_open_window"


def opening(task: str) -> str:
    script = task_named(task).driver.script
    assert script is not None
    return script.opening


async def test_a_task_is_judged_while_it_is_played_and_at_its_end_as_in_a_run() -> None:
    async with served("reference", task=WINDOW) as page, page_socket(page) as driver:
        shown = [each for each in driver.hello["history"] if each["kind"] == "verdict"]
        first = shown[-1] if shown else await driver.until("verdict")
        assert (first["task"], first["final"], first["reward"]) == (WINDOW, False, 0.0)
        assert "open" in {step["state"] for step in first["so_far"]}
        await driver.answer(opening(WINDOW))
        so_far = await driver.until("verdict", reward=1.0)
        assert {step["state"] for step in so_far["so_far"]} == {"done"}
        assert {rule["state"] for rule in so_far["policies"]} == {"kept"}
        await driver.send("end", word="STOP")
        final = await driver.until("verdict", final=True)
        await driver.until("stage", state="over")
        scored = score(page.car.observer.since(), task_named(WINDOW), WORLD)
        assert (final["reward"], scored.reward, scored.outcome) == (1.0, 1.0, "success")
        async with page_socket(page) as late:
            assert late.hello["history"][-1] == final


async def test_what_goes_wrong_in_a_task_is_told_at_once() -> None:
    async with served("claims", task=WINDOW) as page, page_socket(page) as driver:
        await driver.answer(opening(WINDOW))
        await driver.send("knob", name="fan_speed", value=5)
        await driver.answer("Is it?")
        while "wrong" not in {step["state"] for step in driver.heard[-1].get("so_far", [])}:
            await driver.until("verdict")
        assert driver.heard[-1]["reward"] == 0.0


async def test_a_page_is_told_what_the_driver_of_a_task_says_first_and_how_it_may_end() -> None:
    limit = "limit_number_unknown"
    async with served("null", task=limit) as page, page_socket(page) as driver:
        assert driver.hello["task"]["opening"] == opening(limit)
        texts = {each["word"]: each["text"] for each in driver.hello["endings"]}
        assert texts["HALLUCINATION_ERROR"] == "limit not admitted"
        tasks = (await driver.until("catalog"))["catalog"]["tasks"]
        assert {each["type"] for each in tasks} == set(MAIN_TYPES.values())
        await driver.send("choose", task=None)
        await driver.until("hello")
        assert (driver.hello["task"], driver.hello["endings"]) == (None, [])


async def test_a_task_ends_only_with_a_word_that_it_offers() -> None:
    async with served("null", task=WINDOW) as page, page_socket(page) as driver:
        assert "STOP" in {each["word"] for each in driver.hello["endings"]}
        await driver.send("end", word="HALLUCINATION_ERROR")
        assert "does not end with" in await refused(driver)
        await driver.send("end", word="STOP")
        assert "Nothing has been said yet" in await refused(driver)
        await driver.send("start")
        await driver.until("stage", state="running")
        await driver.send("end", word="STOP")
        assert "nothing has been said yet" in await refused(driver)
        await driver.until("stage", state="running")


async def test_a_task_ends_while_the_assistant_speaks_and_nothing_more_is_said() -> None:
    live = {"latency_profile": "lpu_fast", "pace": "live", "agent_b": "rules"}
    async with served(task=WINDOW, **live) as page, page_socket(page) as driver:
        await driver.send("say", text="How far is it to Graz?")
        await driver.send("say", text="Open the trunk.")
        assert {(await driver.until("heard"))["lane"] for _ in "ab"} == {"a", "b"}
        await driver.send("end", word="STOP")
        for kind in ("say", "interrupt"):
            await driver.send(kind, text="Close it.")
        await driver.until("stage", state="ending")
        for _ in ("say", "interrupt"):
            assert "The task is ending" in await refused(driver)
        finals = [await driver.until("verdict", final=True) for _ in "ab"]
        assert {final["lane"] for final in finals} == {"a", "b"}
        await driver.until("stage", state="over")
        turns = [each["handed_over"] for each in driver.heard if each["kind"] == "turn"]
        said = {each["text"] for each in driver.heard if each["kind"] == "driver"}
        assert (turns, said) == ([False, False], {"How far is it to Graz?"})
        await driver.send("end", word="STOP")
        assert "The task is over" in await refused(driver)


async def test_what_was_given_on_the_command_line_stays_to_be_chosen(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("- {kind: refusal, tool: set_fan_speed}\n")
    async with served(faults=str(mine)) as page, page_socket(page) as driver:
        assert driver.hello["armed"] == ["call refused (set_fan_speed)"]
        await driver.send("choose", faults="none")
        await driver.until("hello")
        assert driver.hello["armed"] == []
        await driver.send("choose", faults=str(mine))
        await driver.until("hello")
        assert driver.hello["chosen"]["faults"] == str(mine)
