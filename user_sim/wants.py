"""What a driver wants the car to do, and how much of it the car has confirmed."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from assistant_gateway.wording.values import Value

CarCall = tuple[str, dict[str, Any]]
WHOLE = ("ALL", "ALL_ZONES")
WORDING = "content_message"


class Want(BaseModel):
    """One expected call, as the driver knows it.

    `changes` is false for a look-up, of which a driver sees nothing. `request` is the number of
    the request it belongs to, 0 for the opening, None if that is not known. `names` are the words
    that its ids stand for: places, people, roads; `kinds` are what the places are, "bakery".
    `possible` is false if the car lacks it; in a `free` request the car lacks nothing at all.
    """

    model_config = ConfigDict(frozen=True)

    tool: str
    arguments: dict[str, Any] = {}
    changes: bool = True
    request: int | None = None
    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    possible: bool = True
    free: bool = False

    @property
    def but_for_wording(self) -> CarCall:
        """The call without a text that may be worded freely."""
        return self.tool, {name: each for name, each in self.arguments.items() if name != WORDING}

    def is_done_by(self, tool: str, arguments: dict[str, Any]) -> bool:
        """Whether a confirmed call did at least this."""
        return tool == self.tool and all(
            arguments.get(name) == value or arguments.get(name) in WHOLE
            for name, value in self.but_for_wording[1].items()
        )


@dataclass(frozen=True)
class Owed:
    """What a request, 0 for the opening, wants to be told: one of the values is enough."""

    request: int
    values: tuple[Value, ...]
