"""Scripts, styles and templates of pages of stored runs, and pages filled with them.

The scripts are modules, which the page of `serve` loads one by one; a file that opens offline has
those it needs in one.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson

from evaluator.report.markup import Child, Markup, together

# In the order in which they use each other.
MODULES = ("elements.js", "voices.js", "timeline.js", "story.js", "units.js", "comparison.js")
STYLES = ("tokens.css", "stored.css")
SHARED = (*MODULES, "stored.css")  # what the page of `serve` loads
IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|function|async)", re.MULTILINE)


def asset(name: str) -> str:
    """The text of one file."""
    return files("evaluator.report").joinpath("assets", name).read_text(encoding="utf-8")


def filled(template: str, main: str, styles: tuple[str, ...], parts: Mapping[str, Child]) -> str:
    """A page that needs no other file: a template with the shared modules and its own."""
    script = "".join(EXPORT.sub("", IMPORT.sub("", asset(name))) for name in (*MODULES, main))
    everything: dict[str, Child] = {
        "policy": content_security_policy(script),
        "style": Markup("".join(map(asset, (*STYLES, *styles)))),
        "script": Markup(script),
        **parts,
    }
    before, *rest = asset(template).split("{{")
    pieces: list[str] = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        pieces += [together(everything[name]), after]
    return "".join(pieces)


def content_security_policy(script: str) -> str:
    """Nothing is fetched and only our script runs, whatever an agent said."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def json_in_page(value: Any) -> Markup:
    """JSON that cannot end the script element it stands in."""
    return Markup(orjson.dumps(value).decode().replace("<", "\\u003c"))
