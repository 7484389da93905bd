"""Each rule against records told in records/ID.yaml: what breaks it, and what only comes near."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.record.episode import Episode
from evaluator.scoring.policies import POLICIES, RULES_OF, Profile
from evaluator.scoring.scores import score
from tests.evaluator.stories import read, record_of, task_of
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.tools import BY_NAME

RECORDS = Path(__file__).with_name("records")
CASES = [
    (path.stem, line) for path in sorted(RECORDS.glob("*.yaml")) for line in read(path)
]  # fmt: skip
NEAR_MISSES = ("kept", "not_applicable")
PROFILES: tuple[Profile, ...] = ("codriver", "car-bench", "car-bench-2026")
NEWEST = RULES_OF["car-bench-2026"]
# What a line does not say of 2026 is as it was.
JUDGED = [
    pytest.param(name, line, profile, state, id=f"{name} {line['title']} ({profile})")
    for name, line in CASES
    for profile, state in ({"car-bench-2026": line.get("car-bench")} | line).items()
    if profile in PROFILES and state is not None
]
SAYING = [
    pytest.param(name, line, id=f"{name} {line['title']}") for name, line in CASES if "says" in line
]


def episode(line: dict[str, Any]) -> Episode:
    played = task_of(line)
    return Episode(record_of(played, line["story"]), played)


@pytest.mark.parametrize(("policy_id", "line", "profile", "state"), JUDGED)
def test_a_record_is_judged_as_written(
    policy_id: str, line: dict[str, Any], profile: Profile, state: str
) -> None:
    finding = RULES_OF[profile][policy_id].check(episode(line), profile)
    assert finding.state == state, finding
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


def test_the_newer_public_scoring_has_one_rule_more_and_a_judge_decides_it() -> None:
    assert NEWEST.keys() - POLICIES.keys() == {"020"}
    assert NEWEST["020"].decided_by == "language"
    assert {name for name, _ in CASES} == set(NEWEST)


def test_a_rule_is_a_whole_sentence() -> None:
    for policy in NEWEST.values():
        assert policy.rule[0].isupper()
        assert policy.rule.endswith(".")
        assert "  " not in policy.rule


NUMBERS = st.integers(-5, 200)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    st.floats(allow_nan=False),
    st.sampled_from(["ALL", "FRONT", "loc_mun_9995", "x", ""]),
    st.lists(st.text(max_size=5), max_size=2),
    st.dictionaries(st.text(max_size=3), NUMBERS, max_size=2),
)


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    tool = BY_NAME[draw(st.sampled_from(sorted(BY_NAME)))]
    names = [*tool.parameters.get("properties", {}), "surprise"]
    return {tool.name: draw(st.dictionaries(st.sampled_from(names), VALUES))}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(calls(), min_size=1, max_size=3), max_size=3), st.text(max_size=40))
def test_whatever_is_called_and_said_gets_a_verdict(
    messages: list[list[dict[str, Any]]], said: str
) -> None:
    lines: list[Any] = [
        {"driver": said},
        *({"calls": batch} for batch in messages),
        {"agent": said},
    ]
    played = task_of({})
    for profile in PROFILES:
        verdict = score(record_of(played, lines), played, WORLD, profile)
        assert verdict.outcome in ("success", "failure")
        assert set(verdict.policies) <= set(RULES_OF[profile])
