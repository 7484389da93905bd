"""Writes the pages that are made from code: `scripts/reference`; with --check it only compares.

Commands, tools, rules, frames, topics and latency profiles of the reference, and the table of
docs/environment.md.
"""

import sys
from pathlib import Path

from tests.documented.reference_cli import cli_page, environment_rows
from tests.documented.reference_latency import latency_page
from tests.documented.reference_models import (
    frames_page,
    rules_page,
    tasks_page,
    tools_page,
    topics_page,
)

ROOT = Path(__file__).parents[2]
HEAD = "| variable | option | commands | meaning |\n|---|---|---|---|\n"


def pages() -> dict[Path, str]:
    """What each page that is made from code has to hold."""
    docs = ROOT / "docs"
    environment = docs / "environment.md"
    return {
        environment: _with_table(environment.read_text(encoding="utf-8")),
        docs / "reference" / "cli.md": cli_page(),
        docs / "reference" / "frames.md": frames_page(),
        docs / "reference" / "latency_profiles.md": latency_page(),
        docs / "reference" / "rules.md": rules_page(),
        docs / "reference" / "task_format.md": tasks_page(),
        docs / "reference" / "tools.md": tools_page(),
        docs / "reference" / "topics.md": topics_page(),
    }


def _with_table(text: str) -> str:
    before, _, rest = text.partition(HEAD)
    _, _, after = rest.partition("\n\n")
    return f"{before}{HEAD}{chr(10).join(environment_rows())}\n\n{after}"


def main() -> int:
    """Returns how many pages were not as they have to be."""
    stale = [
        page
        for page, text in pages().items()
        if not page.is_file() or page.read_text(encoding="utf-8") != text
    ]
    for page in stale:
        if "--check" not in sys.argv:
            page.parent.mkdir(exist_ok=True)
            page.write_text(pages()[page], encoding="utf-8")
        sys.stdout.write(f"{page.relative_to(ROOT)}\n")
    return len(stale) if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
