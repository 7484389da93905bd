"""What pages and terminals show, one thing after the other."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Update:
    """One thing to show; `KIND` is its name on a page."""

    KIND: ClassVar[str] = ""

    def fields(self) -> dict[str, Any]:
        return {"kind": self.KIND, **asdict(self)}
