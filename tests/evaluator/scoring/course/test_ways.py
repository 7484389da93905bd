"""Orders of expected changes, and changes that nobody wanted."""

from evaluator.record.episode import Episode as Story
from evaluator.scoring.course.orders import right_orders
from evaluator.scoring.course.ways import Ways
from evaluator.scoring.scores import Score, score
from evaluator.task.task import Request, Task
from tests.evaluator.episodes import Episode, do, task
from tests.evaluator.runs import BY_ID
from tests.evaluator.runs import WORLD as OWN_WORLD
from tests.vehicle_bus.cars import WORLD
from user_sim.script import DriverBrief, Script

FAN = do("set_fan_speed", level=3)
OFF = do("set_fan_speed", level=0)
LAMP = do("set_reading_light", position="DRIVER", on=True)
SHADE = do("open_close_sunshade", percentage=40)


def judged(episode: Episode) -> Score:
    return score(episode.record, episode.task, WORLD)


def fan_levels(played: Task) -> set[frozenset[int]]:
    return {stage.done for stage in right_orders(played, WORLD).stages}


def test_independent_changes_may_come_in_any_order() -> None:
    assert len(fan_levels(task(FAN, LAMP, SHADE))) == 8


def test_changes_of_the_same_thing_keep_their_order() -> None:
    assert fan_levels(task(FAN, OFF, fan_speed=1)) == {
        frozenset(), frozenset({0}), frozenset({0, 1}),
    }  # fmt: skip


def test_a_call_that_works_only_after_another_comes_after_it() -> None:
    edits = BY_ID["base_change_of_plan"]
    done = {stage.done for stage in right_orders(edits, OWN_WORLD).stages}
    assert done == {frozenset(), frozenset({5}), frozenset({5, 6})}


def test_of_many_changes_those_of_a_later_request_come_later() -> None:
    positions = ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR")
    lamps = [do("set_reading_light", position=position, on=True) for position in positions]
    windows = [
        do("open_close_window", window=position, percentage=10) for position in positions
    ] + [FAN]  # fmt: skip
    given = task(*lamps, *windows)
    expect = given.expect.model_copy(
        update={"requests": (Request(actions=4), Request(actions=5))}
    )  # fmt: skip
    stages = fan_levels(given.model_copy(update={"expect": expect}))
    assert len(stages) == 2**4 + 2**5 - 1
    assert all(set(range(4)) <= done for done in stages if max(done, default=0) >= 4)


def test_mails_may_be_sent_in_any_order() -> None:
    mails = [str(row["email"]) for row in OWN_WORLD.contacts()[:2]]
    both = task(*(do("send_email", email_addresses=[to], content_message="Hi.") for to in mails))
    first, second = right_orders(both, OWN_WORLD).ends
    assert first.car != second.car
    assert first.state == second.state


def test_one_right_order_is_found_by_itself() -> None:
    played = task(FAN, LAMP, SHADE)
    one, every = right_orders(played, WORLD, only=(2, 0, 1)), right_orders(played, WORLD)
    assert [sorted(stage.done) for stage in one.stages] == [[], [2], [0, 2], [0, 1, 2]]
    assert {*one.stages} < {*every.stages}
    assert one.ends == every.ends


def test_of_a_wrong_order_there_is_nothing() -> None:
    wrong = right_orders(task(OFF, FAN), WORLD, only=(1, 0))
    assert (wrong.stages, wrong.ends) == ((), ())


def two_requests() -> Task:
    given = task(FAN, OFF)
    expect = given.expect.model_copy(
        update={"requests": (Request(actions=1), Request(actions=1))}
    )  # fmt: skip
    driver = DriverBrief(instruction="", script=Script(opening="Fan on.", followups=("Fan off.",)))
    return given.model_copy(update={"expect": expect, "driver": driver})


def test_only_what_can_have_been_asked_for_is_expected() -> None:
    episode = Episode(two_requests()).said("driver", "Fan on.").turn()
    episode.said("driver", "Fan off.").turn()
    ways = Ways(Story(episode.record, episode.task), WORLD)
    assert {state["fan_speed"] for state in ways.passed_by(1)} == {0, 3}
    assert len(ways.passed_by(1)) == 2
    assert len(ways.passed_by(2)) == 3


def test_where_the_end_of_a_trip_cannot_be_found_its_first_leg_may_be_set_or_nothing() -> None:
    basel, shop = "loc_bas_627893", "poi_sup_995379"
    to_basel, to_shop = "rll_fre_bas_595490", "rlp_bas_sup_982613"
    base = BY_ID["base_by_way_of_basel"]
    actions = (
        *(base.expect.actions[at] for at in (0, 2)),
        do("search_poi_at_location", location_id=basel, category_poi="supermarkets"),
        do("get_routes_from_start_to_destination", start_id=basel, destination_id=shop),
        do("set_new_navigation", route_ids=[to_basel, to_shop]),
    )
    lacking = {"removed": ("search_poi_at_location",)}
    given = base.model_copy(
        update={
            "task_type": "hallucination_missing_tool",
            "car": base.car.model_copy(update=lacking),
            "expect": base.expect.model_copy(update={"actions": actions, "requests": ()}),
        }
    )
    ways = Ways(Story(Episode(given).record, given), OWN_WORLD)
    routes = {tuple(state["routes_to_final_destination_id"]) for state in ways.endings}
    assert routes == {(), (to_basel,), (to_basel, to_shop)}


def test_what_only_a_rule_wants_in_a_public_task_may_be_done_no_further_than_it_wants() -> None:
    shade, roof = (
        do(f"open_close_{part}", percentage=percent)
        for part, percent in (("sunshade", 100), ("sunroof", 50))
    )
    air = do("set_fan_airflow_direction", direction="WINDSHIELD")
    glass = do("set_window_defrost", on=True, defrost_window="FRONT")
    own = task(shade, roof, air, glass, fan_airflow_direction="FEET")

    def seen(given: Task) -> set[tuple[int, str]]:
        ways = Ways(Story(Episode(given).record, given), WORLD)
        return {(end["sunshade_position"], end["fan_airflow_direction"]) for end in ways.endings}

    assert seen(own) == {(100, "WINDSHIELD")}
    public = own.model_copy(update={"source": "public"})
    assert seen(public) == {(100, "WINDSHIELD"), (50, "WINDSHIELD_FEET")}


def test_a_change_that_was_undone_costs_the_reward_and_is_named() -> None:
    episode = Episode(task(FAN)).call("set_fan_speed", level=3)
    episode.call("open_close_window", window="DRIVER", percentage=50)
    episode.call("open_close_window", window="DRIVER", percentage=0)
    verdict = judged(episode.turn().end())
    assert verdict.components["r_actions_final"] == 1.0
    assert verdict.components["collateral"] == verdict.reward == 0.0
    [found] = verdict.collateral
    assert found.sentence == (
        "open_close_window set window_driver_position to 50, which nobody wanted"
    )


def test_a_change_that_nobody_notices_is_only_reported() -> None:
    episode = Episode(task(FAN)).call("set_charge_limit", limit_percent=80)
    episode.call("set_charge_limit", limit_percent=100).call("set_fan_speed", level=3)
    verdict = judged(episode.turn().end())
    assert verdict.collateral
    assert verdict.reward == 1.0


def test_what_a_hand_sets_is_nobodys_unwanted_change() -> None:
    episode = Episode(task(FAN)).call("set_fan_speed", level=3).turned(window_driver_position=30)
    assert judged(episode.turn().end()).collateral == ()


def test_what_was_set_by_hand_stays_where_the_car_lacks_what_would_show_it() -> None:
    warm = do("set_climate_temperature", temperature=21, seat_zone="PASSENGER")
    look, lacks = do("get_temperature_inside_car"), {"removed": ("get_temperature_inside_car",)}
    both = do(warm.name, temperature=21, seat_zone="ALL_ZONES")
    given = task(both, look, warm, task_type="hallucination_missing_tool", **lacks)
    optional = {"expect": given.expect.model_copy(update={"optional": (warm.name,)})}
    played = given.model_copy(update=optional)
    for temperature, right in ((21, True), (25, False)):
        told = Episode(played).call(warm.name, temperature=temperature, seat_zone="ALL_ZONES")
        told.turned(climate_temperature_passenger=23.0, fan_speed=2)
        told.said("agent", "I can't read the temperature inside the car.")
        components = judged(told.end("ASSISTANT_ACKNOWLEDGED_REMOVED_PART")).components
        assert (components["r_actions_final"] == 1.0) == right
