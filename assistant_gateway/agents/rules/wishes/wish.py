"""Everything a driver can wish for; frozen, so that a follow-up may build on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """What the driver wants, as far as one plan fulfils it."""
