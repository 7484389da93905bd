"""How an assistant admits that a part of the car is missing."""

from assistant_gateway.wording.spoken import spoken, words


def ability(tool: str) -> str:
    """What a tool is there for, as in `I can …`."""
    return str(words("tools").get(tool, f"use {spoken(tool)}"))


def cannot(removed: str) -> str:
    """One sentence that admits that a part of the car (a dotted path) is missing."""
    kind, _, rest = removed.partition(".")
    if kind == "result":
        field = rest.rpartition(".")[2]
        part = words("clauses").get(field, f"the {words('results').get(field, spoken(field))}")
        return f"I'm sorry, I can't tell {part}: the car doesn't give me that information."
    thing = ability(kind)
    if rest:
        thing = f"{thing} {words('parameters').get(rest, f'with a particular {spoken(rest)}')}"
    return f"I'm sorry, I can't {thing}: that function isn't available in this car."


def could_not(tool: str) -> str:
    """One sentence that admits that the car did not do something it can do."""
    return f"I'm sorry, I couldn't {ability(tool)}: the car doesn't respond properly right now."


def cannot_tell(tool: str) -> str:
    """One sentence that admits that nobody knows whether something was done."""
    thing = ability(tool)
    return f"I tried to {thing}, but the car didn't answer, so I don't know whether it worked."
