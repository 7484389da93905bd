"""Sets of faults by name or from a file of one's own: what `run --faults` takes."""

from pathlib import Path

from pydantic import ValidationError

import vehicle_bus
from evaluator.problems import UsageProblem
from evaluator.task.marked_yaml import BadYaml, read
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup
from vehicle_bus.data_folder import shipped
from vehicle_bus.validation_problem import first_problem

NONE = "none"


def shipped_sets() -> dict[str, Path]:
    """The sets that come with codriver, by name."""
    assert vehicle_bus.__file__ is not None
    folder = shipped("data", vehicle_bus.__file__) / "faults"
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


def fault_set(named: str) -> tuple[Fault, ...]:
    """The faults of a set, given its name or its file; raises `UsageProblem`."""
    if named == NONE:
        return ()
    known = shipped_sets()
    file = known.get(named, Path(named))
    if not file.is_file():
        names = ", ".join([NONE, *known])
        raise UsageProblem(f"--faults is one of {names}, or a YAML file, not {named!r}")
    try:
        marked = read(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"--faults: {file} cannot be read: {error}") from error
    except BadYaml as error:
        raise UsageProblem(f"--faults: {file}:{error.line}: {error.expected}") from error
    if not isinstance(marked.value, list):
        raise UsageProblem(f"--faults: {file}:1: expected a list of faults")
    try:
        return CarSetup.model_validate({"faults": marked.value}).faults
    except ValidationError as error:
        line = marked.line(error.errors()[0]["loc"][1:])
        text = f"--faults: {file}:{line}: {first_problem(error, skip=1)}"
        raise UsageProblem(text) from error
