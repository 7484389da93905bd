import shlex
from pathlib import Path

import pytest

from evaluator.commands.resume_line import resume_command


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ("run --agent null", "codriver run --agent null --out mine --resume"),
        ("run --out mine --resume", "codriver run --out mine --resume"),
        ("run --out=mine", "codriver run --out=mine --resume"),
        ("demo", "codriver demo --out mine --resume"),
    ],
)
def test_the_command_is_the_one_given_with_its_folder(given: str, command: str) -> None:
    assert resume_command(given.split(), Path("mine")) == command


@pytest.mark.parametrize(
    "given",
    [
        ("--agent-token", "geheim"),
        ("--agent-token=geheim",),
        ("--broker", "mqtts://me:geheim@broker.example:8883"),
        ("--broker=mqtt://me:geheim@broker.example",),
        ("--broker", "mqtt://me:p@geheim/1@broker.example"),
    ],
)
def test_nothing_secret_is_printed(given: tuple[str, ...]) -> None:
    command = resume_command(("run", *given), Path("mine"))
    assert "geheim" not in command
    assert "***" in command
    assert len(shlex.split(command)) == len(given) + 5
