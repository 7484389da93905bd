"""What a pydantic model found wrong with its input, in one line."""

from pydantic import ValidationError


def first_problem(error: ValidationError, whole: str = "", *, skip: int = 0) -> str:
    """The first thing wrong, such as `start.fan_speed: Input should be less than …`.

    `skip` leaves out so many leading parts of the place; `whole` names the place if the input as a
    whole is wrong.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"][skip:])) or whole
    text = first["msg"].removeprefix("Value error, ").partition(" or instance of ")[0]
    return f"{place}: {text}" if place else text
