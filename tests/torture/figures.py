"""What a torture has done and what it has found."""

from dataclasses import asdict, dataclass, field

FAULTS = ("lost", "wrong", "hangs", "tracebacks", "spoilt")
LONGEST_BLOCK_MS = 250.0


@dataclass
class Figures:
    """Counts of what was done, and of what must not happen.

    `cuts` are connections broken off, `good_units` those played beside hostile input and `spoilt`
    the ones among them that did not come out as they should. `blocked_ms` is the longest time for
    which one step kept the event loop busy.
    """

    kills: int = 0
    cuts: int = 0
    inputs: int = 0
    good_units: int = 0
    lost: int = 0
    wrong: int = 0
    hangs: int = 0
    tracebacks: int = 0
    spoilt: int = 0
    blocked_ms: float = 0.0
    findings: list[str] = field(default_factory=list)

    def found(self, fault: str, what: str) -> None:
        """Count a fault, and keep what it was."""
        setattr(self, fault, getattr(self, fault) + 1)
        self.findings.append(f"{fault}: {what}")

    @property
    def held(self) -> bool:
        return not any(getattr(self, fault) for fault in FAULTS) and (
            self.blocked_ms <= LONGEST_BLOCK_MS
        )

    def lines(self) -> list[str]:
        counts = {name: value for name, value in asdict(self).items() if name != "findings"}
        return [*self.findings, ", ".join(f"{name} {value:g}" for name, value in counts.items())]
