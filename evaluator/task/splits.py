"""Which cities and people the tasks of each split are about; no task names those of another."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

import vehicle_bus
from vehicle_bus.data_folder import quick_yaml, shipped


class Split(BaseModel):
    """The cities and people of a split, by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cities: frozenset[str]
    people: frozenset[str]


@lru_cache(maxsize=1)
def splits() -> dict[str, Split]:
    """The splits of the tasks that come with codriver, by name."""
    assert vehicle_bus.__file__ is not None
    file = shipped("data", vehicle_bus.__file__) / "splits.yaml"
    rows = quick_yaml(file)
    return {name: Split.model_validate(row) for name, row in rows.items()}
