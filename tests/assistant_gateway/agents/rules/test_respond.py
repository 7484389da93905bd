"""`respond` is a function: deterministic, never at a loss, and calling only what is offered."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.transcript import Answered, Heard, Line
from tests.assistant_gateway.agents.rules.test_understanding import utterances
from tests.vehicle_bus.cars import car

INSTRUCTIONS = "The car is at Basel (id loc_bas_627893, 47.6 N, 7.6 E). It is 14:20 on 2025-03-10."
TOOLS = car().declarations()
SAID = st.one_of(
    st.text(max_size=80),
    st.sampled_from([said for said, _ in utterances()]),
    st.sampled_from(["Yes.", "No.", "I don't know, please decide.", "Twenty percent.", "Basel."]),
)
NAMES = st.sampled_from(
    ["routes", "route_id", "id", "name", "matches", "meetings", "waypoints_id", "pois_found",
     "current_slot", "condition", "fan_speed", "seats_occupied", "start", "attendees", "details"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-5, 200) | st.sampled_from(["unknown", "", "A1"])
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner), max_leaves=8
)
OUTPUTS = st.one_of(
    st.text(max_size=20),
    st.dictionaries(NAMES, JSON, max_size=5).map(
        lambda result: json.dumps({"status": "SUCCESS", "result": result})
    ),
    st.just('{"status": "FAILURE", "errors": {"X_001": "no"}}'),
)


def offered(tools: list[dict[str, Any]], message: AgentMessage) -> bool:
    parameters = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    return all(
        call.name in parameters and set(call.arguments) <= set(parameters[call.name]["properties"])
        for call in message.calls
    )


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_is_said_and_answered_there_is_a_reply(data: st.DataObject) -> None:
    tools = data.draw(st.lists(st.sampled_from(TOOLS), unique_by=lambda t: t["function"]["name"]))
    tools = tools if data.draw(st.booleans()) else TOOLS
    transcript: tuple[Line, ...] = ()
    line: Line = Heard(data.draw(SAID))
    for _ in range(6):
        transcript = (*transcript, line)
        message = respond(transcript, tools, INSTRUCTIONS)
        assert message == respond(transcript, tools, INSTRUCTIONS)
        assert message.text or message.calls
        assert offered(tools, message)
        transcript = (*transcript, message)
        if message.calls:
            line = Answered(tuple((call, data.draw(OUTPUTS)) for call in message.calls))
        else:
            line = Heard(data.draw(SAID))


def test_without_tools_every_wish_is_declined_in_words() -> None:
    for said, _ in utterances():
        message = respond((Heard(said),), [], INSTRUCTIONS)
        assert message.text
        assert not message.calls


def test_a_driver_who_does_not_wait_is_listened_to() -> None:
    first = respond((Heard("Is the trunk open?"),), TOOLS, INSTRUCTIONS)
    then = respond((Heard("Is the trunk open?"), first, Heard("Thanks.")), TOOLS, INSTRUCTIONS)
    assert first.calls
    assert then == AgentMessage("You're welcome.")


def test_a_refusal_of_the_car_is_explained_in_words() -> None:
    asked = respond((Heard("Is the trunk open?"),), TOOLS, INSTRUCTIONS)
    refused = Answered(((asked.calls[0], '{"status": "FAILURE", "errors": {"X_001": "no"}}'),))
    answer = respond((Heard("Is the trunk open?"), asked, refused), TOOLS, INSTRUCTIONS)
    assert answer == AgentMessage("I'm sorry, I couldn't look up the trunk.")


def test_what_was_not_waited_for_is_not_said_to_be_taken_back() -> None:
    said = Heard("Set the fan to two.")
    sets = respond((said,), TOOLS, INSTRUCTIONS)
    then = respond((said, sets, Heard("Undo that.")), TOOLS, INSTRUCTIONS)
    assert then == AgentMessage("I don't know how the fan was before.")
