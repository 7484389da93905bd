"""The driver of a run: the script of a task, or a model that plays its persona."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from assistant_gateway.models.model import ModelChoice, open_model
from assistant_gateway.models.spending import Usage
from user_sim.by_model.llm_driver import RETRY, LlmDriver
from user_sim.script import DriverBrief
from user_sim.scripted import ScriptedDriver

SCRIPTED = "scripted"

AnyDriver = ScriptedDriver | LlmDriver
DriverFor = Callable[[DriverBrief], AnyDriver]


@asynccontextmanager
async def drivers(model: ModelChoice | None) -> AsyncIterator[DriverFor]:
    """A driver for each session; one connection pool for all that are played by a model."""
    if model is None:
        yield ScriptedDriver
        return
    async with open_model(model, RETRY) as opened:
        yield lambda brief: LlmDriver(brief, opened)


def usage_of(driver: AnyDriver) -> Usage:
    """Tokens used by a driver so far; a script uses none."""
    return driver.usage if isinstance(driver, LlmDriver) else Usage()


def script_of(driver: AnyDriver, brief: DriverBrief) -> Literal["written", "derived"] | None:
    """The origin of a driver's script; None for a model."""
    script = brief.script if isinstance(driver, ScriptedDriver) else None
    return script.origin if script else None
