"""Imports point one way, data holds no code, and few files read a clock."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("vehicle_bus", "assistant_gateway", "user_sim", "evaluator")
FOLDERS = ("data", "tasks")
# What each package may import of the others: a package for all of it, or single modules.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "vehicle_bus": (),
    "assistant_gateway": ("vehicle_bus",),
    "user_sim": (
        "assistant_gateway.protocol",
        "assistant_gateway.peer",
        "assistant_gateway.models.model",
        "assistant_gateway.models.spending",
    ),
    "evaluator": ("vehicle_bus", "assistant_gateway", "user_sim"),
}
# Who reads which clock: the kernel of session time, the stamps of the bus, and the dates of a run.
CLOCKS: dict[str, set[str]] = {
    "assistant_gateway/timing/timeline.py": {"time.monotonic_ns"},
    "vehicle_bus/host/command.py": {"time.monotonic_ns"},
    "vehicle_bus/client/codec_link.py": {"time.monotonic_ns"},
    "vehicle_bus/client/aiomqtt_link.py": {"time.monotonic_ns"},
    "evaluator/commands/run.py": {"datetime.now"},
    "evaluator/results/manifest.py": {"datetime.now"},
    "evaluator/measuring/cpu.py": {"time.process_time"},
    "evaluator/run/units.py": {"datetime.now"},
}
MAY_READ_MORE = {"assistant_gateway/session/own_error.py"}
PLUG_IN = "evaluator.testing.car"  # tests name the type of its fixture
# What an example may borrow to have something to say.
BRAINS = (
    "assistant_gateway.agents.agent",
    "assistant_gateway.agents.rules",
    "assistant_gateway.agents.transcript",
)
READINGS = {
    "time": {
        name + ending
        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
        for ending in ("", "_ns")
    }
    | {"clock_gettime", "clock_gettime_ns", "localtime", "gmtime", "ctime", "strftime"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
}


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(), str(file))


def imports(file: Path) -> Iterator[str]:
    """Dotted names of everything a file imports, in functions too; none may be relative."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom():
                raise AssertionError(f"{file}:{node.lineno}: a relative import")


def within(name: str, allowed: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in allowed)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    files = sources(package)
    assert len(files) > 10
    wrong = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in imports(file)
        if name.partition(".")[0] in (*PACKAGES, *FOLDERS, "tests", "examples")
        and not within(name, (package, *MAY_IMPORT[package]))
    }
    assert wrong == set()


def test_examples_stand_on_their_own() -> None:
    names = [name for file in sources("examples") for name in imports(file)]
    assert names
    ours = {name for name in names if name.partition(".")[0] in PACKAGES}
    assert {name for name in ours if not within(name, (*BRAINS, PLUG_IN))} == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_data_and_tasks_hold_no_python(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if path.suffix.startswith(".py")] == []


def readings(file: Path) -> set[str]:
    """Clocks that a file reads or takes along, such as `time.monotonic_ns`."""
    found = set()
    for node in ast.walk(tree(file)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in READINGS.get(
                owner, ()
            ):
                found.add(f"{owner}.{name}")
            case ast.Attribute(value=ast.Attribute(attr=owner), attr=name) if name in READINGS.get(
                owner, ()
            ):
                found.add(f"{owner}.{name}")
            case ast.ImportFrom(module="time", names=names):
                found |= {f"time.{alias.name}" for alias in names}
    return found


def test_only_time_itself_and_stamps_read_a_clock() -> None:
    found = {
        str(file.relative_to(ROOT)): clocks
        for package in PACKAGES
        for file in sources(package)
        if (clocks := readings(file))
    }
    assert {name: found[name] for name in found if name not in MAY_READ_MORE} == CLOCKS


def test_the_pure_parts_know_no_event_loop() -> None:
    pure = [
        "vehicle_bus/vehicle.py", "vehicle_bus/contract.py", "vehicle_bus/car/removal.py",
        "vehicle_bus/broker/acl.py", "vehicle_bus/broker/routing.py",
        "assistant_gateway/conversation/conversation.py", "assistant_gateway/conversation/floor.py",
        "assistant_gateway/conversation/driver_speech.py", "assistant_gateway/conversation/agent_message.py",
        "assistant_gateway/conversation/tool_calls.py", "assistant_gateway/conversation/interruption.py",
        "assistant_gateway/conversation/late_frames.py", "assistant_gateway/timing/budgets.py",
        "assistant_gateway/protocol.py", "user_sim/scripted.py", "user_sim/derived/derive.py",
        "evaluator/record/record.py", "evaluator/scoring/scores.py", "evaluator/record/digest.py",
    ]  # fmt: skip
    rim = {"asyncio", "socket", "websockets", "aiomqtt", "aiosqlite", "logging", "random"}
    assert {
        f"{name}: {module}"
        for name in [*pure, *(f"vehicle_bus/tools/{f.name}" for f in sources("vehicle_bus/tools"))]
        for module in imports(ROOT / name)
        if module.partition(".")[0] in rim
    } == set()


def test_chance_is_always_seeded() -> None:
    """`random.Random(seed)` and nothing else of the module; secrets are for passwords and ids."""
    wrong = set()
    for file in (file for package in PACKAGES for file in sources(package)):
        for node in ast.walk(tree(file)):
            match node:
                case ast.Attribute(value=ast.Name(id="random"), attr=name) if name != "Random":
                    wrong.add(f"{file.relative_to(ROOT)}: random.{name}")
                case ast.ImportFrom(module="random", names=names):
                    wrong |= {
                        f"{file.relative_to(ROOT)}: {alias.name}"
                        for alias in names
                        if alias.name != "Random"
                    }
                case ast.Call(
                    func=ast.Attribute(attr="Random") | ast.Name(id="Random"), args=[], keywords=[]
                ):
                    wrong.add(f"{file.relative_to(ROOT)}: Random() without a seed")
    assert wrong == set()
