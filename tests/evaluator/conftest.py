from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.task.worlds import own_world_file
from tests.evaluator.command_line import Finished, Here


@pytest.fixture(scope="session", autouse=True)
def built_world() -> None:
    """Build the world before the first test, so that none has its progress in what it reads."""
    own_world_file()


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """The command in this process, in a folder of its own: quick, where no process is the point."""

    def run(*arguments: object) -> Finished:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["codriver", *map(str, arguments)])
        with pytest.raises(SystemExit) as exited:
            main()
        code = exited.value.code
        return Finished(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run
