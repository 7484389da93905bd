"""Runs the shell steps of `action.yml` and the GitLab template as their servers do."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
LIMIT_S = 900


def action() -> dict[str, Any]:
    """The action as it is read."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return read


def gitlab() -> dict[str, Any]:
    """The job of the GitLab template."""
    text = (ROOT / "examples" / "ci" / "gitlab.yml").read_text(encoding="utf-8")
    job: dict[str, Any] = yaml.safe_load(text)[".codriver"]
    return job


@dataclass
class Runner:
    """A machine of the server: a folder with the project, and one for temporary files."""

    folder: Path
    given: dict[str, str]
    path: str = str(Path(sys.executable).parent)
    outputs: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    @property
    def summary(self) -> str:
        return self._file("summary").read_text(encoding="utf-8")

    def run(self, name: str) -> int:
        """Run the step of this name; returns its exit code."""
        step = next(each for each in action()["runs"]["steps"] if each.get("name") == name)
        assert step["shell"] == "bash"
        variables = {key: self._value(text) for key, text in step["env"].items()}
        for each in ("summary", "output", "path"):
            self._file(each).touch()
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=self._environment() | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.printed += done.stdout + done.stderr
        for line in self._file("output").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            self.outputs[key] = value
        for line in self._file("path").read_text(encoding="utf-8").splitlines():
            self.path = f"{line}:{self.path}"
        return done.returncode

    def _environment(self) -> dict[str, str]:
        kept = ("LANG", "HOME", "TMPDIR", "CODRIVER_CACHE", "CODRIVER_ALLOW_SLOW_BENCH")
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name in kept or name.startswith("PIP_")
        }
        return inherited | {
            "PATH": f"{self.path}:/usr/local/bin:/usr/bin:/bin",
            "RUNNER_TEMP": str(self.folder / "temporary"),
            "GITHUB_STEP_SUMMARY": str(self._file("summary")),
            "GITHUB_OUTPUT": str(self._file("output")),
            "GITHUB_PATH": str(self._file("path")),
        }

    def _file(self, name: str) -> Path:
        (self.folder / "temporary").mkdir(exist_ok=True)
        return self.folder / "temporary" / name

    def _value(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._expression(found[1]), text)

    def _expression(self, name: str) -> str:
        kind, *_, last = name.split(".")
        match kind:
            case "inputs":
                return self.given.get(last) or str(action()["inputs"][last]["default"])
            case "steps":
                return self.outputs[last]
        return {"github.action_path": str(ROOT)}[name]
