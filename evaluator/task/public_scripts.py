"""Reviews of public tasks: what somebody who read the prose changed in the derived script.

A review holds for the prose that was read, known by its checksum. A task with the same id and
other prose keeps its derived script.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

import vehicle_bus
from user_sim.script import Script
from vehicle_bus.data_folder import shipped
from vehicle_bus.validation_problem import first_problem

FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may be built without its parser in C


class Review(BaseModel):
    """`reviewed` is the checksum of the prose, `why` says why fields of the script are replaced.

    `like` names a task whose prose says the same: what was replaced there is replaced here, too.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    reviewed: str
    why: str = ""
    like: str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        return self.model_extra or {}


def reviewed(task_id: str, prose: str, derived: Script) -> Script:
    """The script of a public task; the derived one if nobody has read this prose."""
    review = review_of(task_id)
    if review is None or review.reviewed != checksum(prose):
        return derived
    other = review_of(review.like) if review.like else None
    fields = {**(other.fields if other else {}), **review.fields}
    return Script.model_validate({**derived.model_dump(), **fields, "origin": "reviewed"})


def review_of(task_id: str) -> Review | None:
    return reviews(folder() / f"{task_id.partition('_')[0]}.yaml").get(task_id)


def folder() -> Path:
    """The reviews that come with codriver, a file for each family of tasks."""
    return shipped("data", vehicle_bus.__file__) / "public_scripts"


def checksum(prose: str) -> str:
    return sha256(prose.encode()).hexdigest()[:8]


@cache
def reviews(file: Path) -> Mapping[str, Review]:
    """Reviews by task id, none without a file; a `ValueError` names the one that is wrong."""
    if not file.is_file():
        return {}
    written = yaml.load(file.read_bytes(), Loader=FAST)
    return {task_id: _review(fields, f"{file}: {task_id}") for task_id, fields in written.items()}


def _review(fields: Any, where: str) -> Review:
    try:
        review = Review.model_validate(fields)
        Script.model_validate({"opening": "Hello.", **review.fields})
    except ValidationError as error:
        raise ValueError(f"{where}: {first_problem(error)}") from error
    if "origin" in review.fields:
        raise ValueError(f"{where}: origin: expected nothing here, this is filled in")
    if bool(review.fields) != bool(review.why):
        raise ValueError(f"{where}: why: expected where fields are replaced, and only there")
    return review
