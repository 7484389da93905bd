"""Changes that nobody wanted, also those that were undone again."""

from collections.abc import Iterator, Mapping

from evaluator.record.episode import Act, Episode
from evaluator.scoring.course.orders import in_any_order
from evaluator.scoring.course.ways import Ways
from evaluator.scoring.policies.policy import Breach, at

# What a driver does not notice at once; all else is felt, heard or seen in or on the car.
UNNOTICED = frozenset({"charge_limit_percent"})
# A trip that is changed may need several calls; it counts as it is when the driver has the floor.
TRIP = frozenset({"navigation_active", "waypoints_id", "routes_to_final_destination_id"})


def unwanted_changes(episode: Episode, ways: Ways) -> Iterator[tuple[str, Breach]]:
    """Each variable that a call gave a value that it never has on a right way, and when."""
    for act in episode.acts:
        expected = ways.passed_by(act.turn)
        for name, value in _changed(act).items():
            if any(state[name] == value for state in expected):
                continue
            values = [state[name] for state in expected]
            if name not in TRIP or all(one == values[0] for one in values):
                yield name, at(act, f"{act.tool} set {name} to {value}, which nobody wanted")


def _changed(act: Act) -> Mapping[str, object]:
    before, after = in_any_order(act.before), in_any_order(act.after)
    return {name: value for name, value in after.items() if value != before.get(name)}
