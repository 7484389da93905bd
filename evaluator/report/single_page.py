"""One conversation, or one comparison, as a file that opens offline."""

from evaluator.record.record import Record
from evaluator.report.assets import filled, json_in_page
from evaluator.report.comparison_content import comparison_content
from evaluator.report.unit_content import Content, captions, listed, told
from evaluator.results.compared import Compared
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult
from vehicle_bus.world.world import World


def unit_page(
    manifest: Manifest,
    unit: UnitResult,
    record: Record,
    world: World | None = None,
    heard: Content | None = None,
) -> str:
    """A conversation with its verdict, which can be played again."""
    content = {
        "unit": listed(unit),
        "told": told(unit, record, world, heard),
        "captions": captions(),
    }
    agent = f"{manifest.label or manifest.run_id}: {manifest.described_agent}"
    return _page(f"codriver {unit.name}", f"codriver conversation, {agent}", content)


def comparison_page(both: Compared) -> str:
    """What differs between two runs."""
    names = " and ".join(side.name for side in both.sides)
    content = {"comparison": comparison_content(both)}
    return _page(f"codriver {names}", "codriver comparison", content)


def _page(title: str, brand: str, content: Content) -> str:
    parts = {"title": title, "brand": brand, "data": json_in_page(content)}
    return filled("single.html", "single.js", (), parts)
