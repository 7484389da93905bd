"""Reviews of public tasks: what somebody who read the prose changed in the derived script.

A review holds for the prose that was read, known by its checksum. A task with the same id and
other prose keeps its derived script.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

import vehicle_bus
from user_sim.script import Script
from vehicle_bus.data_folder import quick_yaml, shipped
from vehicle_bus.validation_problem import first_problem


class Review(BaseModel):
    """`reviewed` is the checksum of the prose, `why` says why fields of the script are replaced.

    `requests` shares the expected actions out among opening and followups. `like` names a task
    whose prose says the same: what holds there holds here, too.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    reviewed: str
    why: str = ""
    like: str | None = None
    requests: tuple[int, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        return self.model_extra or {}

    def script(self, derived: Script) -> Script:
        """The derived script with the fields that are replaced."""
        return Script.model_validate({**derived.model_dump(), **self.fields, "origin": "reviewed"})


def review_of(task_id: str, prose: str) -> Review | None:
    """What reading this prose came to; None if nobody has read it."""
    review = _stored(task_id)
    if review is None or review.reviewed != checksum(prose):
        return None
    other = _stored(review.like) if review.like else None
    if other is None:
        return review
    own = review.model_dump(exclude_unset=True)
    return Review.model_validate({**other.model_dump(), **own})


def _stored(task_id: str) -> Review | None:
    return reviews(folder() / f"{task_id.partition('_')[0]}.yaml").get(task_id)


def folder() -> Path:
    """The reviews that come with codriver, a file for each main type of tasks."""
    return shipped("data", vehicle_bus.__file__) / "public_scripts"


def checksum(prose: str) -> str:
    return sha256(prose.encode()).hexdigest()[:8]


@cache
def reviews(file: Path) -> Mapping[str, Review]:
    """Reviews by task id, none without a file; a `ValueError` names the one that is wrong."""
    if not file.is_file():
        return {}
    written = quick_yaml(file)
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
