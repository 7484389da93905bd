"""What people read of events and refusals."""

import json

from evaluator.views.sentences import refusal
from tests.evaluator.runs import WORLD


def test_a_refusal_says_why_without_its_code_and_with_names_of_places() -> None:
    text = "SetNewNavigation_004: rll_mun_gra_1 does not start at loc_mun_9995"
    output = json.dumps({"status": "FAILURE", "errors": {"SET_NEW_NAVIGATION_004": text}})
    assert refusal(output, WORLD) == "rll_mun_gra_1 does not start at Munich"


def test_a_refusal_that_is_no_json_is_told_as_it_is() -> None:
    for output in ("no reply within 30 s", "[]", '{"errors": 3}'):
        assert refusal(output, WORLD) == output
