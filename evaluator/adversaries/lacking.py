"""What a car lacks, in many ways of saying so."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assistant_gateway.agents.reference import Say
from assistant_gateway.wording.changes import phrase
from assistant_gateway.wording.limits import ability, cannot
from assistant_gateway.wording.spoken import spoken
from evaluator.adversaries.course import Setting, capitalised, words
from evaluator.reference.plan import missing_for
from evaluator.task.task import Action
from vehicle_bus.tools import CHANGING

DOUBLED = ("set", "stop", "swap", "get")


def admissions(setting: Setting) -> list[str]:
    """Every way there is to admit what stops the driver's wish in this car."""
    part, _ = _blocked(setting)
    own = words("parts", "admissions").get(part, ())
    return [*own, *worded(setting, words("wordings", "admissions")[kind_of(part)])]


def worded(setting: Setting, templates: list[str]) -> list[str]:
    part, action = _blocked(setting)
    fields = _fields(setting, part, action)
    fields |= {name.capitalize(): capitalised(text) for name, text in fields.items()}
    return [capitalised(template.format_map(fields)) for template in templates]


def admitting(setting: Setting, said: Say, otherwise: str) -> Say:
    """The sentence with another admission in place of the usual one."""
    part, _ = _blocked(setting)
    return replace(said, text=said.text.replace(cannot(part), otherwise))


def missing_kind(setting: Setting) -> str:
    return kind_of(_blocked(setting)[0])


def kind_of(part: str) -> str:
    """`tool`, `parameter` or `result`."""
    if part.startswith("result."):
        return "result"
    return "parameter" if "." in part else "tool"


def _blocked(setting: Setting) -> tuple[str, Action | None]:
    """The removed part that the first expected call to need one needs, and that call."""
    removed = setting.task.car.removed
    for action in setting.task.expect.actions:
        part = missing_for(action, removed)
        if part is not None:
            return part, action
    return removed[0], None


def _fields(setting: Setting, part: str, action: Action | None) -> dict[str, str]:
    tool, _, parameter = part.removeprefix("result.").partition(".")
    known: Mapping[str, Any] = words("tools", "admissions")
    about = known.get(tool, known["other"])
    do = about.get("do") or ability(tool)
    if action is not None and tool in CHANGING and "do" not in about:
        do = doing_what(setting, action)
    field = parameter.rpartition(".")[2]
    results, parameters = words("results", "admissions"), words("parameters", "admissions")
    name = f"the {spoken(field)}"
    noun, clause = results.get(field, (name, f"what {name} is"))
    detail = parameters.get(part) or parameters.get(parameter, parameters["other"])
    return {
        "do": do,
        "doing": gerund(do),
        "thing": about["thing"],
        "detail": detail,
        "noun": noun,
        "clause": clause,
    }


def doing_what(setting: Setting, action: Action) -> str:
    """`open the trunk`; who is called is named, not the number."""
    if action.name == "call_phone_by_number":
        number = action.arguments["phone_number"]
        for row in setting.world.contacts():
            if row["phone_number"] == number:
                return f"call {row['name']['first_name']} {row['name']['last_name']}"
    verb, rest = phrase(action.name, action.arguments, setting.world)
    return f"{verb} {rest}"


def gerund(do: str) -> str:
    """`opening the trunk` for `open the trunk`."""
    verb, _, rest = do.partition(" ")
    if verb in DOUBLED:
        return f"{verb}{verb[-1]}ing {rest}"
    return f"{re.sub('(?<!e)e$', '', verb)}ing {rest}"
