"""A driver whom a person plays, at a page or in a terminal."""

from collections.abc import Sequence
from typing import Protocol

from user_sim.driver import Driver
from user_sim.script import DriverBrief
from user_sim.scripted import Decision
from user_sim.wants import CarCall


class DriverDesk(Protocol):
    """Shows a conversation to the person who plays the driver, and takes their decisions."""

    def begin(self, brief: DriverBrief) -> None:
        """A conversation starts; the brief is all the driver knows."""
        ...

    def heard(self, text: str, confirmed: Sequence[CarCall]) -> None:
        """What the driver heard in a turn, perhaps nothing, and what the car did meanwhile."""
        ...

    async def decision(self, *, opening: bool) -> Decision:
        """Wait for what the person decides; the `opening` says something."""
        ...


class HumanDriver(Driver):
    """Says what a person says, and ends with the control word that the person chooses."""

    def __init__(self, brief: DriverBrief, desk: DriverDesk) -> None:
        self._brief = brief
        self._desk = desk

    async def opening(self) -> str:
        self._desk.begin(self._brief)
        return (await self._desk.decision(opening=True)).say or ""

    async def after_turn(self, heard: str, confirmed: Sequence[CarCall] = ()) -> Decision:
        self._desk.heard(heard, confirmed)
        return await self._desk.decision(opening=False)

    async def after_silence(self) -> Decision:
        return await self.after_turn("")
