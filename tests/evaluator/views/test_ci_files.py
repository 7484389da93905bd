from dataclasses import replace
from xml.etree import ElementTree

from evaluator.problems import AgentCrashed, InfraProblem
from evaluator.results.summary import summary
from evaluator.scoring.failure_kinds import Failure
from evaluator.views.ci_files import CiRun, ci_run, junit_xml, markdown
from tests.evaluator.episodes import Episode, manifest, unit

WRONG = Failure(kind="logical_error", evidence="it said \x1b[31m| <b>no</b> \x00")
UNITS = [
    unit("base_1", episode=Episode().turn()),
    unit("base_2", outcome="failure", failure=WRONG),
    unit("base_3", outcome="user_error", reason="the driver hung up"),
    unit("base_4", outcome="infra_error", reason="the broker is gone"),
]
RUN = manifest(*(each.task_id for each in UNITS), options={"label": "nightly & co"})
ENDED = ci_run(RUN, UNITS, summary(RUN, UNITS))


def test_each_unit_is_a_test_case_with_its_latencies() -> None:
    [suite] = ElementTree.fromstring(junit_xml(ENDED))
    assert (suite.get("name"), suite.get("tests")) == ("nightly & co", "4")
    cases = suite.findall("testcase")
    passed = {p.get("name"): p.get("value") for p in cases[0].iter("property")}
    assert (passed["in_time"], passed["upl_ms_max"]) == ("true", "900")
    assert [[child.tag for child in case if child.tag != "properties"] for case in cases] == [
        [],
        ["failure"],
        ["skipped"],
        ["error"],
    ]
    assert [suite.get(name) for name in ("failures", "skipped", "errors")] == ["1", "1", "1"]


def test_a_crash_of_the_agent_is_named_once() -> None:
    crashed = AgentCrashed("the agent crashed: its command ended with code 9")
    text = markdown(CiRun(name="", agent="ws", pace="live", problem=crashed))
    assert "- **agent crashed**: its command ended with code 9\n" in text


def test_what_an_agent_said_breaks_neither_xml_nor_markdown() -> None:
    [failure] = ElementTree.fromstring(junit_xml(ENDED)).iter("failure")
    assert failure.get("message") == "wrong result: it said \ufffd[31m| <b>no</b> \ufffd"
    text = markdown(ENDED)
    [line] = [line for line in text.split("\n") if "base_2" in line]
    assert "\\| \\<b\\>no" in line
    assert line.replace("\\|", "").count("|") == 3


def test_the_summary_has_shares_latencies_and_limits_that_were_missed() -> None:
    text = markdown(replace(ENDED, missed=["50.0% solved, less than 90.0%"]))
    assert text.startswith("## codriver: nightly & co\n")
    assert "- **not reached**: 50.0% solved, less than 90.0%" in text
    assert "1 infrastructure error (the broker is gone)" in text
    assert "| **all** | 2 | 50 % |" in text
    assert "| first speech | 900 | 900 | 1 |" in text
    assert "| `base_4:0` | infrastructure error: the broker is gone |" in text


def test_a_bench_that_broke_is_an_error_of_its_own_also_where_nothing_was_played() -> None:
    problem = InfraProblem("no broker & no <car>")
    broken = CiRun(name="", agent="rules", pace="live", problem=problem)
    for ended, tests in ((broken, "1"), (replace(ENDED, problem=problem), "5")):
        [suite] = ElementTree.fromstring(junit_xml(ended))
        assert suite.get("tests") == tests
        assert [e.get("message") for e in suite.iter("error")][-1] == str(problem)
        assert "- **bench broken**: no broker & no \\<car\\>" in markdown(ended)
