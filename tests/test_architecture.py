"""Imports point one way, folders stay small, data holds no code, and few files read a clock."""

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("data", "tasks")
MOST_FILES = 20
# Folders and files of each package, from the ground up: a file may import its own folder and
# what stands before it.
ORDER: dict[str, str] = {
    "vehicle_bus": (
        "validation_problem same_object contract bus background_tasks child_process data_folder "
        "mqtt client broker world car tools motion vehicle host remote_car viss kuksa discovery"
    ),
    "assistant_gateway": (
        "protocol sound recording timing hearing models wording lost_transport quick_writes peer "
        "net conversation session server mcp_server agents mock_llm"
    ),
    "user_sim": (
        "wants spoken_line script persona_voice lexicon phrases prose_rules pattern_examples "
        "understanding question_patterns answering said_again wishes limits settled_alone scripted "
        "derived driver script_problems free_driver by_model human"
    ),
    "evaluator": (
        "problems printable progress allowed_values secret_options event_loop task record scoring "
        "reference adversaries task_making results judge views contract_document stored_run report "
        "options run workers live person cockpit terminal testing car_bench exports commands "
        "measuring cli"
    ),
}
PACKAGES = tuple(ORDER)
# What each package may import of the others: a package for all of it, or single modules.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "vehicle_bus": (),
    "assistant_gateway": ("vehicle_bus",),
    "user_sim": (
        "assistant_gateway.protocol",
        "assistant_gateway.peer",
        "assistant_gateway.sound.voice",
        "assistant_gateway.models.model",
        "assistant_gateway.models.spending",
        "assistant_gateway.wording.limits",
        "assistant_gateway.wording.numerals",
        "assistant_gateway.wording.quantities",
        "assistant_gateway.wording.sentences",
        "assistant_gateway.wording.values",
        "vehicle_bus.data_folder",
        "vehicle_bus.validation_problem",
    ),
    "evaluator": ("vehicle_bus", "assistant_gateway", "user_sim"),
}
# Who reads which clock: the kernel of session time, the stamps of the bus, and the dates of a run.
CLOCKS: dict[str, set[str]] = {
    "assistant_gateway/timing/timeline.py": {"time.monotonic_ns"},
    "vehicle_bus/contract.py": {"time.monotonic_ns"},
    "vehicle_bus/host/command.py": {"time.monotonic_ns"},
    "vehicle_bus/client/codec_link.py": {"time.monotonic_ns"},
    "vehicle_bus/remote_car/remote_car.py": {"time.time_ns"},
    "vehicle_bus/viss/connection.py": {"time.time_ns"},
    "vehicle_bus/client/aiomqtt_link.py": {"time.monotonic_ns"},
    "evaluator/commands/run.py": {"datetime.now"},
    "evaluator/results/manifest.py": {"datetime.now"},
    "evaluator/measuring/sound.py": {"time.process_time"},
    "evaluator/run/keeping.py": {"datetime.now"},
    "evaluator/run/units.py": {"datetime.now"},
}
MAY_READ_MORE = {"assistant_gateway/session/measurement_error.py"}
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
# Files and folders that know no event loop, socket, logger or unseeded chance.
PURE = (
    "vehicle_bus/vehicle.py",
    "vehicle_bus/contract.py",
    "vehicle_bus/broker/acl.py",
    "vehicle_bus/broker/routing.py",
    "vehicle_bus/car",
    "vehicle_bus/tools",
    "assistant_gateway/protocol.py",
    "assistant_gateway/conversation",
    "assistant_gateway/timing/budgets.py",
    "user_sim/scripted.py",
    "user_sim/derived",
    "evaluator/record/record.py",
    "evaluator/record/digest.py",
    "evaluator/scoring",
)


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


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


def test_the_package_of_the_python_interface_only_re_exports() -> None:
    [file] = sources("codriver")
    assert all(name.startswith("evaluator.") for name in imports(file))
    assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree(file).body)


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_one_way(package: str) -> None:
    files = sources(package)
    assert len(files) > 10
    wrong = {
        f"{name_of(file)}: {name}"
        for file in files
        for name in imports(file)
        if name.partition(".")[0] in (*PACKAGES, *FOLDERS, "tests", "examples")
        and not within(name, (package, *MAY_IMPORT[package]))
    }
    assert wrong == set()


def test_what_is_imported_is_declared() -> None:
    """In pyproject.toml, among the dependencies or in an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = (project["dependencies"], *project["optional-dependencies"].values())
    declared = {re.split(r"[\[<>=]", entry)[0].lower() for entry in chain(*listed)}
    used = {
        name.partition(".")[0]
        for package in PACKAGES
        for file in sources(package)
        for name in imports(file)
    }
    brought_by = packages_distributions()
    foreign = used - sys.stdlib_module_names - set(PACKAGES)
    assert "orjson" in foreign
    assert {
        name
        for name in foreign
        if declared.isdisjoint(each.lower() for each in brought_by.get(name, ()))
    } == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_import_in_their_order(package: str) -> None:
    order = ORDER[package].split()
    assert {part.stem for part in (ROOT / package).iterdir() if _is_python(part)} == set(order)
    wrong = set()
    for file in sources(package):
        if file.name == "__init__.py" and file.parent.name == package:
            continue
        own = file.relative_to(ROOT / package).parts[0].removesuffix(".py")
        for name in imports(file):
            head, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if head == package and other and order.index(other) > order.index(own):
                wrong.add(f"{name_of(file)}: {name}")
    assert wrong == set()


def _is_python(part: Path) -> bool:
    if part.is_dir():
        return not part.name.startswith("_") and any(part.rglob("*.py"))
    return part.suffix == ".py" and part.stem != "__init__"


def _module(name: str) -> Path | None:
    """The file that a dotted name is in, or None outside codriver."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
    return None


def test_no_circle_of_files() -> None:
    """Imports for type checkers count as well; an `__init__.py` is not held against its folder."""
    graph = {
        file: {
            found
            for name in imports(file)
            if (found := _module(name)) not in (None, file) and found.name != "__init__.py"
        }
        for package in PACKAGES
        for file in sources(package)
        if file.name != "__init__.py"
    }
    TopologicalSorter(graph).prepare()  # raises CycleError and names the files


def test_folders_stay_small() -> None:
    code = (file for package in (*PACKAGES, "tests") for file in sources(package))
    folders = Counter(
        str(file.parent.relative_to(ROOT))
        for file in chain(code, (ROOT / "tasks").rglob("*.yaml"))
        if file.name != "__init__.py"
    )
    assert {folder: n for folder, n in folders.items() if n > MOST_FILES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_class_name_means_one_thing(package: str) -> None:
    places = defaultdict(set)
    for file in sources(package):
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(name_of(file))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_docs_name_files_that_exist() -> None:
    """Whole paths as they are; a bare `name.py` is some file of the tree."""
    known = {name_of(file) for place in (*PACKAGES, "tests", "examples") for file in sources(place)}
    bare = {Path(name).name for name in known}
    wrong = set()
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        for name in re.findall(r"[\w/]*\w\.py\b", page.read_text(encoding="utf-8")):
            if name.startswith(PACKAGES) or "/" not in name:
                wrong |= {f"{page.name}: {name}"} - ({f"{page.name}: {n}" for n in known | bare})
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
        name_of(file): clocks
        for package in PACKAGES
        for file in sources(package)
        if (clocks := readings(file))
    }
    assert {name: found[name] for name in found if name not in MAY_READ_MORE} == CLOCKS


@pytest.mark.parametrize("place", PURE)
def test_the_pure_parts_know_no_event_loop(place: str) -> None:
    rim = {"asyncio", "socket", "websockets", "aiomqtt", "aiosqlite", "logging", "random"}
    files = sources(place) or [ROOT / place]
    assert {
        f"{name_of(file)}: {module}"
        for file in files
        for module in imports(file)
        if module.partition(".")[0] in rim
    } == set()


def test_chance_is_always_seeded() -> None:
    """`random.Random(seed)` and nothing else of the module; secrets are for passwords and ids."""
    wrong = set()
    for file in (file for package in PACKAGES for file in sources(package)):
        for node in ast.walk(tree(file)):
            match node:
                case ast.Attribute(value=ast.Name(id="random"), attr=name) if name != "Random":
                    wrong.add(f"{name_of(file)}: random.{name}")
                case ast.ImportFrom(module="random", names=names):
                    wrong |= {
                        f"{name_of(file)}: {alias.name}"
                        for alias in names
                        if alias.name != "Random"
                    }
                case ast.Call(
                    func=ast.Attribute(attr="Random") | ast.Name(id="Random"), args=[], keywords=[]
                ):
                    wrong.add(f"{name_of(file)}: Random() without a seed")
    assert wrong == set()
