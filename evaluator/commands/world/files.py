"""`codriver world`: build, import, and say what is in a world."""

import sqlite3
from pathlib import Path
from typing import Any

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.problems import Problem, UsageProblem
from evaluator.task.worlds import build, import_folder, own_world_file, world_file
from evaluator.views.printing import print_json, print_rich
from vehicle_bus.world.cache import imported_world_path
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.world import WorldError

MB = 1_000_000


class Damaged(Problem):
    """The content is not what it was when the world was made."""


def build_own(seed: int, *, force: bool, as_json: bool) -> None:
    """Build our own world unless it exists; prints the same as `info`."""
    started_ns = wall_ns()
    path, is_new = build(seed, force=force)
    took_s = _since_s(started_ns)
    _show(path, {"built": is_new, "took_s": took_s if is_new else None}, as_json=as_json)


def info(world: Path | None, seed: int, *, as_json: bool) -> None:
    """Say what a world holds, our own unless one is given; reads all of it to check it."""
    path = own_world_file(seed) if world is None else world_file(world)
    if path is None:
        text = f"{world} is read as it is; `codriver world import {world}` makes a world file of it"
        raise UsageProblem(text)
    _show(path, {}, as_json=as_json)


def import_public(folder: Path, out: Path | None, *, as_json: bool) -> None:
    """Read the public benchmark's files into one world file, then print what `info` prints."""
    if not folder.is_dir():
        raise UsageProblem(f"{folder} is no folder; a world is imported from a folder of files")
    started_ns = wall_ns()
    path = import_folder(folder, out or imported_world_path(folder))
    _show(path, {"took_s": _since_s(started_ns)}, as_json=as_json)


def _since_s(started_ns: int) -> float:
    return round((wall_ns() - started_ns) / SECOND, 1)


def _show(path: Path, more: dict[str, Any], *, as_json: bool) -> None:
    figures = {**_figures(path), **more}
    if as_json:
        print_json(figures)
    else:
        print_rich(*_lines(figures))


def _figures(path: Path) -> dict[str, Any]:
    """Raises `Damaged` if the content does not have the checksum it was written with."""
    try:
        file = WorldFile(path)
    except WorldError as error:
        raise UsageProblem(str(error)) from error
    try:
        checksum = file.checksum()
    except sqlite3.Error as error:
        raise Damaged(f"{path} is damaged ({error}); build or import it again") from error
    finally:
        file.close()
    meta = file.meta
    if checksum != meta["checksum"]:
        raise Damaged(f"{path} is damaged; build or import it again")
    return {
        "path": str(path),
        "origin": meta["origin"],
        "source": meta.get("source"),
        "seed": meta["seed"],
        "format": meta["format"],
        "size_mb": round(path.stat().st_size / MB, 1),
        "counts": meta["counts"],
        "pois_by_category": meta["categories"],
        "checksum": checksum,
    }


def _lines(figures: dict[str, Any]) -> list[str]:
    seeded = f", seed {figures['seed']}" if figures["seed"] is not None else ""
    lines = [
        f"{figures['path']} ({figures['size_mb']} MB)",
        f"{figures['origin']}{seeded}, format {figures['format']}",
        ", ".join(f"{n:,} {kind.replace('_', ' ')}" for kind, n in figures["counts"].items()),
        f"content {figures['checksum']}",
    ]
    if figures.get("took_s") is not None:
        lines.append(f"took {figures['took_s']} s")
    return lines
