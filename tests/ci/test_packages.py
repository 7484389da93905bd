"""What is released: the image gets all of the wheel, every version says what affects scores."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_image_is_built_from_all_that_is_in_the_wheel() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    project = PYPROJECT["project"]
    packages = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sent == {"pyproject.toml", project["readme"], *project["license-files"], *packages}
    assert ignored.index("*") < ignored.index("!pyproject.toml")


def test_every_release_says_first_what_affects_scores() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (.+)\n\n### (.+)$", text, re.MULTILINE)
    assert len(releases) == len(re.findall(r"^## ", text, re.MULTILINE)) >= 2
    assert {first for _, first in releases} == {"What affects scores"}
    names = [name.partition(" ")[0] for name, _ in releases]
    assert names[0] in ("Unreleased", PYPROJECT["project"]["version"])
    assert PYPROJECT["project"]["version"] in names
