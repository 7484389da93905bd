"""The page of a report: everything in one file, which opens from anywhere without a network."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from evaluator.report.assets import filled, json_in_page
from evaluator.report.content import RunContent
from evaluator.report.conversations import pack
from evaluator.report.elements import div
from evaluator.report.latency import latency
from evaluator.report.markup import Markup, element, together
from evaluator.report.overview import breakdown, consistency, difficulty, tiles, top
from evaluator.report.slow_turns import slow
from evaluator.report.unit_content import Content, captions, listed
from evaluator.report.verdicts import failures, faults, rules
from evaluator.results.manifest import Manifest
from evaluator.results.rows.run_rows import RunRows
from evaluator.results.rows.sample import ShownUnits
from evaluator.results.rows.unit_row import UnitRow
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary

EXPLORER = "One square per trial. Select one to read its conversation."


class Parts(NamedTuple):
    """What a page shows of a run, beside its summary: all of it, and `shown` unit by unit."""

    rows: Sequence[UnitRow]
    content: RunContent
    shown: ShownUnits

    @classmethod
    def of(cls, units: list[UnitResult]) -> "Parts":
        """All units are shown."""
        return cls(RunRows.of(units).units, RunContent.of(units), ShownUnits(units, None))


def page(
    manifest: Manifest,
    parts: Parts,
    conversations: Mapping[tuple[str, int], Content],
    run: Summary,
) -> str:
    """The whole report; `conversations` are what is told of units, others have no link."""
    blocks, rows = _blocks(parts.shown.units, conversations)
    left_out = f" {parts.shown.left_out}." if parts.shown.left_out else ""
    return filled(
        "report.html",
        "report.js",
        ("report.css",),
        {
            "title": f"codriver {manifest.run_id}",
            "sections": _sections(manifest, parts, run),
            "explorer": element("p", EXPLORER + left_out, class_="note"),
            "manifest": _manifest(manifest),
            "data": json_in_page({"units": rows, "captions": captions()}),
            "blocks": blocks,
        },
    )


def _sections(manifest: Manifest, parts: Parts, run: Summary) -> Markup:
    """Everything above the unit explorer."""
    rows, content, _ = parts
    return together(
        [
            top(manifest, run),
            tiles(run),
            div("grid", consistency(manifest, rows, run), breakdown(run)),
            latency(content.latencies, run),
            failures(rows, content, run),
            slow(content.slow),
            faults(run.recovery),
            rules(run.rules, content.broken_rules),
            difficulty(run),
        ]
    )


def _blocks(
    units: Sequence[UnitResult], conversations: Mapping[tuple[str, int], Content]
) -> tuple[Markup, list[Content]]:
    """A packed block per task with the conversations of its trials, and what the list shows."""
    by_task: dict[str, list[UnitResult]] = {}
    for unit in units:
        by_task.setdefault(unit.task_id, []).append(unit)
    blocks, rows = [], []
    for number, members in enumerate(by_task.values()):
        inside: list[Content] = []
        for unit in members:
            content = conversations.get(unit.unit)
            place = None
            if content is not None:
                place = [number, len(inside)]
                inside.append(content)
            rows.append({**listed(unit), "place": place})
        blocks.append(
            element("script", Markup(pack(inside)), type="text/plain", id=f"block-{number}")
        )
    return Markup("\n".join(blocks)), rows


def _manifest(manifest: Manifest) -> Markup:
    fields = manifest.model_dump(mode="json", exclude={"tasks", "unsupported"})
    return element("pre", orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode())
