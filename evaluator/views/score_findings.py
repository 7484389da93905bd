"""Findings of a score as lines of the transcript."""

from collections.abc import Iterator

from evaluator.record.record import Record
from evaluator.scoring.policies import Breach, rule_text
from evaluator.scoring.scores import Score
from evaluator.views.transcript import Line, transcript


def annotated(record: Record, score: Score) -> list[Line]:
    """The transcript of an episode with each finding at its time."""
    return sorted([*transcript(record), *remarks(score)], key=lambda line: line.t_ns)


def remarks(score: Score) -> Iterator[Line]:
    """Broken rules, false claims, invented values, unwanted changes, early actions.

    `what` is breach.
    """
    for policy_id, mark in score.policies.items():
        if mark.state == "broken":
            for breach in mark.breaches:
                yield _remark(breach, f"rule {policy_id}", rule_text(policy_id))
    for breach in score.false_claims:
        yield _remark(breach, "false claim")
    for breach in score.ungrounded:
        yield _remark(breach, "invented value")
    for breach in score.collateral:
        yield _remark(breach, "unwanted change")
    if score.premature is not None:
        yield _remark(score.premature, "acted too early")


def _remark(breach: Breach, kind: str, rule: str = "") -> Line:
    text = f"{kind}: {breach.sentence}"
    return Line(breach.t_ns, "bench", "breach", text, detail={"kind": kind, "rule": rule})
