import os
from pathlib import Path

import pytest

from evaluator.measuring.rig import pressure
from evaluator.measuring.rig.pressure import ShortageSince, cpu_pressure_us, cpu_stolen_s

LINES = "cpu  100 0 50 4000 3 0 1 250 0 0\ncpu0 50 0 25 2000 1 0 1 125 0 0\n"


def test_stolen_time_is_the_eighth_figure_of_all_cpus_in_ticks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stat"
    file.write_text(LINES)
    monkeypatch.setattr(pressure, "ALL_CPUS", file)
    monkeypatch.setattr(os, "sysconf", lambda _: 100)
    assert cpu_stolen_s() == 2.5


@pytest.mark.parametrize("text", ["", "cpu 1 2 3\n", "cpu a b c d e f g h\n"])
def test_what_the_kernel_does_not_tell_is_unknown(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "odd"
    odd.write_text(text)
    monkeypatch.setattr(pressure, "ALL_CPUS", odd)
    monkeypatch.setattr(pressure, "PRESSURE", tmp_path / "absent")
    assert cpu_stolen_s() is None
    assert cpu_pressure_us() is None
    shortage = ShortageSince().now()
    assert (shortage.waiting, shortage.stolen) == (None, None)


def test_a_shortage_is_reported_as_a_share_of_the_time_and_of_all_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat, waits = tmp_path / "stat", tmp_path / "cpu"
    stat.write_text(LINES)
    waits.write_text("some avg10=0.00 total=1000000\n")
    monkeypatch.setattr(pressure, "ALL_CPUS", stat)
    monkeypatch.setattr(pressure, "PRESSURE", waits)
    monkeypatch.setattr(os, "sysconf", lambda _: 100)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    clock = iter((0, 10_000_000_000))
    monkeypatch.setattr(pressure, "wall_ns", lambda: next(clock))
    since = ShortageSince()
    stat.write_text(LINES.replace(" 250 ", " 260 "))
    waits.write_text("some avg10=0.00 total=1500000\n")
    shortage = since.now()
    assert (shortage.waiting, shortage.stolen) == (0.05, 0.005)
