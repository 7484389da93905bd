"""A key that stands for one object, for caches of what is worked out of it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True, eq=False)
class SameObject(Generic[Thing]):
    """Stands for this very object: quick to find, and alive for as long as it is remembered."""

    thing: Thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and other.thing is self.thing
