import pytest

from evaluator.worlds import own_world_file


@pytest.fixture(scope="session", autouse=True)
def built_world() -> None:
    """Build the world before the first test, so that none has its progress in what it reads."""
    own_world_file()
