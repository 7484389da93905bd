"""Each rule against records told in records/ID.yaml: what breaks it, and what only comes near."""

import re
from pathlib import Path
from typing import Any

import pytest

from evaluator.episode import Episode
from evaluator.policies import POLICIES, Profile
from tests.evaluator.stories import read, task_of, told_of

RECORDS = Path(__file__).with_name("records")
CASES = [
    (path.stem, line) for path in sorted(RECORDS.glob("*.yaml")) for line in read(path)
]  # fmt: skip
NEAR_MISSES = ("kept", "not_applicable")
PROFILES: tuple[Profile, ...] = ("codriver", "car-bench")
JUDGED = [
    pytest.param(name, line, profile, id=f"{name} {line['title']} ({profile})")
    for name, line in CASES
    for profile in PROFILES
    if profile in line
]
SAYING = [
    pytest.param(name, line, id=f"{name} {line['title']}") for name, line in CASES if "says" in line
]


def episode(line: dict[str, Any]) -> Episode:
    played = task_of(line)
    return Episode(told_of(played, line["story"]), played)


@pytest.mark.parametrize(("policy_id", "line", "profile"), JUDGED)
def test_a_record_is_judged_as_it_is_told(
    policy_id: str, line: dict[str, Any], profile: Profile
) -> None:
    finding = POLICIES[policy_id].check(episode(line), profile)
    assert finding.state == line[profile], finding
    assert bool(finding.breaches) == (finding.state == "broken")


@pytest.mark.parametrize(("policy_id", "line"), SAYING)
def test_a_breach_says_what_happened_and_when(policy_id: str, line: dict[str, Any]) -> None:
    breaches = POLICIES[policy_id].check(episode(line)).breaches
    assert any(re.search(line["says"], breach.sentence) for breach in breaches), breaches
    assert all(breach.t_ns >= 0 for breach in breaches)


@pytest.mark.parametrize("policy_id", POLICIES)
def test_every_rule_has_a_record_that_breaks_it_and_one_that_comes_near(policy_id: str) -> None:
    states = [line["codriver"] for name, line in CASES if name == policy_id]
    assert "broken" in states
    assert any(state in NEAR_MISSES for state in states)
    if POLICIES[policy_id].decided_by == "language":
        assert "undecided" in states


def test_there_are_nineteen_rules_and_code_decides_twelve() -> None:
    assert len(POLICIES) == 19
    assert sum(policy.decided_by == "code" for policy in POLICIES.values()) == 12
    assert {name for name, _ in CASES} == set(POLICIES)


def test_a_rule_is_a_whole_sentence() -> None:
    for policy in POLICIES.values():
        assert policy.rule[0].isupper()
        assert policy.rule.endswith(".")
        assert "  " not in policy.rule
