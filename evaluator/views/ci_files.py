"""What CI servers show: a run as JUnit's XML, a run or a comparison as Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from assistant_gateway.timing.timeline import MS
from evaluator.problems import InfraProblem
from evaluator.results.comparison import Comparison, Side, TaskChange
from evaluator.results.manifest import Manifest
from evaluator.results.statistics import Estimate, Tally
from evaluator.results.store import UnitResult
from evaluator.results.summary import Shares, Summary
from evaluator.results.unpaired import Unpaired
from evaluator.views.captions import JUDGED, MAIN_TYPES, SPANS, caption, percent
from evaluator.views.comparison import (
    TOO_SLOW,
    comparison_headline,
    named_latencies,
    named_shares,
    untrusted_share,
    verdict_text,
    warnings,
)
from evaluator.views.gates import SHARES, GateCheck
from evaluator.views.sentences import readable, why_failed
from evaluator.views.table import headline

MOST_FAILED = 20
MARGIN = " " * 4  # of a test case
# XML 1.0 has no way to write most control characters, which an agent may well say.
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# What a unit is to JUnit unless it passed: a driver error does not count for the agent.
ELEMENTS = {"failure": "failure", "user_error": "skipped", "infra_error": "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CiRun:
    """A run that has ended, perhaps before its first unit.

    `units` are some of a large run, `outcomes` count all. `missed` are limits that the agent did
    not reach, `problem` is why the run says nothing.
    """

    name: str
    agent: str
    pace: str
    units: Sequence[UnitResult] = ()
    outcomes: Mapping[str, int] = field(default_factory=dict)
    figures: Summary | None = None
    missed: Sequence[str] = ()
    problem: InfraProblem | None = None


def ci_run(
    manifest: Manifest,
    units: Sequence[UnitResult],
    figures: Summary,
    missed: Sequence[str] = (),
    problem: InfraProblem | None = None,
    outcomes: Mapping[str, int] | None = None,
) -> CiRun:
    """A run that is stored; `units` are all of it unless `outcomes` counts more."""
    return CiRun(
        name=manifest.label,
        agent=manifest.described_agent,
        pace=manifest.pace,
        units=units,
        outcomes=outcomes or Counter(unit.score.outcome for unit in units),
        figures=figures,
        missed=missed,
        problem=problem,
    )


def junit_xml(run: CiRun) -> bytes:
    """A test case per unit, with reward, latencies and whether it came in time as properties.

    A problem of the bench is an error of a test case of its own.
    """
    head, tail = junit_frame(run)
    return b"".join([head, *map(test_case, run.units), tail])


def junit_frame(run: CiRun) -> tuple[bytes, bytes]:
    """What stands before and behind the test cases of all units."""
    outcomes = Counter(run.outcomes)
    broken = run.problem is not None
    counts = {
        "tests": outcomes.total() + broken,
        "failures": outcomes["failure"],
        "errors": outcomes["infra_error"] + broken,
        "skipped": outcomes["user_error"],
    }
    suite = Element("testsuite", _texts({"name": run.name or run.agent, **counts}))
    _properties(suite, {"agent": run.agent, "pace": run.pace})
    SubElement(suite, "units")
    if run.problem is not None:
        _bench_case(suite, run.problem)
    head, _, tail = _document(suite, counts).partition(f"{MARGIN}<units />\n".encode())
    return head, tail


def test_case(unit: UnitResult) -> bytes:
    """The lines of one unit in the file."""
    suite = Element("testsuite")
    _test_case(suite, unit)
    [case] = suite
    indent(case, level=2)
    lines: bytes = tostring(case, encoding="utf-8")
    return b"".join((MARGIN.encode(), lines.rstrip(), b"\n"))


def _test_case(suite: Element, unit: UnitResult) -> None:
    score = unit.score
    case = SubElement(
        suite,
        "testcase",
        _texts(
            {
                "classname": f"codriver.{unit.task_type}",
                "name": unit.name,
                "time": f"{_took_s(unit):.3f}",
            }
        ),
    )
    slowest = {
        f"{span}_ms_max": max(measured) / MS
        for span in JUDGED.values()
        if (measured := [t.spans[span] or 0 for t in score.turns if t.spans.get(span) is not None])
    }
    late = sum(turn.hard_miss for turn in score.turns)
    _properties(case, {"in_time": score.in_time, "turns_too_late": late, **slowest})
    if score.outcome in ELEMENTS:
        kind, reason = why_failed(unit.score)
        texts = _texts({"message": f"{kind}: {reason}", "type": kind})
        SubElement(case, ELEMENTS[score.outcome], texts)


def _properties(parent: Element, values: Mapping[str, object]) -> None:
    listed = SubElement(parent, "properties")
    for name, value in values.items():
        SubElement(listed, "property", _texts({"name": name, "value": value}))


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: _writable(_text(value)) for name, value in values.items()}


def _writable(text: str) -> str:
    return UNWRITABLE.sub("\ufffd", text)


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.0f}"
    return str(value)


def _took_s(unit: UnitResult) -> float:
    started, finished = map(datetime.fromisoformat, (unit.started_at, unit.finished_at))
    return (finished - started).total_seconds()


def comparison_junit(
    found: Comparison,
    sides: tuple[Side, Side],
    checked: Sequence[GateCheck],
    problem: InfraProblem | None,
) -> str:
    """A test case per figure that a gate looks at: a failure where it is worse than tolerated.

    That of what was solved lists the lost tasks. A problem of the bench is an error of a test case
    of its own.
    """
    one, two = (side.name for side in sides)
    broken = problem is not None
    counts = {
        "tests": len(checked) + broken,
        "failures": sum(check.worse for check in checked),
        "errors": int(broken),
    }
    suite = Element("testsuite", _texts({"name": f"{two} compared with {one}", **counts}))
    for check in checked:
        case = SubElement(suite, "testcase", {"classname": "codriver.compare", "name": check.name})
        lost = map(_lost_task, found.lost) if check.name == SHARES["solved"] else ()
        if check.worse:
            texts = {"message": f"{check}: worse, and not by chance", "type": "regression"}
            detail = SubElement(case, "failure", _texts(texts))
        else:
            detail = SubElement(case, "system-out")
        detail.text = _writable("\n".join([check.figures, *lost]))
    if problem is not None:
        _bench_case(suite, problem)
    return _document(suite, counts).decode()


def _lost_task(lost: TaskChange) -> str:
    before, now = _solved(lost.first), _solved(lost.second)
    return f"lost {lost.task_id}: {before}, now {now}: {readable(lost.reason)}"


def _solved(run: Tally) -> str:
    return f"{run.successes} of {run.trials}"


def _bench_case(suite: Element, problem: InfraProblem) -> None:
    case = SubElement(suite, "testcase", {"classname": "codriver", "name": "bench"})
    SubElement(case, "error", _texts({"message": problem, "type": problem.kind}))


def _document(suite: Element, counts: Mapping[str, int]) -> bytes:
    root = Element("testsuites", _texts(counts))
    root.append(suite)
    indent(root)
    made: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return made


# --- Markdown


def markdown(run: CiRun) -> str:
    """Shares by task type, latencies, what failed, the limits missed, and what broke the bench."""
    return "\n".join([*_markdown(run), ""])


def _markdown(run: CiRun) -> Iterator[str]:
    yield f"## codriver: {_cell(run.name or run.agent)}"
    if run.figures:
        for line in headline(run.figures).splitlines():
            yield from ("", _cell(line))
    yield ""
    if run.problem:
        said = str(run.problem).removeprefix(f"the {run.problem.kind}: ")
        yield f"- **{run.problem.kind}**: {_cell(said)}"
    yield from (f"- **not reached**: {sentence}" for sentence in run.missed)
    if run.figures:
        yield from _tables(run.figures)
    failed = [unit for unit in run.units if unit.score.outcome != "success"]
    number = sum(count for outcome, count in run.outcomes.items() if outcome != "success")
    if failed:
        yield from ("", "| failed | why |", "|---|---|")
    for unit in failed[:MOST_FAILED]:
        kind, reason = why_failed(unit.score)
        yield f"| `{unit.name}` | {kind}: {_cell(reason)} |"
    if number > MOST_FAILED:
        yield f"\n… and {number - MOST_FAILED} more."


def _tables(run: Summary) -> Iterator[str]:
    yield from ("", "| tasks | units | solved | 95 % interval | in time |", "|---|--:|--:|--:|--:|")
    for name, row in run.by_type.items():
        yield _shares(caption(MAIN_TYPES, name), row)
    yield _shares("**all**", run)
    spans = {span: run.latency_ms[span] for span in JUDGED.values() if span in run.latency_ms}
    if spans:
        yield from ("", "| ms | p50 | p95 | turns |", "|---|--:|--:|--:|")
    for span, found in spans.items():
        cells = ("never" if value is None else f"{value:.0f}" for value in (found.p50, found.p95))
        yield f"| {SPANS[span]} | {' | '.join(cells)} | {found.n} |"


def comparison_markdown(
    found: Comparison, others: Unpaired | None, sides: tuple[Side, Side], worse: Sequence[str]
) -> str:
    """Two runs compared: what differs, how sure that is, and what a gate found `worse`."""
    return "\n".join([*_comparison(found, others, sides, worse), ""])


def _comparison(
    found: Comparison, others: Unpaired | None, sides: tuple[Side, Side], worse: Sequence[str]
) -> Iterator[str]:
    yield f"## codriver: {' compared with '.join(_cell(side.name) for side in reversed(sides))}"
    yield from ("", _cell(comparison_headline(found, others)), "")
    yield from (f"- **worse**: {sentence}" for sentence in worse)
    yield from (f"- {_cell(warning)}" for warning in warnings(found, sides))
    one, two = map(_cell, found.names)
    yield from ("", f"| | {one} | {two} | change | 95 % interval | |", "|---|--:|--:|--:|--:|---|")
    for name, row in named_shares(others or found):
        lo, change, hi = (f"{each * 100:+.1f}" for each in (row.lo, row.difference, row.hi))
        said = TOO_SLOW if untrusted_share(found, name, row) else verdict_text(row)
        cells = (percent(row.first), percent(row.second), change, f"{lo} to {hi}", said)
        yield f"| {_part(name)} | {' | '.join(cells)} |"
    for name, wait, said in named_latencies(found, found.latencies):
        ms = (f"{each:.0f} ms" for each in (wait.first, wait.second))
        lo, change, hi = (f"{each:+.0f}" for each in (wait.lo, wait.difference, wait.hi))
        row_cells = (*ms, f"{change} ms", f"{lo} to {hi} ms", said)
        yield f"| {_part(name)}, p50 | {' | '.join(row_cells)} |"
    lost = found.lost
    if lost:
        yield from ("", f"| lost | {one} | {two} | why |", "|---|--:|--:|---|")
    for each in lost[:MOST_FAILED]:
        solved = map(_solved, (each.first, each.second))
        yield f"| `{each.task_id}` | {' | '.join(solved)} | {_cell(readable(each.reason))} |"
    if len(lost) > MOST_FAILED:
        yield f"\n… and {len(lost) - MOST_FAILED} more."


def _part(name: str) -> str:
    return name.replace("  ", "&emsp;")


def _shares(name: str, row: Shares) -> str:
    solved, timed = row.solved, row.solved_in_time
    interval = f"{solved.lo * 100:.0f} to {solved.hi * 100:.0f}" if solved else ""
    return f"| {name} | {row.evaluated} | {_share(solved)} | {interval} | {_share(timed)} |"


def _share(estimate: Estimate | None) -> str:
    return percent(estimate.value) if estimate else ""


def _cell(text: str) -> str:
    """Text of an agent may hold Markdown, HTML and line ends."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", " ".join(text.split()))
