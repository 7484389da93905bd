"""The action from its first step to its last, with a codriver that it installs itself."""

import sys
import tempfile
from pathlib import Path

from tests.ci.steps import Runner

GIVEN = {"options": "--agent rules --num-tasks 4 --pace virtual", "fail-under": "solved=0"}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="action-") as folder:
        runner = Runner(Path(folder), GIVEN, path="/usr/bin")
        runner.outputs["python-path"] = sys.executable
        codes = [runner.run(name) for name in ("Install codriver", "Play", "Gates")]
        sys.stdout.write(f"{runner.printed}{runner.summary}exit codes {codes}\n")
        return any(codes)


if __name__ == "__main__":
    sys.exit(main())
