from typing import Any

import pytest

from evaluator.scoring.broken_agent import error_text
from evaluator.scoring.scores import Score, score
from tests.evaluator.episodes import do, task
from tests.evaluator.stories import record_of
from tests.vehicle_bus.cars import WORLD

GIVEN = task(do("set_fan_speed", level=3))
ERRORS = (
    "Error processing request: No module named 'mcp'",
    "Error code: 500 - {'error': {'message': 'overloaded'}}",
    "Traceback (most recent call last):\n  File \"/app/agent.py\", line 3, in run\nKeyError: 'x'",
    "Sorry. litellm.exceptions.RateLimitError: too many requests",
    "java.lang.NullPointerException\n    at com.car.Agent.run(Agent.java:17)",
    "TypeError: undefined is not a function\n    at reply (/app/agent.js:12:3)",
    "500 Internal Server Error",
    "HTTP 503",
    "The server answered with status code 429.",
    "<!DOCTYPE html><html><body>Bad gateway</body></html>",
    '{"name": "set_fan_speed", "arguments": {"level": 3}}',
    '```json\n{"action": "none"}\n```',
    '[{"type": "text", "text": "Hello"}]',
    '<tool_call>{"name": "set_fan_speed"}</tool_call>',
    "An unexpected error occurred while handling the request: timeout",
)
WORDS = (
    "I'm sorry, something went wrong on my side. Could you please try again?",
    "There was an error with the sunroof: it is blocked.",
    "The fan is at 3 now. Error-free driving!",
    "It is 404 kilometres to Munich, and 500 metres to the next charger.",
    "The car refused that: the battery is too low.",
    "Your e-mail says: {name}, see you at 5.",
    "I failed to open the window: the child lock is on.",
    "At Linz (exit 12:30) we stop.",
    "Two options: [1] the fastest, [2] the shortest.",
)


def judged(*texts: str) -> Score:
    lines = [line for text in texts for line in ({"driver": "Fan to three."}, {"agent": text})]
    return score(record_of(GIVEN, lines, "OUT_OF_SCOPE"), GIVEN, WORLD)


@pytest.mark.parametrize("text", ERRORS)
def test_an_agent_that_speaks_an_error_of_its_program_is_broken(text: str) -> None:
    failure = judged("One moment.", text).failure
    assert failure is not None
    assert failure.kind == "broken_agent"
    assert failure.evidence.startswith('it spoke an error of its program: "')


@pytest.mark.parametrize("text", WORDS)
def test_words_for_a_driver_are_no_error_of_a_program(text: str) -> None:
    assert error_text(text) is None
    failure = judged(text).failure
    assert failure is not None
    assert failure.kind != "broken_agent"


def test_an_agent_that_says_and_does_nothing_is_broken() -> None:
    failure = score(record_of(GIVEN, [{"driver": "Fan."}], "OUT_OF_SCOPE"), GIVEN, WORLD).failure
    assert failure is not None
    assert (failure.kind, failure.evidence) == ("broken_agent", "it said nothing and did nothing")


def test_what_is_said_in_every_turn_is_noted_unless_something_was_called() -> None:
    assert judged("Please try again.", "Please  try again.").same_answer == "Please try again."
    assert judged("Please try again.", "No.").same_answer is None
    called: list[dict[str, Any]] = [
        {"driver": "Fan."},
        {"calls": [{"set_fan_speed": {"level": 3}}]},
        {"agent": "Done."},
    ]
    assert score(record_of(GIVEN, called, "STOP"), GIVEN, WORLD).same_answer is None
