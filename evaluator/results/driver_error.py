"""The scripted driver's own error, as measured on recorded public runs (`driver_error.yaml`)."""

from functools import cache
from pathlib import Path

from pydantic import BaseModel

from evaluator.results.statistics import wilson
from vehicle_bus.data_folder import quick_yaml


class DriverError(BaseModel, frozen=True):
    """In which share of recorded turns a scripted driver decides unlike the recorded driver.

    `lo` and `hi` are the 95 % interval, `measured` is the date.
    """

    measured: str
    turns: int
    misread: float
    lo: float
    hi: float


@cache
def scripted_driver_error() -> DriverError:
    """The latest measurement."""
    noted = quick_yaml(Path(__file__).with_suffix(".yaml"))
    turns = sum(file["turns"] for file in noted["files"].values())
    misread = turns - sum(file["agree"] for file in noted["files"].values())
    lo, hi = wilson(misread, turns)
    return DriverError(
        measured=str(noted["measured"]), turns=turns, misread=misread / turns, lo=lo, hi=hi
    )
