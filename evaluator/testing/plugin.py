"""What pytest sees: options, the marker `codriver`, the fixture `car`, and async tests with it."""

import asyncio
import inspect
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.testing.options import MARKER, NAMES, help_of

if TYPE_CHECKING:
    from evaluator.testing.benches import Benches
    from evaluator.testing.car import Car

ASYNC_MARKERS = ("asyncio", "anyio", "trio")
PYTEST_ASYNCIO = ("asyncio", "pytest_asyncio.plugin")  # as installed, and as named with -p


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


def is_own_async_test(item: object) -> bool:
    """Whether it is an async test with a car that nobody was told to run."""
    return (
        isinstance(item, pytest.Function)
        and inspect.iscoroutinefunction(item.obj)
        and "car" in item.fixturenames
        and not any(map(item.get_closest_marker, ASYNC_MARKERS))
    )


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """In its strict mode pytest-asyncio runs only tests that are marked: those with a car are."""
    found = yield
    if any(map(collector.config.pluginmanager.has_plugin, PYTEST_ASYNCIO)):
        for item in filter(is_own_async_test, found if isinstance(found, list) else [found]):
            item.add_marker(pytest.mark.asyncio)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """An async test with a car needs no other plug-in."""
    if not is_own_async_test(pyfuncitem):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


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
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed is shown with the conversation, unless its error tells it already.

    One that the bench spoilt is an error, as if it could not have been set up.
    """
    report = yield
    if report.when == "call" and report.failed and _spoilt(item, call):
        report.when = "setup"
        return report
    story = getattr(getattr(item, "funcargs", {}).get("car"), "story", ())
    if report.when == "call" and report.failed and story and story[0] not in report.longreprtext:
        report.sections.append(("codriver", "\n".join(story)))
    return report


def _spoilt(item: pytest.Item, call: "pytest.CallInfo[None]") -> bool:
    """Whether a test with a car ended by an infrastructure error."""
    if call.excinfo is None or getattr(item, "funcargs", {}).get("car") is None:
        return False
    from evaluator.problems import first_cause
    from evaluator.testing.blocking_contexts import PLAIN_ERRORS

    return isinstance(first_cause(call.excinfo.value), PLAIN_ERRORS)
