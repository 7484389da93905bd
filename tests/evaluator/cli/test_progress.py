import pytest

from evaluator.progress import progress


def told(
    capsys: pytest.CaptureFixture[str], units: int, *, already: int = 0, trouble: int = -1
) -> list[str]:
    """What is said of so many units, of which one could not be played."""
    with progress(units, already=already) as shown:
        for unit in range(already, units):
            shown.advance(f"unit {unit}", trouble=unit == trouble)
    return [line.partition(" (about")[0] for line in capsys.readouterr().err.splitlines()]


def test_few_units_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, 50) == [f"[{unit + 1}/50] unit {unit}" for unit in range(50)]
    assert len(told(capsys, 300, already=250)) == 50


@pytest.mark.parametrize(("units", "already"), [(51, 0), (254, 0), (10_000, 0), (254, 100)])
def test_many_units_are_told_in_twenty_lines(
    units: int, already: int, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(capsys, units, already=already)
    assert len(lines) == 20
    assert lines[-1] == f"[{units}/{units}] unit {units - 1}"


def test_what_could_not_be_played_is_always_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "[8/10000] unit 7" in told(capsys, 10_000, trouble=7)
