"""Why a wish is not fulfilled, or not now."""

from dataclasses import dataclass


@dataclass(eq=False)
class Lacking(Exception):
    """The car lacks a part: a tool, `tool.parameter` or `result.tool.field`."""

    part: str


@dataclass(eq=False)
class Refused(Exception):
    """The car refused a call, or its answer cannot be read."""

    tool: str


@dataclass(eq=False)
class Declined(Exception):
    """Nothing will be done, and `told` says why."""

    told: str


@dataclass(eq=False)
class NewRequest(Exception):
    """The driver wants something else instead of answering."""

    said: str
