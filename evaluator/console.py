"""A console of rich that lets no text command the terminal. Import it where it is needed."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console as AnyConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from evaluator.control_characters import visible


class Console(AnyConsole):
    """Only rich itself writes control sequences here, and no text is read as markup."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
