"""Whether a run, or the second of two runs, is good enough: limits and what misses them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from evaluator.problems import UsageProblem
from evaluator.results.comparison import Comparison
from evaluator.results.differences import Difference
from evaluator.results.summary import Summary
from evaluator.views.captions import SPANS

Gated = Literal["solved", "in_time"]
GATED: tuple[Gated, ...] = get_args(Gated)
SHARES: Mapping[Gated, str] = {"solved": "solved", "in_time": "solved in time"}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much worse a second run may be: points of its shares, ms of its latencies."""

    drop_points: float = 0.0
    slower_ms: float = 100.0


USUAL = Tolerance()
LEAST_TASKS = 5  # of fewer no interval can leave zero out


def least_shares(given: Sequence[str]) -> dict[Gated, float]:
    """Shares of tasks from texts such as `solved=0.9`; raises `UsageProblem`."""
    return dict(_least_share(text) for text in given)


def _least_share(text: str) -> tuple[Gated, float]:
    name, _, value = (part.strip() for part in text.partition("="))
    known = [gated for gated in GATED if gated == name]
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not known or not 0 <= share <= 1:  # not a number fails as well
        expected = " or ".join(f"{gated}=SHARE" for gated in GATED)
        raise UsageProblem(f"--fail-under is {expected}, with a share from 0 to 1, not {text!r}")
    return known[0], share


def misses(run: Summary, least: Mapping[Gated, float]) -> Iterator[str]:
    """A sentence per share that a run did not reach, or that is not known of it."""
    for name, share in least.items():
        found = run.solved if name == "solved" else run.solved_in_time
        if found is None:
            yield f"it is not known how much was {SHARES[name]}"
        elif found.value < share:
            yield f"{_exact(found.value)} {SHARES[name]}, less than {_exact(share)}"


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One figure of a second run against the first: what it was and is, and whether it is worse.

    `worse`: by more than is tolerated, and not by chance.
    """

    name: str
    figures: str
    worse: bool

    def __str__(self) -> str:
        return f"{self.name} {self.figures}"


def gate_checks(found: Comparison, tolerance: Tolerance) -> Iterator[GateCheck]:
    """What a gate looks at: the shares, and the p50 of latencies, unless they are not trusted.

    What was solved is known whatever the bench delayed; how long it took is not.
    """
    shares: dict[Gated, Difference | None] = {"solved": found.solved, "in_time": found.in_time}
    for name, row in shares.items():
        if row and (name == "solved" or not found.untrusted):
            too_far = row.verdict == "worse" and -row.difference * 100 > tolerance.drop_points
            yield GateCheck(SHARES[name], f"{_exact(row.first)}, now {_exact(row.second)}", too_far)
    for span, wait in found.latencies.items():
        if not found.untrusted:
            too_slow = wait.verdict == "worse" and wait.difference > tolerance.slower_ms
            figures = f"{wait.first:.0f} ms, now {wait.second:.0f} ms"
            yield GateCheck(f"{SPANS[span]} p50", figures, too_slow)


def _exact(share: float) -> str:
    return f"{share * 100:.1f} %"
