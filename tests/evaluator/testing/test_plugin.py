"""The pytest plug-in, used by pytest in a process of its own as anybody's project would."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.timing.timeline import SECOND
from tests.conftest import EXAMPLES, Serve, need_node
from tests.evaluator.command_line import environment

PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error")
PLUGINS = ("-p", "evaluator.testing.plugin", "-p", "pytest_asyncio.plugin")
LOOP = ("-o", "asyncio_default_fixture_loop_scope=function")
QUICK = ("--codriver-broker", "embedded")
CLOSES = """
import pytest

@pytest.mark.codriver(start={"window_driver_position": 50})
def test_closes(car):
    car.say("Close the driver window, please.").wait()
    car.changed("window_driver_position", to=0)
"""


def command(*options: str, plugins: tuple[str, ...] = PLUGINS) -> list[str]:
    return [*PYTEST, *plugins, *LOOP, *options]


def surroundings(**variables: str) -> dict[str, str]:
    return environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **variables)


def run(folder: Path, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*options),
        cwd=folder,
        env=surroundings(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )


def summary(done: "subprocess.CompletedProcess[str]") -> str:
    """The last line without its time."""
    return re.sub(r" in [\d.]+s.*", "", done.stdout.splitlines()[-1]).strip("= ")


def test_the_example_project_passes() -> None:
    done = run(EXAMPLES / "integration", *QUICK)
    assert summary(done) == "8 passed", done.stdout


ASYNC = """
import asyncio
import pytest

@pytest.fixture
def words():
    return "Close the driver window, please."

@pytest.mark.parametrize("number", [1, 2])
async def test_it_is_awaited(car, words, number):
    await car.say(words)
    asyncio.get_running_loop()

class TestMore:
    async def test_it_is_awaited_in_a_class(self, car):
        await car.say("Open the trunk.")

async def test_it_may_fail(car):
    assert (await car.say("Hello.")).text == "no"
"""


@pytest.mark.parametrize(
    "options",
    [("-o", "asyncio_mode=strict"), ("-o", "asyncio_mode=auto"), ("-p", "no:asyncio")],
)
def test_async_tests_run_in_every_mode_and_without_another_plugin(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(ASYNC)
    plugins = PLUGINS[:2] if "no:asyncio" in options else (*PLUGINS, *LOOP, *options)
    done = subprocess.run(
        [*PYTEST, *plugins, *QUICK],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert summary(done) == "1 failed, 3 passed", done.stdout
    assert "FAILED test_it.py::test_it_may_fail" in done.stdout


FAILING = """
import pytest

HALF_OPEN = {"window_driver_position": 50}

@pytest.mark.codriver(start=HALF_OPEN)
def test_plain_assert(car):
    car.say("Close the driver window, please.").wait()
    assert car.signal("window_driver_position") == 7

@pytest.mark.codriver(start=HALF_OPEN)
async def test_expectation(car):
    reply = await car.say("Close the driver window, please.")
    reply.within_ms(1)

def test_forgotten(car):
    car.say("Close the driver window, please.")
    car.not_commanded("open_close_window")

async def test_forgotten_to_the_end(car):
    car.say("Close the driver window, please.")

@pytest.mark.codriver(agnt="rules")
def test_marker(car): ...

@pytest.mark.codriver(agent="rulez")
def test_agent(car): ...

@pytest.mark.codriver(pace="virtual")
def test_pace(car): ...

@pytest.mark.codriver(start={"wings": 2})
def test_start(car): ...

@pytest.mark.codriver(task="no_such_task")
def test_task(car): ...

@pytest.mark.codriver(agent="reference")
def test_reference(car): ...

@pytest.mark.codriver(broker="mqtt://127.0.0.1:1")
def test_broker(car): ...

@pytest.mark.codriver(agent="ws", agent_wait=0.2)
def test_nobody_comes(car): ...

@pytest.mark.codriver(agent_command=f"{__import__('sys').executable} -c 'exit(\\"no key\\")'")
def test_ends_at_once(car): ...

@pytest.mark.codriver(agent="openai:x", base_url="http://127.0.0.1:1")
def test_model_is_away(car):
    car.say("Hello?").wait()

@pytest.mark.codriver(agent="openai:x", base_url="http://127.0.0.1:1")
async def test_model_is_still_away(car):
    await car.say("Hello?")

@pytest.mark.codriver(agent_command="no-such-program")
def test_no_program(car): ...
"""


def test_what_is_wrong_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILING)
    secrets = {"CODRIVER_AGENT_TOKEN": "canary-3f9c", "OPENAI_API_KEY": "canary-8d1e"}
    done = run(tmp_path, *QUICK, "--showlocals", "-o", "asyncio_mode=auto", **secrets)
    assert summary(done) == "3 failed, 1 passed, 13 errors", done.stdout
    for line in (
        r"E .*assert 0 == 7",
        r"E       AssertionError: upl took \d+ ms, expected within 1 ms",
        "E       measured: eou_delay 300 ms, ttft_text .*",
        r"E         driver: Close the driver window, please\.",
        r"  driver: Close the driver window, please\.",  # the section of the plain assert
        r"car\.say\('Close the .*'\) was never awaited; write `await car\.say\(.* not async",
        "the marker codriver does not take agnt; it takes start, task, vin, turn_class, agent.*",
        "--codriver-agent is one of .*, not 'rulez'",
        "--codriver-pace is one of fast, live, not 'virtual'|--codriver-pace virtual needs .*",
        "the start values do not fit the car: start: .*no car has wings; known are .*",
        "there is no task 'no_such_task'; `codriver tasks list` shows them",
        "--codriver-agent reference follows the plan of a task; name one in the marker",
        r"no MQTT broker answers at 127\.0\.0\.1:1.*",
        r"no agent connected to ws://127\.0\.0\.1:\d+/agent within 0\.2 s; .*",
        r"the agent crashed: its command ended with code 1; it says why in .*agent\.log: no key",
        r"nobody answers at http://127\.0\.0\.1:1 \(.*\); is the server running.*",
        "no-such-program cannot be started: .*; check the agent's command",
    ):
        assert re.search(f"^{line}$", done.stdout, re.MULTILINE), (line, done.stdout)
    assert "During handling of the above exception" not in done.stdout
    assert "conversation.py" not in done.stdout
    assert "canary" not in done.stdout + done.stderr


def test_a_broker_of_your_own_carries_it_all(tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "test_it.py").write_text(CLOSES)

    async def beside_a_broker() -> tuple[bytes, int | None]:
        async with serve() as port:
            broker = ("--codriver-broker", f"mqtt://127.0.0.1:{port}")
            process = await asyncio.create_subprocess_exec(
                *command(*broker),
                cwd=tmp_path,
                env=surroundings(),
                stdout=subprocess.PIPE,
            )
            stdout, _ = await process.communicate()
            return stdout, process.returncode

    stdout, code = asyncio.run(beside_a_broker())
    assert code == 0, stdout.decode()


@pytest.mark.parametrize("agent", ["ws_agent.py", "ws_agent.mjs"])
def test_a_program_of_your_own_is_started_and_stopped(agent: str, tmp_path: Path) -> None:
    runner = need_node() if agent.endswith(".mjs") else sys.executable
    (tmp_path / "test_it.py").write_text(CLOSES + CLOSES.replace("closes", "closes_again"))
    program = f"{runner} {EXAMPLES / agent} {{url}}"
    done = run(tmp_path, *QUICK, CODRIVER_AGENT_COMMAND=program)
    assert summary(done) == "2 passed", done.stdout


ENDS = """
import pytest
from evaluator.live import ConversationBroken
from evaluator.testing.blocking_contexts import BenchBroken

def test_ends(car):
    with pytest.raises(BenchBroken, match="^the agent ended too early: .* code 0; "):
        for _ in range(10):
            try:
                car.say("Close the window.").wait()
            except ConversationBroken:
                pass
"""


def test_a_program_that_ends_is_reported_and_started_again(
    tmp_path: Path,
) -> None:
    agent = (EXAMPLES / "ws_agent.py").read_text()
    last_word = 'await say("I\'ve closed it.")'
    assert last_word in agent
    (tmp_path / "agent.py").write_text(agent.replace(last_word, f"{last_word}; return"))
    (tmp_path / "test_it.py").write_text(ENDS + CLOSES)
    program = f"{sys.executable} {tmp_path / 'agent.py'} {{url}}"
    done = run(tmp_path, *QUICK, "--codriver-agent-command", program)
    assert summary(done) == "2 passed", done.stdout


@pytest.mark.parametrize(
    ("instead", "told", "element"),
    [("sys.exit(7)", r"\d errors?", "error"), ("await say('Later.')", "1 failed", "failure")],
)
def test_an_agent_that_crashes_is_an_error_and_a_bad_one_a_failure(
    instead: str, told: str, element: str, tmp_path: Path
) -> None:
    agent = (EXAMPLES / "ws_agent.py").read_text()
    look_up = 'await call("get_vehicle_window_positions")'
    assert look_up in agent
    (tmp_path / "agent.py").write_text(agent.replace(look_up, instead))
    (tmp_path / "test_it.py").write_text(CLOSES)
    program = f"{sys.executable} {tmp_path / 'agent.py'} {{url}}"
    report = tmp_path / "report.xml"
    done = run(tmp_path, *QUICK, "--codriver-agent-command", program, f"--junitxml={report}")
    assert re.fullmatch(told, summary(done)), done.stdout
    assert f"<{element} " in report.read_text()
    assert "background_tasks.py" not in done.stdout


def test_a_command_wins_over_the_agent_of_a_weaker_place_only(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CLOSES)
    program = f"{sys.executable} {EXAMPLES / 'ws_agent.py'} {{url}}"
    command = (*QUICK, "--codriver-agent-command", program)
    done = run(tmp_path, *command, "-o", "codriver_agent=rules", CODRIVER_AGENT="null")
    assert summary(done) == "1 passed", done.stdout
    done = run(tmp_path, *command, "--codriver-agent", "rules")
    assert summary(done) == "1 error", done.stdout
    assert "--codriver-agent rules needs none" in done.stdout


def test_the_examples_in_the_manual_run(tmp_path: Path) -> None:
    manual = (EXAMPLES.parent / "docs" / "testing.md").read_text()
    a_test, a_program = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    (tmp_path / "test_it.py").write_text(a_test)
    done = run(tmp_path, *QUICK)
    assert summary(done) == "1 passed", done.stdout
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", a_program],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert "{'window_driver_position': 0}" in printed.stdout, printed.stderr


FAULTY = """
import pytest

pytestmark = pytest.mark.codriver(start={"window_driver_position": 50}, tool_timeout=0.2)

def test_lost(car):
    car.fault("lost_command", tool="open_close_window")
    reply = car.say("Close the driver window, please.").wait()
    reply.does_not_say(r"\\bclosed\\b")
    car.unchanged()

async def test_contradicted(car):
    car.fault("contradiction", calls="get", set={"window_driver_position": 100}, times=None)
    reply = await car.say("How far open is the driver window?")
    assert [call.reply.fault for call in reply.calls if call.tool.startswith("get_")][-1]

def test_wrong(car):
    with pytest.raises(ValueError, match="needs for_s"):
        car.fault("offline")
"""


def test_any_fault_of_a_task_can_be_planned_in_a_test(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAULTY)
    done = run(tmp_path, *QUICK, "-o", "asyncio_mode=auto")
    assert summary(done) == "3 passed", done.stdout


UNUSED = """
import sys

def test_nothing_of_codriver_is_loaded():
    heavy = {"anyio", "pydantic", "websockets", "mqtt5", "vehicle_bus", "evaluator.live"}
    assert heavy & set(sys.modules) == set()
"""


def test_an_unused_plug_in_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(UNUSED)
    plugins = PLUGINS[:2]
    done = subprocess.run(
        [*PYTEST, *plugins, "--strict-markers", "--strict-config"],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert (summary(done), done.stderr) == ("1 passed", ""), done.stdout


PATIENT = """
from evaluator.testing.requested_car import requested_car

def test_patience(request):
    assert requested_car(request).settings.tool_timeout_s == {seconds}
"""


def test_a_silent_car_is_given_up_as_soon_as_in_a_run(tmp_path: Path) -> None:
    seconds = SessionPlan("", "").tool_timeout_ns / SECOND
    (tmp_path / "test_patience.py").write_text(PATIENT.format(seconds=seconds))
    done = run(tmp_path, *QUICK)
    assert summary(done) == "1 passed", done.stdout
