"""What was said in a unit, for a page that plays it."""

from base64 import b64encode
from pathlib import Path

from evaluator.problems import UsageProblem
from evaluator.report.unit_content import Content
from evaluator.results.store import UnitResult

MOST_BYTES = 40_000_000  # in one file, so that browsers open it


def heard(unit: UnitResult, folder: Path, room: int = MOST_BYTES) -> Content | None:
    """`flac` in base64, or the `problem` that it has; None if nothing was kept.

    `lost` is what is wrong with a file that is missing or was changed.
    """
    if unit.sound is None:
        return None
    if unit.sound.size_bytes > room:
        apart = f"codriver view {folder} --unit {unit.name} --html FILE"
        return {"problem": f"What was said would make this file too large: {apart}"}
    try:
        return {"flac": b64encode(unit.sound.content(folder)).decode()}
    except UsageProblem as problem:
        return {"problem": f"What was said cannot be played: {problem}", "lost": str(problem)}
