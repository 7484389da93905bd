import re

import pytest
from rich.text import Text

from evaluator.printable import rich_console
from evaluator.views.row_table import RowTable

ID = "limit_trunk_or_light_no_contact_card:1"
WHY = "it said that the trunk was open and it was not"


def shown(width: int, *rows: tuple[str, ...]) -> list[str]:
    console = rich_console(width=width)
    cells = [[Text(cell) for cell in row] for row in rows]
    with console.capture() as captured:
        console.print(RowTable(("task:trial", "#turn", "why"), cells))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize("width", [20, 40, 50, 60, 80, 100, 200])
def test_an_id_is_never_broken(width: int) -> None:
    lines = shown(width, (ID, "12", WHY))
    if width > len(ID):
        assert sum(ID in line for line in lines) == 1
    assert re.sub(r"\s+", "", "".join(lines)).count(ID) == 1
    assert max(map(len, lines)) <= width


def test_the_last_column_is_wrapped_beside_the_others_or_stands_below() -> None:
    head, first, second = shown(80, (ID, "12", WHY))
    assert head.split() == ["task:trial", "turn", "why"]
    assert (first.split()[:2], second.strip()) == ([ID, "12"], "and it was not")
    assert shown(60, (ID, "12", WHY), (ID, "3", "")) == [
        f"{'task:trial':38}  turn", "  why", f"{ID}    12", f"  {WHY}", f"{ID}     3"
    ]  # fmt: skip
