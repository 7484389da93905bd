"""The driver of a run: the script of a task, or a model or a person that plays its persona."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from assistant_gateway.models.model import ModelChoice, open_model
from assistant_gateway.models.spending import Usage
from evaluator.results.store import DriverChecks
from user_sim.by_model.llm_driver import DEADLINE_S, MOST_ANSWERS, RETRY, LlmDriver
from user_sim.human import DriverDesk, HumanDriver
from user_sim.script import DriverBrief, ScriptOrigin
from user_sim.scripted import ScriptedDriver

AnyDriver = ScriptedDriver | LlmDriver | HumanDriver
DriverFor = Callable[[DriverBrief], AnyDriver]


def turn_within_s(patience_s: float | None) -> float:
    """How long a driver played by a model may take for a turn, when each answer may take so long.

    A turn is up to `MOST_ANSWERS` of them.
    """
    return DEADLINE_S + MOST_ANSWERS * (patience_s or 0.0)


@asynccontextmanager
async def drivers(
    model: ModelChoice | None, patience_s: float | None = None, desk: DriverDesk | None = None
) -> AsyncIterator[DriverFor]:
    """A driver for each session; one connection pool for all that are played by a model.

    A person at the desk plays them, if there is one.
    """
    if desk is not None:
        yield lambda brief: HumanDriver(brief, desk)
        return
    if model is None:
        yield lambda brief: ScriptedDriver(patient(brief, patience_s))
        return
    async with open_model(model, RETRY) as opened:
        yield lambda brief: LlmDriver(brief, opened, deadline_s=turn_within_s(patience_s))


def patient(brief: DriverBrief, patience_s: float | None) -> DriverBrief:
    """The same driver, who asks whether anybody is there no earlier than that."""
    script = brief.script
    if script is None or script.impatient_after_s is None or patience_s is None:
        return brief
    waits_s = max(script.impatient_after_s, patience_s)
    script = script.model_copy(update={"impatient_after_s": waits_s})
    return brief.model_copy(update={"script": script})


def usage_of(driver: AnyDriver) -> Usage:
    """Tokens used by a driver so far; a script uses none."""
    return driver.usage if isinstance(driver, LlmDriver) else Usage()


def checks_of(driver: AnyDriver) -> DriverChecks | None:
    """What checking the driver has found; None for a script."""
    if not isinstance(driver, LlmDriver):
        return None
    return DriverChecks(repairs=driver.repairs, disputed=driver.disputed)


def script_of(driver: AnyDriver, brief: DriverBrief) -> ScriptOrigin | None:
    """The origin of a driver's script; None for a model."""
    script = brief.script if isinstance(driver, ScriptedDriver) else None
    return script.origin if script else None
