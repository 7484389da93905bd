"""The top of the page: headline, caveats, numbers, consistency, and a breakdown by task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.report.charts import Series, pass_chart
from evaluator.report.content import consistency_counts
from evaluator.report.elements import card, div, from_ms, legend, stack, table
from evaluator.report.markup import Markup, element
from evaluator.results.manifest import Manifest
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.statistics import Estimate
from evaluator.results.summary import Part, Summary
from evaluator.results.task_figures import Cell
from evaluator.results.turn_figures import FEWEST_TURNS, Latency
from evaluator.scoring.imported_runs import RECORDED
from evaluator.views.captions import AXES, MAIN_TYPES, PRIORITIES, TASK_TYPES, caption, percent
from evaluator.views.sentences import (
    broken_agent_sentence,
    driver_sentences,
    judging_sentence,
    untrusted_latencies,
)

BREAKDOWNS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("by_subtype", "Task type", TASK_TYPES),
    ("by_type", "Group", MAIN_TYPES),
    ("by_priority", "Decided by", PRIORITIES),
)
SOLVED = {
    "always": "solved in every trial",
    "late": "solved in every trial, but not always in time",
    "sometimes": "solved in some trials",
    "never": "never solved",
}
FULL_COVERAGE = 0.95
NOT_TRUSTED = "; not to be trusted: the bench was too slow"


def top(manifest: Manifest, run: Summary) -> Markup:
    """The result as a headline, what was run, and what to keep in mind."""
    listed = [
        div("", element("dt", name), element("dd", value))
        for name, value in facts(manifest, run).items()
    ]
    return element(
        "header",
        element("p", "codriver report", class_="brand"),
        element("h1", run_headline(run)),
        element("dl", *listed, class_="facts"),
        element("ul", *(element("li", line) for line in caveats(run)), class_="caveats"),
    )


def facts(manifest: Manifest, run: Summary) -> dict[str, str]:
    """What was run, by name."""
    known = {
        "label": manifest.label,
        "agent": manifest.agent,
        "model at": manifest.model_place,
        "driver": manifest.user,
        "pace": manifest.pace,
        "latency profile": run.latency_profile,
        "budgets": "not judged" if run.patience_s else run.budget_profile or "default",
        "scoring profile": manifest.profile,
        "tasks": str(len(manifest.tasks)),
        "trials": str(manifest.num_trials),
        "workers": _workers(manifest),
        "resumed": counted(manifest.resumed, "time") if manifest.resumed else "",
        "run": manifest.run_id,
        "started": manifest.created_at[:16].replace("T", " "),
    }
    return {name: value for name, value in known.items() if value}


def _workers(manifest: Manifest) -> str:
    """The most at a time, and the nodes they were on; empty for one."""
    calls = manifest.invocations
    most = max((call.workers for call in calls), default=1)
    hosts = sorted({host for call in calls for host in call.hosts})
    return "" if most == 1 and not hosts else ", ".join([str(most), *hosts])


def run_headline(run: Summary) -> str:
    """What was solved, and in time; or why nothing can be said."""
    if run.solved is None:
        return "Nothing could be evaluated"
    solved = f"{percent(run.solved.value)} of the tasks solved"
    if run.patience_s is None and not run.harness.trusted:
        return f"{solved}; latencies are not to be trusted"
    if run.solved_in_time is None or run.budget.turns == 0:
        return solved
    return f"{solved}, {percent(run.solved_in_time.value)} in time"


def caveats(run: Summary) -> Iterator[str]:
    """What a reader has to know before comparing these numbers with others."""
    if run.patience_s is None and not run.harness.trusted:
        text = untrusted_latencies(run.harness)
        yield f"{text[0].upper()}{text[1:]}."
    if run.broken_agent:
        text = broken_agent_sentence(run.broken_agent, run.evaluated)
        yield f"{text[0].upper()}{text[1:]}."
    yield from run.notes
    if run.pace == RECORDED:
        yield (
            "Imported run: no times were recorded; times in conversations are message numbers (one "
            "second per message). The driver's last word and the judge's verdicts are those of the "
            "recording."
        )
    if run.coverage is not None and run.coverage < 1:
        weak = " Too few to judge the agent." if run.coverage < FULL_COVERAGE else ""
        missing = run.planned - run.evaluated - run.user_error - run.infra_error
        yield (
            f"{run.evaluated} of {run.planned} planned units count for the agent: "
            f"{run.user_error} ended with a driver error, {run.infra_error} with an "
            f"infrastructure error, {missing} are missing.{weak}"
        )
    if run.noise_floor:
        yield f"Differences below {run.noise_floor * 100:.0f} points are within noise."
    if run.unsupported:
        left_out = counted(len(run.unsupported), "task")
        yield f"Left out because this car lacks something: {left_out}."
    checks = run.policy_coverage
    if run.judge is not None or checks.decided < checks.applicable:
        judging = judging_sentence(run)
        yield f"{judging[0].upper()}{judging[1:]}."
    yield from (f"{said[0].upper()}{said[1:]}." for said in driver_sentences(run))
    if run.harness.degraded:
        yield (
            f"The bench itself was late in {counted(run.harness.degraded, 'turn')}; "
            f"{run.harness.excluded} of them are left out of all latencies."
        )
    if run.estimator == "first-k":
        yield "Pass^k and Pass@k use the first k trials, as the public benchmark does."


def figures(run: Summary) -> Iterator[dict[str, Any]]:
    """The numbers that a page shows large: name, value, how sure it is, and whether in doubt."""
    in_doubt = run.patience_s is None and not run.harness.trusted
    for name, estimate in (("solved", run.solved), ("solved in time", run.solved_in_time)):
        if estimate is not None:
            doubted = in_doubt and estimate is run.solved_in_time
            interval = f"95 %: {estimate.lo * 100:.0f} to {estimate.hi * 100:.0f} %"
            note = f"{_measured(run)}{NOT_TRUSTED}" if doubted else interval
            yield {
                **{"name": name, "value": percent(estimate.value)},
                **{"note": note, "doubted": doubted},
            }
    if upl := run.latency_ms.get("upl"):
        note = _tail(upl)
        if run.harness.excluded:
            note = f"{_measured(run)}{NOT_TRUSTED if in_doubt else f'; {note}'}"
        yield {
            **{"name": "first speech, median", "value": from_ms(upl.p50)},
            **{"note": note, "doubted": in_doubt},
        }


def _measured(run: Summary) -> str:
    """How many of the turns were measured; those that the bench delayed were not."""
    measured = run.latency_ms["upl"].n if "upl" in run.latency_ms else 0
    return f"{measured} of {counted(measured + run.harness.excluded, 'turn')}"


def _tail(upl: Latency) -> str:
    if upl.n < FEWEST_TURNS:
        return f"over {counted(upl.n, 'turn')}"
    return "more than 5 % never came" if upl.p95 is None else f"95 % within {from_ms(upl.p95)}"


def tiles(run: Summary) -> Markup:
    """The most important numbers."""
    always, budget = run.pass_hat_k, run.budget
    k = max(always, key=int, default="1")
    shown = [_estimate("Solved", run.solved, "of the tasks in one trial")]
    if run.solved_in_time:
        shown.append(_estimate("Solved in time", run.solved_in_time, "with no turn too late"))
    if int(k) > 1:
        shown.append(_estimate("Solved every time", always[k], f"in {k} of {k} trials (Pass^{k})"))
    if run.pairs:
        text = f"of {run.pairs.played} limit tasks and their twins, both solved"
        shown.append(_estimate("Pairs solved", run.pairs.solved, text))
    if upl := run.latency_ms.get("upl"):
        shown.append(_tile("First speech", from_ms(upl.p50), f"median; {_tail(upl)}"))
    if budget.hard_miss_rate is not None and budget.soft_miss_rate is not None:
        slow = percent(budget.soft_miss_rate - budget.hard_miss_rate)
        text = f"of {counted(budget.turns, 'turn')}; {slow} more were slow"
        shown.append(_tile("Too late", percent(budget.hard_miss_rate), text))
    return div("tiles", *shown)


def _estimate(label: str, estimate: Estimate | None, more: str) -> Markup:
    if estimate is None:
        return _tile(label, "unknown", more)
    interval = f"95 %: {estimate.lo * 100:.0f} to {estimate.hi * 100:.0f}"
    return _tile(label, percent(estimate.value), f"{interval} · {more}", _whisker(estimate))


def _tile(label: str, value: str, more: str, whisker: Markup | None = None) -> Markup:
    return div(
        "tile",
        element("h2", label),
        element("p", value, class_="value"),
        whisker,
        element("p", more, class_="more"),
    )


def _whisker(estimate: Estimate, kind: str = "") -> Markup:
    """A point on a line from 0 to 100 % with its interval."""
    lo, hi, value = (share * 100 for share in (estimate.lo, estimate.hi, estimate.value))
    return div(
        f"whisker {kind}".rstrip(),
        element("i", class_="range", style=f"left:{lo:.1f}%;width:{max(hi - lo, 0.4):.1f}%"),
        element("i", class_="point", style=f"left:{value:.1f}%"),
    )


def consistency(manifest: Manifest, units: Sequence[UnitRow], run: Summary) -> Markup:
    """Pass^k against Pass@k, and how many tasks were solved always, sometimes, never."""
    series = [
        Series("at least once", "once", run.pass_at_k),
        Series("every time", "always", run.pass_hat_k),
        Series("always in time", "timed", run.pass_hat_k_in_time),
    ]
    counts = [found for found in consistency_counts(units) if found[1]]
    total = sum(count for _, count in counts)
    meanings = [(name, (element("b", str(count)), f" {SOLVED[name]}")) for name, count in counts]
    shares = (stack(counts, "stack"), legend(*meanings))
    if manifest.num_trials == 1:
        note = "One trial says nothing about consistency; run with --num-trials 3 or more."
        return card("Consistency", *shares, note=note)
    flipped = None
    if run.flip_rate is not None:
        tasks = counted(total, "task")
        flipped = f"Solved in some of their trials: {percent(run.flip_rate)} of {tasks}."
    return card(
        "Consistency", pass_chart([one for one in series if one.by_k]), *shares, note=flipped
    )


def breakdown(run: Summary) -> Markup:
    """A row per task type, priority and band of each axis of difficulty; tabs choose."""
    tabs: list[Markup] = []
    panels: list[Markup] = []
    parts = [(key, label, captions, getattr(run, key)) for key, label, captions in BREAKDOWNS]
    parts += [(f"by-{axis}", AXES[axis], {}, rows) for axis, rows in run.by_difficulty.items()]
    for key, label, captions, rows in parts:
        if tabs and len(rows) < 2:
            continue
        first = not tabs
        tabs.append(
            element("button", label, type="button", data_tab=key, aria_pressed=str(first).lower())
        )
        lines = [_row(caption(captions, name), row) for name, row in rows.items()]
        panels.append(element("div", *lines, class_="rows", id=key, hidden=not first))
    timed = [("timed", "solved in time")] if run.budget.turns else []
    return card("By task", div("tabs", *tabs), *panels, legend(("always", "solved"), *timed))


def difficulty(run: Summary) -> Markup | None:
    """Tables of what was solved by calls and one other axis; tabs choose the axis."""
    maps = {axis: rows for axis, rows in run.difficulty_map.items() if _columns(rows)[1:]}
    if not maps:
        return None
    tabs: list[Markup] = []
    panels: list[Markup] = []
    for axis, rows in maps.items():
        pressed = str(not tabs).lower()
        name = f"map-{axis}"
        tabs.append(
            element("button", AXES[axis], type="button", data_tab=name, aria_pressed=pressed)
        )
        panels.append(element("div", _map(axis, rows), id=name, hidden=bool(panels)))
    note = "Expected calls downwards, the other axis across: tasks solved, and how many there are."
    return card("By difficulty", div("tabs", *tabs), *panels, note=note)


def _columns(rows: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    return sorted({name for cells in rows.values() for name in cells})


def _map(axis: str, rows: Mapping[str, Mapping[str, Cell]]) -> Markup:
    columns = _columns(rows)
    head = ["Calls", *(f"#{name}" for name in columns)]
    lines = [[row, *map(_cell, map(cells.get, columns))] for row, cells in rows.items()]
    return table(head, lines, name="map")


def _cell(cell: Cell | None) -> Markup:
    if cell is None:
        return element("td", "", class_="n")
    solved = f"--solved:{cell.solved * 100:.0f}%"
    number = element("small", f" {cell.tasks}", title="tasks")
    return element("td", percent(cell.solved), number, class_="n", style=solved)


def _row(label: str, row: Part) -> Markup:
    timed = row.solved_in_time if row.budget.turns else None
    marks = (
        _whisker(row.solved, "always") if row.solved else None,
        _whisker(timed, "timed") if timed else None,
    )
    value = percent(row.solved.value) if row.solved else "unknown"
    return div(
        "row",
        div("name", label, element("span", f" {row.evaluated}", title="evaluated units")),
        div("marks", *marks),
        div("number", value, element("small", f" {percent(timed.value)}") if timed else None),
    )
