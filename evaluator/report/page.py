"""The page of a report: everything in one file, which opens from anywhere without a network."""

from collections.abc import Mapping, Sequence

import orjson

from evaluator.report.assets import filled, json_in_page
from evaluator.report.conversations import pack
from evaluator.report.elements import div
from evaluator.report.latency import latency
from evaluator.report.markup import Markup, element, together
from evaluator.report.overview import breakdown, consistency, difficulty, tiles, top
from evaluator.report.slow_turns import slow
from evaluator.report.unit_content import Content, captions, listed
from evaluator.report.verdicts import failures, faults, rules
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.turn_figures import evaluated_turns


def page(
    manifest: Manifest,
    units: Sequence[UnitResult],
    conversations: Mapping[tuple[str, int], Content],
    run: Summary,
) -> str:
    """The whole report; `conversations` are what is told of units, others have no link."""
    blocks, rows = _blocks(units, conversations)
    return filled(
        "report.html",
        "report.js",
        ("report.css",),
        {
            "title": f"codriver {manifest.run_id}",
            "sections": _sections(manifest, units, run),
            "manifest": _manifest(manifest),
            "data": json_in_page({"units": rows, "captions": captions()}),
            "blocks": blocks,
        },
    )


def _sections(manifest: Manifest, units: Sequence[UnitResult], run: Summary) -> Markup:
    """Everything above the unit explorer."""
    return together(
        [
            top(manifest, run),
            tiles(run),
            div("grid", consistency(manifest, units, run), breakdown(run)),
            difficulty(run),
            failures(units, run),
            faults(run.recovery),
            rules(run.rules, units),
            latency(evaluated_turns(units), run),
            slow(units),
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
