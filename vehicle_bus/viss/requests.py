"""Requests of VISS version 2 as they travel over a WebSocket. Pure."""

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from vehicle_bus.validation_problem import first_problem
from vehicle_bus.viss.errors import VissError

Comparison = Literal["eq", "ne", "gt", "gte", "lt", "lte"]
COMPARE: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
SHORTEST_PERIOD_MS = 10


class VissModel(BaseModel):
    """Unknown fields, such as `authorization`, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class PathsFilter(VissModel):
    """Only these paths below the path of the request; `*` is any one name."""

    type: Literal["paths"]
    parameter: tuple[str, ...] | str


class Period(VissModel):
    """How often, in milliseconds."""

    period: Annotated[int, Field(ge=SHORTEST_PERIOD_MS)]


class TimebasedFilter(VissModel):
    """An event in each period."""

    type: Literal["timebased"]
    parameter: Period


class Difference(VissModel):
    """How the new value less the one before compares with `diff`."""

    logic_op: Annotated[Comparison, Field(alias="logic-op")]
    diff: float


class ChangeFilter(VissModel):
    """An event if the value changed by so much from one reading to the next."""

    type: Literal["change"]
    parameter: Difference


class Boundary(VissModel):
    """One bound of a range; the first of two may say how they are combined."""

    boundary_op: Annotated[Comparison, Field(alias="boundary-op")]
    boundary: float
    combination_op: Annotated[Literal["AND", "OR"], Field(alias="combination-op")] = "AND"


class RangeFilter(VissModel):
    """An event while the value is within bounds."""

    type: Literal["range"]
    parameter: Boundary | tuple[Boundary, Boundary]


class MetadataFilter(VissModel):
    """Not the values but what is known about the signals."""

    type: Literal["static-metadata", "dynamic-metadata"]
    parameter: tuple[str, ...] | str = ""


Filter = Annotated[
    PathsFilter | TimebasedFilter | ChangeFilter | RangeFilter | MetadataFilter,
    Field(discriminator="type"),
]


def _filters(given: Any) -> Any:
    """One filter or several, as JSON or as a text of it."""
    if isinstance(given, str):
        given = orjson.loads(given)
    return [given] if isinstance(given, dict) else given


Filters = Annotated[tuple[Filter, ...], BeforeValidator(_filters)]


class GetRequest(VissModel):
    """Read one value, several, or metadata."""

    action: Literal["get"]
    path: str
    filters: Annotated[Filters, Field(alias="filter")] = ()


class SetRequest(VissModel):
    """Set one signal."""

    action: Literal["set"]
    path: str
    value: Any


class SubscribeRequest(VissModel):
    """Send events about one signal or several."""

    action: Literal["subscribe"]
    path: str
    filters: Annotated[Filters, Field(alias="filter")] = ()


class UnsubscribeRequest(VissModel):
    """Send no more of these events."""

    action: Literal["unsubscribe"]
    subscription_id: Annotated[str, Field(alias="subscriptionId", coerce_numbers_to_str=True)]


Request = GetRequest | SetRequest | SubscribeRequest | UnsubscribeRequest
_REQUESTS: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="action")])


def read_object(raw: str | bytes) -> dict[str, Any]:
    """The JSON object of a message; raises `VissError`."""
    try:
        fields = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise VissError("bad_request", f"the request is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise VissError("bad_request", "the request is no JSON object")
    return fields


def read_request(fields: dict[str, Any]) -> Request:
    """A request; raises `VissError`."""
    try:
        return _REQUESTS.validate_python(fields)
    except ValidationError as error:
        where = error.errors(include_url=False)[0]["loc"]
        skip = 1 if where and where[0] == fields.get("action") else 0
        reason = "bad_request"
        if "filter" in where:
            reason = "invalid_duration" if "period" in where else "filter_invalid"
        raise VissError(reason, first_problem(error, skip=skip)) from error
