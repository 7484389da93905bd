import re
from pathlib import Path

from vehicle_bus.car.compat import QUIRKS

ROOT = Path(__file__).parents[3]


def test_every_quirk_is_decided_and_the_profiles_differ_where_the_page_says() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    decided = dict(re.findall(r"^\| (Q\d\d) \| [^|]+ \| ([^|]+) \|", page, re.MULTILINE))
    by_profile = {quirk for quirk, decision in decided.items() if "by profile" in decision}
    assert by_profile == QUIRKS["car-bench"]
    assert not QUIRKS["codriver"]
    mentioned = set(re.findall(r"Q\d\d", page))
    assert mentioned >= {f"Q{number:02}" for number in range(1, 70)}


def test_every_quirk_by_profile_is_asked_for_somewhere() -> None:
    sources = (ROOT / "vehicle_bus").rglob("*.py")
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r'"(Q\d\d)" (?:not )?in (?:self\._)?(?:car\.)?compat', code))
    assert asked == QUIRKS["car-bench"]
