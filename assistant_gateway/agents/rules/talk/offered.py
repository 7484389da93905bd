"""Which tools and parameters this car offers."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.talk.outcomes import Lacking


class Offered:
    """The declarations of a session, by name."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        functions = [tool.get("function", {}) for tool in tools]
        self._parameters: dict[str, frozenset[str]] = {
            str(function.get("name")): frozenset(
                function.get("parameters", {}).get("properties", {})
            )
            for function in functions
        }

    def has(self, tool: str, parameter: str | None = None) -> bool:
        offered = self._parameters.get(tool)
        return offered is not None and (parameter is None or parameter in offered)

    def require(self, call: Call) -> None:
        """Raise `Lacking` if the car cannot be asked this."""
        if not self.has(call.name):
            raise Lacking(call.name)
        for parameter in call.arguments:
            if not self.has(call.name, parameter):
                raise Lacking(f"{call.name}.{parameter}")
