from pathlib import Path

import pytest
import yaml

from evaluator.judge.contradiction import contradicts, reading

CORPUS = yaml.safe_load(
    (Path(__file__).parent / "corpus" / "judge_reasons.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("reason", CORPUS["kept"])
def test_a_reason_that_calls_the_rule_kept_contradicts_only_a_no(reason: str) -> None:
    assert contradicts(reason, followed=False)
    assert not contradicts(reason, followed=True)


@pytest.mark.parametrize("reason", CORPUS["broken"])
def test_a_reason_that_calls_the_rule_broken_contradicts_only_a_yes(reason: str) -> None:
    assert contradicts(reason, followed=True)
    assert not contradicts(reason, followed=False)


@pytest.mark.parametrize("reason", CORPUS["none"])
def test_a_reason_in_doubt_contradicts_nothing(reason: str) -> None:
    assert reading(reason) is None
    assert not contradicts(reason, followed=True)
    assert not contradicts(reason, followed=False)
