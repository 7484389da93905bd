import shlex
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.resuming import resume_command
from evaluator.options import RunOptions
from evaluator.run.run_manifest import kept_options


def test_the_command_needs_no_option_but_the_folder() -> None:
    command = resume_command({"agent": "null", "num_trials": 3}, Path("my runs"))
    assert command == "codriver run --out 'my runs' --resume"


@pytest.mark.parametrize(
    "given",
    [
        {"agent_token": "geheim"},
        {"broker": "mqtts://me:geheim@broker.example:8883"},
        {"broker": "mqtt://me:ge/he@im@broker.example", "pace": "fast"},
        {"base_url": "https://me:geheim@models.example/v1"},
    ],
)
def test_nothing_secret_is_printed_or_stored(given: dict[str, Any]) -> None:
    command = resume_command(given, Path("mine"))
    assert "he" not in command.replace("the", "")
    assert "***" in command
    assert len(shlex.split(command)) == 6
    kept = kept_options(RunOptions(**given, given=given))
    assert None in kept.values()
    assert not any("he" in str(value) for value in kept.values())
