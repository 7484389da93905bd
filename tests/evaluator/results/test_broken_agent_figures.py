from evaluator.report.overview import caveats
from evaluator.results.broken_agent import all_diagnosed
from evaluator.results.store import UnitResult
from evaluator.results.summary import summary
from evaluator.scoring.failure_kinds import Failure
from evaluator.views.table import headline
from tests.evaluator.episodes import manifest, unit

WRONG = Failure(kind="logical_error", evidence="fan_speed is 0, expected 3")
SORRY = "Please try again."


def answering(*answers: str | None, solved: int = 0) -> list[UnitResult]:
    failed = [
        unit(f"base_{i}", outcome="failure", failure=WRONG, same_answer=answer)
        for i, answer in enumerate(answers)
    ]
    return [*failed, *(unit(f"limit_{i}", same_answer=SORRY) for i in range(solved))]


def kinds(units: list[UnitResult]) -> list[str]:
    return [each.score.failure.kind for each in all_diagnosed(units) if each.score.failure]


def test_an_agent_that_answers_everything_alike_is_broken_wherever_it_failed() -> None:
    units = answering(*[SORRY] * 4, None, solved=2)
    assert kinds(units) == [*["broken_agent"] * 4, "logical_error"]
    run = summary(manifest(), units)
    assert run.by_failure == {"broken_agent": 4, "logical_error": 1}
    said = (
        f'the agent looks broken in 4 of 7 episodes: it gives every task the same answer: "{SORRY}"'
    )
    assert said in headline(run)
    assert next(caveats(run)) == f"T{said[1:]}."


def test_few_tasks_and_few_like_answers_prove_nothing() -> None:
    for units in (answering(SORRY, SORRY), answering(*[SORRY] * 3, *[None] * 2)):
        assert set(kinds(units)) == {"logical_error"}
        assert summary(manifest(), units).broken_agent is None
        assert "broken" not in headline(summary(manifest(), units))


def test_silence_is_no_answer() -> None:
    assert set(kinds(answering(None, None, None))) == {"logical_error"}
