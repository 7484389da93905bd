import pytest
from pydantic import ValidationError

from tests.vehicle_bus.cars import call, car
from vehicle_bus.car.fault import KINDS, Fault
from vehicle_bus.car.state import CarSetup, CarState
from vehicle_bus.contract import Command
from vehicle_bus.host.fault_plan import FaultPlan
from vehicle_bus.host.faulty_command import run_with_fault

SECOND = 1_000_000_000


def faults(*planned: Fault, seed: str = "") -> FaultPlan:
    made = FaultPlan(seed)
    made.plan(*planned)
    return made


def kinds(made: FaultPlan, *tools: str) -> list[str | None]:
    """The faults that hit calls of these tools, one after the other."""
    hits = [made.next(tool, tool.partition("_")[0], 0) for tool in tools]
    return [fault.kind if fault else None for fault in hits]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ({"kind": "delay"}, "needs delay_ms"),
        ({"kind": "offline"}, "needs for_s"),
        ({"kind": "knob"}, "needs set"),
        ({"kind": "loss", "tool": "set_("}, "regular expression"),
        ({"kind": "loss", "tool": "(([a-z_]+)+)+X"}, "no repeated group"),
        ({"kind": "loss", "tool": ".*.*.*.*X"}, "at most 3 of"),
        ({"kind": "offline", "for_s": 5, "at_s": float("inf")}, "less than or equal"),
        ({"kind": "knob", "set": {"fan_speed": 1}, "at_s": 1e300}, "less than or equal"),
        ({"kind": "loss", "at_s": 3}, "at_s means nothing"),
        ({"kind": "gremlin"}, "delay"),
        ({"kind": "knob", "set": {"fan_sped": 1}}, "no car has fan_sped"),
        ({"kind": "knob", "set": {"fan_speed": 9}}, "fan_speed"),
        ({"kind": "contradiction", "set": {"state_of_charge": 50}}, "what tools change"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_in_words(written: dict[str, object], shown: str) -> None:
    with pytest.raises(ValidationError, match=shown):
        CarSetup.model_validate({"faults": [written]})


def test_a_fault_strikes_from_the_nth_call_on_so_many_times() -> None:
    made = faults(Fault(kind="loss", tool="set_fan_speed", nth=2, times=2))
    calls = ["set_fan_speed"] * 5
    assert kinds(made, *calls) == [None, "loss", "loss", None, None]


def test_a_fault_knows_its_tools_by_the_whole_name_and_by_what_they_are_for() -> None:
    assert kinds(faults(Fault(kind="loss", tool="set_fan")), "set_fan_speed") == [None]
    only_sets = faults(Fault(kind="loss", calls="set", times=None))
    assert kinds(only_sets, "get_weather", "set_fan_speed") == [None, "loss"]
    stale = faults(Fault(kind="stale", times=None))
    assert kinds(stale, "set_fan_speed", "get_weather") == [None, "stale"]


def test_the_first_fault_that_strikes_is_the_one() -> None:
    made = faults(Fault(kind="refusal"), Fault(kind="loss"))
    assert kinds(made, "set_fan_speed", "set_fan_speed") == ["refusal", "loss"]


def test_chance_is_of_the_seed() -> None:
    often = Fault(kind="loss", chance=0.5, times=None)
    calls = ["set_fan_speed"] * 40
    once = kinds(faults(often, seed="10/a"), *calls)
    assert kinds(faults(often, seed="10/a"), *calls) == once
    assert kinds(faults(often, seed="10/b"), *calls) != once
    assert 8 < once.count("loss") < 32


def test_a_car_that_is_away_hears_nothing_until_it_is_back() -> None:
    made = faults(Fault(kind="offline", tool="set_fan_speed", for_s=3))
    moments = [(0, "get_weather"), (1, "set_fan_speed"), (3, "get_weather"), (4, "get_weather")]
    hits = [made.next(tool, tool[:3], at * SECOND) for at, tool in moments]
    assert [fault.kind if fault else None for fault in hits] == [None, "offline", "offline", None]
    seen = made.presences(10 * SECOND)
    assert [(each.at_ns // SECOND, each.online) for each in seen] == [(1, False), (4, True)]
    assert made.presences(10 * SECOND) == []


def test_a_cleared_car_is_sound_and_back_at_once() -> None:
    made = faults(Fault(kind="offline", for_s=60), Fault(kind="loss", times=None))
    made.next("set_fan_speed", "set", 0)
    made.presences(0)
    made.clear()
    assert kinds(made, "set_fan_speed") == [None]
    assert [each.online for each in made.presences(SECOND)] == [True]


def command(**arguments: object) -> Command:
    return Command(call_id="call-1", arguments=dict(arguments))


def test_a_refusal_leaves_the_car_as_it_is_and_says_the_text() -> None:
    vehicle, refusal = car(), Fault(kind="refusal", text="the motor is blocked")
    answer, _ = run_with_fault(vehicle, faults(), refusal, "set_fan_speed", command(level=3))
    assert answer is not None
    assert (answer.status, answer.error) == ("FAILURE", "NOT_AVAILABLE")
    assert "the motor is blocked" in answer.output
    assert vehicle.revision == 0


def test_a_stale_look_up_tells_the_state_before_the_last_change() -> None:
    vehicle, stale = car(), Fault(kind="stale")
    call(vehicle, "set_fan_speed", level=1)
    call(vehicle, "set_fan_speed", level=4)
    answer, _ = run_with_fault(vehicle, faults(), stale, "get_climate_settings", command())
    assert answer is not None
    assert '"fan_speed": 1' in answer.output
    assert vehicle.state.fan_speed == 4


def test_what_nobody_could_notice_is_no_fault() -> None:
    for fault in (Fault(kind="stale"), Fault(kind="contradiction"), Fault(kind="reorder")):
        assert run_with_fault(car(), faults(), fault, "get_car_color", command())[1] is None


def test_a_fault_that_could_not_be_noticed_waits_for_the_next_call() -> None:
    stale = Fault(kind="stale")
    made = faults(stale)
    assert kinds(made, "get_weather") == ["stale"]
    made.uncount(stale)
    assert kinds(made, "get_weather", "get_weather") == ["stale", None]


def test_a_contradiction_gives_the_planned_values_or_other_possible_ones() -> None:
    chosen = Fault(kind="contradiction", set={"fan_speed": 5})
    answer, _ = run_with_fault(
        car(fan_speed=2), faults(), chosen, "get_climate_settings", command()
    )
    assert answer is not None
    assert '"fan_speed": 5' in answer.output
    free = Fault(kind="contradiction")
    for seed in map(str, range(30)):
        vehicle = car(fan_speed=2)
        _, drawn = run_with_fault(
            vehicle, faults(seed=seed), free, "get_climate_settings", command()
        )
        assert drawn is free
        assert vehicle.state.fan_speed == 2


def test_any_variable_a_look_up_tells_can_be_contradicted_within_its_range() -> None:
    state = CarState()
    numbers = [name for name, value in state if isinstance(value, int | float)]
    for name in numbers:
        other = faults(seed=name).other_than(state, [name])
        assert getattr(other, name) != getattr(state, name), name


def test_every_kind_is_described_where_faults_are_written_down() -> None:
    assert Fault.__doc__ is not None
    assert [kind for kind in KINDS if f"- {kind}:" not in Fault.__doc__] == []
