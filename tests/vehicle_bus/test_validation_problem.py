import pytest
from pydantic import BaseModel, ValidationError

from vehicle_bus.validation_problem import first_problem


class Inner(BaseModel):
    level: int


class Outer(BaseModel):
    inner: Inner


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"inner": {"level": "high"}}, "inner.level: Input should be a valid integer"),
        ({"inner": 5}, "inner: Input should be a valid dictionary"),
        (5, "the order: Input should be a valid dictionary"),
    ],
)
def test_a_problem_is_one_line_in_words_of_the_input(given: object, line: str) -> None:
    with pytest.raises(ValidationError) as problem:
        Outer.model_validate(given)
    assert first_problem(problem.value, "the order").startswith(line)
    assert "Inner" not in first_problem(problem.value)
    assert "Outer" not in first_problem(problem.value)
