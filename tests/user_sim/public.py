"""The public benchmark's tasks, where this machine has them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "CODRIVER_CAR_BENCH"


def public_tasks() -> list[dict[str, Any]]:
    """All public tasks as they lie in their files; skips where the files are not at hand."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} names no folder with the public tasks")
    files = sorted(Path(folder).glob("tasks_*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
