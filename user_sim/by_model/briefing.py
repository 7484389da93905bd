"""The prompt of a model that plays a driver, and the words it may end with.

All text is in the files of `prompts/`, whose checksums are in the manifest of a run.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from assistant_gateway.wording.limits import lacking
from user_sim.script import DriverBrief, Persona


@cache
def prompts() -> Mapping[str, str]:
    """The prompt files by name, with their gaps."""
    folder = Path(__file__).with_name("prompts")
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())}


@cache
def _endings() -> Mapping[str, Mapping[str, str]]:
    endings: Mapping[str, Mapping[str, str]] = yaml.safe_load(prompts()["endings.yaml"])
    return endings


def words_offered(brief: DriverBrief) -> Mapping[str, str]:
    """Every word this driver may choose, with its meaning."""
    endings = _endings()
    if brief.removed:
        return {**endings["any"], **endings["limit"]}
    settle = endings["settle"] if brief.settle_alone is not None else {}
    return {**endings["any"], **endings["done"], **settle}


def briefing(brief: DriverBrief) -> str:
    """The system message of one driver."""
    words = words_offered(brief)
    return prompts()["driver.md"].format(
        persona=described(brief.persona),
        instruction=brief.instruction.strip(),
        limits=advice(brief),
        endings="\n".join(f"- {word}: {meaning}" for word, meaning in words.items()),
    )


def described(persona: Persona) -> str:
    """Who is driving, in a few sentences."""
    parts = [
        f"Age: {persona.age}." if persona.age is not None else "",
        f"Style: {persona.style}." if persona.style else "",
        f"Words: {persona.words}." if persona.words else "",
        persona.text,
    ]
    return " ".join(filter(None, parts)).strip() or "An ordinary driver."


def advice(brief: DriverBrief) -> str:
    """What this driver has to heed in a task with a limit or an open choice; empty in others."""
    if brief.removed:
        missing = ", or ".join(dict.fromkeys(map(lacking, brief.removed)))
        return prompts()["limit.md"].format(missing=missing)
    if brief.settle_alone is not None:
        return prompts()["settle.md"].format(element=brief.settle_alone)
    return ""
