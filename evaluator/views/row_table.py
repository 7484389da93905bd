"""A table for terminals of any width: only its last column is ever broken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 2
LEAST_ROOM = 24  # for the last column beside the others
NUMBER = "#"


@dataclass(frozen=True, slots=True)
class RowTable:
    """Rows below a header; a name such as `#turn` is that of a column of numbers.

    A name may have two lines. Where not all columns fit, the trailing ones stand on an indented
    line below each row.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [*self._head(), *self.rows]
        widths = [max(cell.cell_len for cell in column) for column in zip(*lines, strict=True)]
        beside = self._beside(widths, options.max_width)
        breaks_last = beside == len(widths) and _room(widths) > options.max_width
        yield from self._table(lines) if breaks_last else self._split(lines, widths[:beside])

    def _head(self) -> Iterator[list[Text]]:
        names = [name.removeprefix(NUMBER).split("\n") for name in self.header]
        for left in range(max(map(len, names)), 0, -1):
            yield [Text(name[-left] if left <= len(name) else "", "bold") for name in names]

    def _beside(self, widths: Sequence[int], room: int) -> int:
        """How many columns fit."""
        words = [len(word) for row in self.rows for word in row[-1].plain.split()]
        least = [*widths[:-1], min(widths[-1], max(LEAST_ROOM, *words, 0))]
        ends = accumulate(least, lambda end, width: end + GAP + width)
        return max(1, sum(end <= room for end in ends))

    def _table(self, lines: Sequence[Sequence[Text]]) -> Iterator[Table]:
        shown = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
        for number, name in enumerate(self.header, 1):
            shown.add_column(
                justify="right" if name.startswith(NUMBER) else "left",
                no_wrap=number < len(self.header),
                overflow="fold",
            )
        for line in lines:
            shown.add_row(*line)
        yield shown

    def _split(
        self, lines: Sequence[Sequence[Text]], widths: Sequence[int]
    ) -> Iterator[Text | Padding]:
        for line in lines:
            cells = [cell.copy() for cell in line]
            for name, cell, width in zip(self.header, cells, widths, strict=False):
                cell.align("right" if name.startswith(NUMBER) else "left", width)
            yield Text(" " * GAP).join(cells[: len(widths)])
            if below := [cell for cell in cells[len(widths) :] if cell]:
                yield Padding(Text(", ").join(below), (0, 0, 0, GAP))


def _room(widths: Sequence[int]) -> int:
    """What columns of these widths need beside each other."""
    return sum(widths) + GAP * (len(widths) - 1)
