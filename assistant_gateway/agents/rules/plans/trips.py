"""The trip that is being followed."""

from assistant_gateway.agents.rules.outcomes import Lacking
from assistant_gateway.agents.rules.planned import Planned
from assistant_gateway.agents.rules.steps import UNKNOWN, Steps, Talk, value

STATE = "get_current_navigation_state"


def trip(talk: Talk) -> Steps[Planned]:
    """The trip with all edits of this turn; names of its places are known afterwards."""
    if talk.trip is None:
        detailed = talk.offered.has(STATE, "detailed_information")
        result = yield from talk.look(STATE, **({"detailed_information": True} if detailed else {}))
        found = Planned(
            is_active=value(result, STATE, "navigation_active") is True,
            waypoints=_ids(value(result, STATE, "waypoints_id")),
            routes=_ids(value(result, STATE, "routes_to_final_destination_id")),
        )
        if found.is_active and result.get("details") == UNKNOWN:
            raise Lacking(f"result.{STATE}.details")
        talk.trip = talk.trip_before = found
    return talk.trip


def _ids(told: object) -> tuple[str, ...]:
    return tuple(str(place) for place in told) if isinstance(told, list) else ()
