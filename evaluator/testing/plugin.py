"""What pytest sees: options, the marker `codriver`, and the fixture `car`."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from evaluator.testing.options import MARKER, NAMES, help_of

if TYPE_CHECKING:
    from evaluator.testing.benches import Benches
    from evaluator.testing.car import Car


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("codriver", "a car to talk to (fixture `car`)")
    for name, field in NAMES.items():
        text = help_of(field)
        group.addoption(f"--codriver-{name.replace('_', '-')}", default=None, help=text)
        parser.addini(f"codriver_{name}", text, default=None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(start={{…}}, task=…, vin=…, turn_class=…, and options such as agent=…): "
        "the car of this test, and who answers in it",
    )


@pytest.fixture(scope="session")
def codriver_benches(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Benches]":
    """Brokers, gateways and agents: started when a test first needs them, stopped at the end."""
    from evaluator.testing.benches import benches

    with benches(pytestconfig, tmp_path_factory.mktemp("codriver")) as opened:
        yield opened


@pytest.fixture
def car(request: pytest.FixtureRequest, codriver_benches: "Benches") -> "Iterator[Car]":
    """A car of its own for this test, with an assistant in it."""
    from evaluator.testing.car import placed_car
    from evaluator.testing.requested_car import requested_car

    with placed_car(codriver_benches, requested_car(request)) as placed:
        yield placed


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed is shown with the conversation, unless its error tells it already."""
    report = yield
    story = getattr(getattr(item, "funcargs", {}).get("car"), "story", ())
    if report.when == "call" and report.failed and story and story[0] not in report.longreprtext:
        report.sections.append(("codriver", "\n".join(story)))
    return report
