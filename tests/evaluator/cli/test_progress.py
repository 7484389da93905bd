import pytest

from evaluator.progress import building, progress


def lines_of(
    capsys: pytest.CaptureFixture[str], units: int, *, already: int = 0, trouble: int = -1
) -> list[str]:
    """The lines of so many units, of which one could not be played."""
    with progress(units, already=already) as shown:
        for unit in range(already, units):
            shown.advance(f"unit {unit}", trouble=unit == trouble)
    return [line.partition(" (about")[0] for line in capsys.readouterr().err.splitlines()]


def test_few_units_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines_of(capsys, 50) == [f"[{unit + 1}/50] unit {unit}" for unit in range(50)]
    assert len(lines_of(capsys, 300, already=250)) == 50


@pytest.mark.parametrize(("units", "already"), [(51, 0), (254, 0), (10_000, 0), (254, 100)])
def test_many_units_have_twenty_lines(
    units: int, already: int, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = lines_of(capsys, units, already=already)
    assert len(lines) == 20
    assert lines[-1] == f"[{units}/{units}] unit {units - 1}"


def test_what_could_not_be_played_always_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "[8/10000] unit 7" in lines_of(capsys, 10_000, trouble=7)


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        ([(), (0.0, 0.0)], ["", ""]),
        ([(0.5, 0.25), (1.0,)], [", 0.75 USD so far", ", 1.75 USD so far"]),
        ([(0.5, None), (1.0,)], [", at least 0.50 USD so far", ", at least 1.50 USD so far"]),
    ],
)
def test_what_models_have_cost_so_far_stands_in_each_line(
    costs: list[tuple[float | None, ...]], shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress(len(costs)) as units:
        for each in costs:
            units.advance("unit", costs_usd=each)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" s left")[2].removesuffix(")") for line in lines] == shown


def test_a_bar_shows_time_left_and_cost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress(2) as units:
        units.advance("unit [red]one[/]", costs_usd=(0.5,))
        units.advance("unit two", costs_usd=(0.5,))
    last = capsys.readouterr().err
    assert "0:00:00" in last
    assert "1.00 USD so far  unit two" in last


def test_building_a_world_has_a_line_at_the_start_and_per_quarter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with building() as on_progress:
        for step in range(1, 48):
            on_progress(step, 47)
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
