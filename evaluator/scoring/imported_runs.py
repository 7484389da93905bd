"""Runs that somebody else recorded: nothing is known about how long anything took."""

from evaluator.scoring.scores import Score

RECORDED = "recorded"


def untimed(score: Score) -> Score:
    """The score without its turns and without a word about time."""
    why = {name: reason for name, reason in score.why.items() if name != "r_realtime"}
    too_slow = score.why.get("r_realtime")
    return score.model_copy(
        update={
            "reason": "" if score.reason == too_slow else score.reason,
            "turns": (),
            "reward_in_time": None,
            "components": {**score.components, "r_realtime": None},
            "why": why,
        }
    )
