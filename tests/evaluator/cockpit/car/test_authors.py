"""Who changed a value, as the bus tells it."""

from typing import Any

from evaluator.cockpit.car.authors import Author, Authors
from evaluator.cockpit.spectator import Changed, Spectator
from evaluator.record.record import Entry
from tests.evaluator.episodes import Episode
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup, PlannedEvent
from vehicle_bus.contract import CarEvent, Command, SignalChanged, Snapshot, encode

WINDOW = {"window_driver_position": 100}


def who(authors: Authors, *entries: Entry) -> list[Author]:
    """Whose each change is, after the first snapshot."""
    spectator = Spectator(authors)
    whole = Episode().record.entries[1]
    seen = [each for entry in (whole, *entries) for each in spectator.take(entry)]
    return [each.by for each in seen if isinstance(each, Changed) and not each.first]


def by_hand(values: dict[str, Any], by: str) -> tuple[Entry, Entry]:
    snapshot = Snapshot(src="car", revision=1, state=values)
    event = CarEvent(src="car", detail={"by": by, "set": values})
    return Entry("snapshot", encode(snapshot)), Entry("event/knob", encode(event))


def by_command(src: str) -> tuple[Entry, Entry]:
    command = Command(src=src, call_id="c1")
    snapshot = Snapshot(src="car", revision=1, state=WINDOW, cause="c1")
    return Entry("command/open_close_window", encode(command)), Entry("snapshot", encode(snapshot))


def test_calls_are_the_assistants_and_commands_of_others_those_of_a_person() -> None:
    assert who(Authors(), *by_command("gateway")) == ["assistant"]
    assert who(Authors(), *by_command("anonymous")) == ["person"]


def test_a_hand_is_a_person_unless_task_or_fault_have_planned_it() -> None:
    child = PlannedEvent(at_s=3, set=WINDOW, by="child")
    authors = Authors(CarSetup(happenings=(child,)), [Fault(kind="knob", set=WINDOW)])
    assert who(authors, *by_hand(WINDOW, "child")) == ["task"]
    assert who(authors, *by_hand(WINDOW, "passenger")) == ["fault"]
    assert who(authors, *by_hand(WINDOW, "driver")) == ["person"]
    assert who(authors, *by_hand({"fan_speed": 2}, "child")) == ["person"]


def test_what_moves_by_itself_is_driving() -> None:
    speed = Entry("signal/Vehicle/Speed", encode(SignalChanged(src="car", value=50, revision=0)))
    assert who(Authors(), speed) == ["driving"]


def test_a_charge_set_by_hand_is_not_told_as_driving() -> None:
    event = CarEvent(src="car", detail={"by": "driver", "set": {"state_of_charge": 42.0}})
    assert who(Authors(), Entry("event/knob", encode(event))) == ["person"]
