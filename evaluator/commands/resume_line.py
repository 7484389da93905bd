"""The command line that finishes a run."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

HIDDEN = "***"
SECRET = "--agent-token"
PASSWORD = re.compile(r"(mqtts?://[^/@:]*:).*@", re.DOTALL)  # up to the last @: passwords hold it


def resume_command(given: Sequence[str], folder: Path) -> str:
    """The command as text, with secrets hidden."""
    kept = [argument for argument in _without_secrets(given) if argument != "--resume"]
    if "--out" not in kept and not any(part.startswith("--out=") for part in kept):
        kept += ["--out", str(folder)]
    return shlex.join(["codriver", *kept, "--resume"])


def _without_secrets(given: Sequence[str]) -> Iterator[str]:
    for before, argument in zip(("", *given), given, strict=False):
        if before == SECRET:
            yield HIDDEN
        elif argument.startswith(f"{SECRET}="):
            yield f"{SECRET}={HIDDEN}"
        else:
            yield PASSWORD.sub(rf"\1{HIDDEN}@", argument)
