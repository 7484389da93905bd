"""What a driver can wish for in the cabin; frozen, so that a follow-up may build on it."""

from dataclasses import dataclass

# A verb that says nothing by itself, as in `turn the fan and the AC off`.
UNSAID = ""


@dataclass(frozen=True, slots=True)
class Adjust:
    """Something of the cabin shall change.

    `verb` is on, off, open, close, more, less or set. `amount` is percent, a level or degrees;
    with `is_step` it counts from where things are. `seats` are as in `cabin.yaml`, `choice` a
    colour, a direction, a mode or a pane,
    `like` another thing, or the same at other seats, whose value is taken.
    """

    thing: str
    verb: str
    amount: float | None = None
    is_step: bool = False
    strength: str | None = None
    vague: str | None = None
    seats: tuple[str, ...] = ()
    choice: str | None = None
    only_open: bool = False
    is_implied: bool = False
    like: tuple[str, tuple[str, ...]] | None = None

    @property
    def says_how(self) -> bool:
        """Whether it says where to, not only that something should happen."""
        return bool(self.amount is not None or self.strength or self.choice or self.like)


@dataclass(frozen=True, slots=True)
class Inquire:
    """The driver asks how something of the car stands."""

    thing: str
