"""Fault buttons: how far each fault has come, by what the bus carries."""

import pytest

from evaluator.cockpit.car.fault_watch import FaultState, FaultWatch
from evaluator.record.record import Entry
from tests.evaluator.scoring.test_recovery import SORRY, Faulty, play
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import CarEvent, CarStatus, encode


def states(watch: FaultWatch, episode: Faulty) -> list[FaultState]:
    """What becomes of the faults in an episode, turn by turn."""
    found = list[FaultState]()
    for entry in episode.record.entries:
        found += [now.state for now in watch.take(entry)]
        if entry.kind == "turn" and watch.waits_for_turn:
            found += [now.state for now in watch.turn_over(episode.record)]
        if entry.kind == "end":
            found += [now.state for now in watch.conversation_over()]
    return found


def planned(kind: str, **fields: object) -> FaultWatch:
    watch = FaultWatch()
    assert watch.plan(Fault.model_validate({"kind": kind, **fields})).state == "planned"
    return watch


def test_a_refusal_that_is_tried_again_is_recovered() -> None:
    episode = play().refused("set_fan_speed", level=2).call("set_fan_speed", level=2)
    episode.said("agent", "The fan is on level two.").turn()
    watch = planned("refusal")
    assert states(watch, episode) == ["active", "recovered"]
    [fault] = watch.faults
    assert (fault.id, fault.text) == ("p1", "Call refused: set the fan")


def test_a_refusal_that_is_only_admitted_is_noticed() -> None:
    episode = play().refused("set_fan_speed", level=2).said("agent", SORRY).turn().end()
    assert states(planned("refusal"), episode) == ["active", "noticed"]


def test_a_lost_reply_that_nobody_noticed_stays_overlooked_after_the_conversation() -> None:
    episode = play().call_with_fault("loss", "set_fan_speed", does=True, level=2)
    episode.said("agent", "The fan is on level two.").turn().end()
    watch = planned("loss", tool="set_fan.*")
    assert states(watch, episode) == ["active", "overlooked"]
    assert not watch.waits_for_turn


def test_an_overlooked_fault_that_is_admitted_a_turn_later_is_noticed() -> None:
    episode = play().refused("set_fan_speed", level=2)
    episode.said("agent", "The fan is on level two.").turn()
    watch = planned("refusal")
    assert states(watch, episode) == ["active", "overlooked"]
    episode.said("driver", "It is not.").said("agent", SORRY).turn()
    assert [now.state for now in watch.turn_over(episode.record)] == ["noticed"]


WINDOWS = "get_vehicle_window_positions"


@pytest.mark.parametrize(("text", "tools", "state"), [
    ("Which one would you like: the charging station A or B?", ["get_car_color"],
     "overlooked"),
    ("How far should I open the sunroof, in percent?", [], "overlooked"),
    ("Alright, anything else?", [], "overlooked"),
    ("Here it is.", [WINDOWS], "recovered"),
    ("I don't know how the windows are, the car did not answer.", [], "noticed"),
    ("The windows did not answer. Shall I look again?", [], "noticed"),
])  # fmt: skip
def test_a_lost_look_up_is_noticed_by_what_has_to_do_with_it(
    text: str, tools: list[str], state: FaultState
) -> None:
    episode = play().call_with_fault("loss", WINDOWS).said("agent", "The fan is on.").turn()
    watch = planned("loss", calls="get")
    assert watch.faults[0].text == "Reply lost: waits for the next look-up"
    states(watch, episode)
    assert watch.faults[0].text == "Reply lost: look up the windows"
    episode.said("driver", "Now something else.")
    for tool in tools:
        episode.call(tool)
    episode.said("agent", text).turn()
    list(watch.turn_over(episode.record))
    assert watch.faults[0].state == state


def test_an_offline_car_that_nobody_noticed_stays_overlooked_when_it_is_back() -> None:
    episode = play().call_with_fault("offline", "set_fan_speed", level=2)
    episode.said("agent", "The fan is on level two.").turn()
    watch = planned("offline", at_s=0, for_s=4)
    assert states(watch, episode)[-1] == "overlooked"
    back = Entry("status", encode(CarStatus(online=True)))
    assert [now.state for now in watch.take(back)] == []


def test_a_lost_reply_to_what_was_done_is_recovered_by_a_look() -> None:
    episode = play().call_with_fault("loss", "set_fan_speed", does=True, level=2)
    episode.said("agent", "Let me look.").call("get_climate_settings")
    episode.said("agent", "The fan is on level two.").turn()
    assert states(planned("loss"), episode) == ["active", "recovered"]


def test_a_late_reply_has_nothing_to_notice() -> None:
    episode = play().call("set_fan_speed", level=2)
    episode.fault("delay", "set_fan_speed", delay_ms=900)
    assert states(planned("delay", delay_ms=900), episode.turn()) == ["active", "over"]


def test_a_fault_that_nobody_planned_here_has_the_id_of_the_bus() -> None:
    episode = play().refused("set_fan_speed", level=2)
    watch = planned("refusal", tool="open_.*")
    assert states(watch, episode) == ["active"]
    assert [(fault.id, fault.state) for fault in watch.faults] == [
        ("p1", "planned"),
        (watch.faults[1].hits[0].id, "active"),
    ]


def test_a_hand_that_turned_its_knob_is_over_and_another_hand_is_another() -> None:
    watch = planned("knob", at_s=0, set={"fan_speed": 3})

    def turned(level: int) -> list[FaultState]:
        detail = {"by": "passenger", "set": {"fan_speed": level}}
        entry = Entry("event/knob", encode(CarEvent(detail=detail)))
        return [now.state for now in watch.take(entry)]

    assert (turned(2), turned(3), turned(3)) == ([], ["over"], [])


def test_a_car_that_is_back_without_a_call_meanwhile_is_over() -> None:
    watch = planned("offline", at_s=0, for_s=4)
    gone = {"id": "f1", "kind": "offline", "for_s": 4}
    entries = (
        Entry("event/fault", encode(CarEvent(detail=gone))),
        Entry("status", encode(CarStatus(online=True))),
    )
    assert [now.state for entry in entries for now in watch.take(entry)] == ["active", "over"]


def test_what_has_not_hit_yet_can_be_healed() -> None:
    watch = planned("refusal")
    assert [now.state for now in watch.heal()] == ["over"]
    assert list(watch.heal()) == []
