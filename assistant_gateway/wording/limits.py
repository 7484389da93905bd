"""How an assistant admits that a part of the car is missing."""

from assistant_gateway.wording.spoken import spoken, words


def ability(tool: str) -> str:
    """What a tool is there for, as in `I can …`."""
    return str(words("tools").get(tool, f"use {spoken(tool)}"))


def lacking(removed: str) -> str:
    """What a car without this part (a dotted path) cannot do, as in `I can't …`."""
    kind, _, rest = removed.partition(".")
    if kind == "result":
        field = rest.rpartition(".")[2]
        part = words("clauses").get(field, f"the {words('results').get(field, spoken(field))}")
        return f"tell {part}"
    thing = ability(kind)
    if rest:
        thing = f"{thing} {words('parameters').get(rest, f'with a particular {spoken(rest)}')}"
    return thing


def cannot(removed: str) -> str:
    """One sentence that admits that a part of the car (a dotted path) is missing."""
    if removed.startswith("result."):
        reason = "the car doesn't give me that information"
    else:
        reason = "that function isn't available in this car"
    return f"I'm sorry, I can't {lacking(removed)}: {reason}."


def could_not(tool: str) -> str:
    """One sentence that admits that the car did not do something it can do."""
    return f"I'm sorry, I couldn't {ability(tool)}: the car doesn't respond properly right now."


def cannot_tell(tool: str) -> str:
    """One sentence that admits that nobody knows whether something was done."""
    thing = ability(tool)
    return f"I tried to {thing}, but the car didn't answer, so I don't know whether it worked."
