"""The bench's figures of the page, in a browser and with many viewers."""

from typing import Any

import pytest

from evaluator.measuring import page
from evaluator.measuring.page import drawn_page, too_slow, watched_car
from evaluator.run.units import RunSettings
from tests.conftest import need_chromium

SETTINGS = RunSettings("bench", pace="virtual", broker_kind="embedded")
GOOD: dict[str, Any] = {
    "page": {
        "first_paint_ms": 150.0,
        "frames_per_s": 60.0,
        "busy": 0.15,
        "token_drawn_ms": {"p50": 30.0, "p99": 50.0},
    },
    "page_viewers": {
        "token_arrived_ms": {"p50": 14.0, "p99": 40.0},
        "error_ms_alone": {"p50": 2.0, "p99": 4.0},
        "error_ms_watched": {"p50": 3.0, "p99": 6.0},
    },
}
SLOW = {"p50": 70.0, "p99": 80.0}
BUSY = {"p50": 3.0, "p99": 90.0}  # the machine, not the page
UNKNOWN = {"p50": None, "p99": None}
NO_BROWSER = dict.fromkeys(GOOD["page"]) | {"token_drawn_ms": UNKNOWN}


async def test_a_token_is_drawn_after_it_left_the_agent_on_the_clock_of_both() -> None:
    need_chromium()
    drawn = await drawn_page(SETTINGS, loads=1, turns=1, seconds=0.2)
    assert drawn is not None
    assert 0 < (drawn.token_drawn_ms["p50"] or 0) < 60_000
    assert drawn.first_paint_ms > 0
    assert 0 < drawn.frames_per_s < 70
    assert 0 < drawn.busy <= 1


async def test_viewers_get_the_tokens_and_every_turn_has_its_error() -> None:
    seen = await watched_car(SETTINGS, turns=2)
    assert 0 < (seen.token_arrived_ms["p50"] or 0) < 60_000
    assert None not in (*seen.error_ms_alone.values(), *seen.error_ms_watched.values())


async def test_without_chromium_a_line_says_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "find_chromium", lambda: None)
    assert await drawn_page(SETTINGS, loads=1, turns=1, seconds=0.2) is None
    [line] = capsys.readouterr().err.splitlines()
    assert "figures of the browser are left out" in line


def with_viewers(**figures: dict[str, float]) -> dict[str, Any]:
    return {**GOOD, "page_viewers": {**GOOD["page_viewers"], **figures}}


@pytest.mark.parametrize(
    ("figures", "wrong"),
    [
        (GOOD, []),
        ({**GOOD, "page": NO_BROWSER}, []),
        ({**GOOD, "page": {**GOOD["page"], "busy": 0.9}}, ["busy for 0.9"]),
        (with_viewers(token_arrived_ms=SLOW), ["after 70.0 ms"]),
        (with_viewers(error_ms_watched={"p50": 9.0, "p99": 9.0}), ["viewers add 7.0 ms"]),
        (
            with_viewers(error_ms_alone={"p50": 3.0, "p99": 90.0}, token_arrived_ms={"p50": 999.0}),
            [],
        ),
    ],
)
def test_a_page_that_is_too_slow_by_our_fault_fails(figures: Any, wrong: list[str]) -> None:
    found = list(too_slow(figures))
    assert len(found) == len(wrong)
    assert all(part in sentence for part, sentence in zip(wrong, found, strict=True))
