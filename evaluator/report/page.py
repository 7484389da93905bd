"""One HTML file that works offline: sections, data and conversations, style and script inlined."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from assistant_gateway.timing.budgets import BUDGETS, Limit
from evaluator.report.conversations import Conversation, pack
from evaluator.report.elements import div
from evaluator.report.latency import latency
from evaluator.report.markup import Markup, element, together
from evaluator.report.overview import breakdown, consistency, difficulty, tiles, top
from evaluator.report.slow_turns import slow
from evaluator.report.verdicts import failures, faults, rules
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from evaluator.results.summary import Summary
from evaluator.results.turn_figures import evaluated_turns
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import (
    COMPONENTS,
    JUDGED,
    MARKS,
    OUTCOMES,
    SPANS,
    TASK_TYPES,
    TURN_CLASSES,
)
from evaluator.views.sentences import readable

HERE = Path(__file__).parent


def page(
    manifest: Manifest,
    units: Sequence[UnitResult],
    conversations: Mapping[tuple[str, int], Conversation],
    run: Summary,
) -> str:
    """The whole report; units without a conversation are listed without a link."""
    blocks, listed = _blocks(units, conversations)
    script = (HERE / "page.js").read_text(encoding="utf-8")
    parts = {
        "title": f"codriver {manifest.run_id}",
        "policy": _content_security_policy(script),
        "style": Markup((HERE / "page.css").read_text(encoding="utf-8")),
        "script": Markup(script),
        "sections": _sections(manifest, units, run),
        "manifest": _manifest(manifest),
        "data": _json({"units": listed, **_captions()}),
        "blocks": blocks,
    }
    text = (HERE / "page.html").read_text(encoding="utf-8")
    before, *rest = text.split("{{")
    filled = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        filled += [together(parts[name]), after]
    return "".join(filled)


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


def _content_security_policy(script: str) -> str:
    """Nothing is fetched and only our script runs, whatever an agent said."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _blocks(
    units: Sequence[UnitResult], conversations: Mapping[tuple[str, int], Conversation]
) -> tuple[Markup, list[dict[str, Any]]]:
    """A packed block per task with the conversations of its trials, and what the list shows."""
    by_task: dict[str, list[UnitResult]] = {}
    for unit in units:
        by_task.setdefault(unit.task_id, []).append(unit)
    blocks, listed = [], []
    for number, members in enumerate(by_task.values()):
        inside: list[Any] = []
        for unit in members:
            lines = conversations.get(unit.unit)
            place = None
            if lines is not None:
                place = [number, len(inside)]
                inside.append([lines, _verdict(unit)])
            listed.append(_unit(unit, lines, place))
        blocks.append(
            element("script", Markup(pack(inside)), type="text/plain", id=f"block-{number}")
        )
    return Markup("\n".join(blocks)), listed


def _unit(unit: UnitResult, lines: Conversation | None, place: list[int] | None) -> dict[str, Any]:
    score = unit.score
    return {
        "id": unit.task_id,
        "trial": unit.trial,
        "type": unit.task_type,
        "title": unit.title,
        "outcome": score.outcome,
        "timed": None if score.components.get("r_realtime") is None else score.in_time,
        "reason": readable(score.reason),
        "kind": score.failure.kind if score.failure else None,
        "turns": len(score.turns),
        "hard": sum(turn.hard_miss for turn in score.turns),
        "ms": max((line[0] for line in lines), default=0) if lines else 0,
        "place": place,
    }


def _verdict(unit: UnitResult) -> dict[str, Any]:
    score = unit.score
    return {
        "components": score.components,
        "why": {name: readable(why) for name, why in score.why.items()},
        "evidence": readable(score.failure.evidence) if score.failure else None,
        "policies": {name: mark.state for name, mark in score.policies.items()},
        "persona": unit.persona,
        "script": unit.script,
        "disputed": unit.driver.disputed if unit.driver else None,
    }


def _captions() -> dict[str, Any]:
    return {
        "budgets": {
            name: {judged: _limit(getattr(budget, judged)) for judged in JUDGED}
            for name, budget in BUDGETS.items()
        },
        "judged": JUDGED,
        "spans": SPANS,
        "classes": TURN_CLASSES,
        "marks": MARKS,
        "types": TASK_TYPES,
        "outcomes": OUTCOMES,
        "components": COMPONENTS,
        "kinds": KINDS,
    }


def _limit(limit: Limit | None) -> list[float] | None:
    return None if limit is None else [limit.soft_s, limit.hard_s]


def _manifest(manifest: Manifest) -> Markup:
    fields = manifest.model_dump(mode="json", exclude={"tasks", "unsupported"})
    return element("pre", orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode())


def _json(value: Any) -> Markup:
    """JSON that cannot end the script element it stands in."""
    return Markup(orjson.dumps(value).decode().replace("<", "\\u003c"))
