"""Puts the pages of the site together, and builds it: `scripts/site`, offline.

The pages are those of docs/, and some that lie elsewhere; links between them are kept, and a file
that is linked to is in the site as well. Pages that the navigation of mkdocs.yml does not name are
added to its guides.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PAGES = "site_pages"
# Pages outside docs/, by their place in the site.
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "examples/integration/README.md": "examples/integration.md",
}
GUIDES = "Guides"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
MERMAID = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STYLE = """\
.md-grid { max-width: 72rem; }
.md-typeset table:not([class]) { display: table; width: 100%; font-size: 0.68rem; }
.md-typeset table:not([class]) :is(th, td) { padding: 0.5em 0.8em; min-width: 0; }
.md-typeset table:not([class]) tr:has(> th:empty:first-child:nth-last-child(2)) { display: none; }
.md-typeset td code { overflow-wrap: normal; word-break: normal; }
.md-typeset :is(td:first-child, td:nth-child(2):nth-last-child(3)) code { white-space: nowrap; }
.md-typeset__scrollwrap, .md-typeset__table { margin: 0; padding: 0; width: 100%; }
.md-typeset__table { display: block; }
@media (max-width: 44rem) {
  .md-typeset table:not([class]) { display: block; overflow-x: auto; }
}
"""


def links(text: str) -> list[str]:
    """Where the links of a page lead, code left out."""
    return [found[2] for found in LINK.finditer(CODE.sub("", text))]


def sources() -> dict[str, str]:
    """The pages by their file in the checkout, with their place in the site."""
    docs = ROOT / "docs"
    own = {str(page.relative_to(ROOT)): str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    return {**own, **{source: place for source, place in OUTSIDE.items() if source != "README.md"}}


def page_text(source: str, files: set[str]) -> str:
    """A page as it stands in the site; what it links to outside the pages is added to `files`."""
    text = (ROOT / source).read_text(encoding="utf-8")
    text = MERMAID.sub(lambda found: _table(found[1]), text)
    place = sources()[source]
    kept: list[str] = []

    def hide(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    hidden = CODE.sub(hide, text) if source != "CHANGELOG.md" else text

    def move(found: re.Match[str]) -> str:
        there = _moved(source, place, found[2], files)
        return f"[{_named_page(source, found[1], found[2])}]({there})"

    moved = LINK.sub(move, hidden)
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], moved)


def _named_page(source: str, text: str, target: str) -> str:
    """A link that shows the file of a page shows its title instead."""
    if not text.endswith(".md"):
        return text
    page = ROOT / os.path.normpath(PurePosixPath(source).parent / target.partition("#")[0])
    return _title(str(page)) if page.is_file() else text


def _moved(source: str, place: str, target: str, files: set[str]) -> str:
    if "://" in target or target.startswith("mailto:"):
        return target
    path, _, anchor = target.partition("#")
    anchor = re.sub("-{2,}", "-", anchor)  # the builder makes one dash of several, GitHub does not
    if not path:
        return f"#{anchor}"
    full = os.path.normpath(PurePosixPath(source).parent / path)
    if (ROOT / full).is_dir() and (ROOT / full / "README.md").is_file():
        full = f"{full}/README.md"
    known = {**sources(), "README.md": "index.md"}
    if full in known:
        there = known[full]
    elif full.startswith("docs/"):
        there = full.removeprefix("docs/")
    else:
        there = f"files/{full}"
        files.add(full)
    return os.path.relpath(there, PurePosixPath(place).parent) + (f"#{anchor}" if anchor else "")


def _table(graph: str) -> str:
    """A graph of tools and what they tell, as rows; a browser could draw it with a network only."""
    named = dict(re.findall(r"^ *(k\d+)\(\[(.*?)\]\)", graph, re.MULTILINE))
    told: dict[str, list[str]] = defaultdict(list)
    needed: dict[str, list[str]] = defaultdict(list)
    for one, arrow, two in re.findall(r"^ *(\w+) (-->|-\.->) (\w+)", graph, re.MULTILINE):
        rule = " (a rule)" if arrow == "-.->" else ""
        (told[two] if two in named else needed[one]).append(
            f"`{one if two in named else two}`{rule}"
        )
    rows = [
        f"| {name} | {', '.join(told[key])} | {', '.join(needed[key])} |"
        for key, name in named.items()
    ]
    return "\n".join(["| what | tools that tell it | tools that take it |", "|---|---|---|", *rows])


def navigation(config: Mapping[str, Any]) -> list[Any]:
    """That of mkdocs.yml, with the guides that it does not name."""
    named = set(_named(config["nav"]))
    more = [
        {_title(source): place} for source, place in sorted(sources().items()) if place not in named
    ]
    return [
        {GUIDES: [*entry[GUIDES], *more]} if GUIDES in entry else entry for entry in config["nav"]
    ]


def _named(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
        return
    for entry in entries:
        for below in entry.values():
            yield from _named(below)


def _title(source: str) -> str:
    return (ROOT / source).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def put_together(build: Path) -> Path:
    """Write all that the builder reads; returns its configuration."""
    pages = build / PAGES
    shutil.rmtree(pages, ignore_errors=True)
    files: set[str] = set()
    for source, place in sources().items():
        target = pages / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page_text(source, files), encoding="utf-8")
    for file in (ROOT / "docs").rglob("*"):
        if file.is_file() and file.suffix != ".md":
            target = pages / file.relative_to(ROOT / "docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
    for name in files:
        _copied(name, pages / "files" / name)
    (pages / "site.css").write_text(STYLE, encoding="utf-8")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    config["nav"] = navigation(config)
    made = build / "mkdocs.yml"
    made.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return made


def _copied(name: str, target: Path) -> None:
    source = ROOT / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        left_out = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(source, target, ignore=left_out, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, target)


def build(folder: Path) -> Path:
    """Build the site in a folder; returns where it is. Raises `CalledProcessError`."""
    config = put_together(folder)
    builder = Path(sys.executable).with_name("zensical")
    subprocess.run([builder, "build", "--strict", "-f", config.name], cwd=folder, check=True)
    return folder / "site"


if __name__ == "__main__":
    site = build(ROOT / "build")
    sys.stdout.write(f"read it with: python3 -m http.server -d {site.relative_to(Path.cwd())}\n")
