import pytest
from pydantic import ValidationError

from vehicle_bus.car.state import CarSetup
from vehicle_bus.validation_problem import first_problem


def problem_of(fields: object, whole: str = "", *, skip: int = 0) -> str:
    with pytest.raises(ValidationError) as caught:
        CarSetup.model_validate(fields)
    return first_problem(caught.value, whole, skip=skip)


def test_a_problem_begins_with_its_place() -> None:
    found = problem_of({"faults": [{"kind": "delay", "delay_ms": -1}]})
    assert found == "faults.0.delay_ms: Input should be greater than or equal to 0"


def test_leading_parts_of_the_place_can_be_left_out() -> None:
    found = problem_of({"faults": [{"kind": "delay"}]}, skip=2)
    assert found == "a fault of kind delay needs delay_ms"


def test_the_input_as_a_whole_has_the_name_given() -> None:
    assert problem_of(7, "the car").startswith("the car: Input should be a valid dictionary")
