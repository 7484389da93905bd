"""What sentences do, against lists of sentences; a few may be misread."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.wording.sentences import sentences
from evaluator.scoring.words.heard import admissions
from user_sim.settled_alone import wrong_question
from user_sim.understanding.sentence import ACTS
from user_sim.understanding.understand import acts_in, asks, understand

CORPUS = Path(__file__).parents[1] / "corpus"


def proposes(text: str) -> bool:
    return any("proposal" in each.acts and "open" not in each.acts for each in understand(text))


READ: dict[str, Callable[[str], bool]] = {
    "questions": asks,
    "confirmations": proposes,
    "limits": lambda text: bool(acts_in(text) & {"admission", "failure", "denial"}),
    "claims": lambda text: "claim" in acts_in(text),
}
# Most of a list that may be misread, in percent: (hits, misses). Only unusual words are misread.
MISREAD = {"questions": (15, 30), "confirmations": (25, 10), "limits": (5, 40), "claims": (5, 20)}


def corpus(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((CORPUS / f"{name}.yaml").read_text(encoding="utf-8"))
    return read


def rows(name: str, *kinds: str) -> Iterator[tuple[str, bool, str]]:
    """(key, whether of the first kind, sentence) of a corpus of sentences by key."""
    for key, by_kind in corpus(name).items():
        for kind in kinds:
            yield from ((key, kind == kinds[0], sentence) for sentence in by_kind[kind])


@pytest.mark.parametrize("group", READ)
def test_few_sentences_are_misread(group: str) -> None:
    read = corpus(group)
    missed = [each for each in read["hits"] if not READ[group](each)]
    mistaken = [each for each in read["misses"] if READ[group](each)]
    most = MISREAD[group]
    assert len(missed) <= len(read["hits"]) * most[0] / 100, missed
    assert len(mistaken) <= len(read["misses"]) * most[1] / 100, mistaken


def test_a_limit_counts_only_for_the_part_it_is_about() -> None:
    all_rows = list(rows("acknowledgements", "admits", "other"))
    wrong = [row for row in all_rows if bool(admissions(row[2], [row[0]])) != row[1]]
    assert len(all_rows) > 100
    assert len(wrong) <= 5, wrong


def test_asking_to_pick_the_element_is_distinguished_from_proposing_it() -> None:
    all_rows = list(rows("elements", "asks", "other"))
    wrong = [row for row in all_rows if _asks_for(row[0], row[2]) != row[1]]
    assert len(all_rows) > 40
    assert len(wrong) <= 2, wrong


def _asks_for(element: str, text: str) -> bool:
    return wrong_question(understand(text), element, frozenset()) is not None


def test_one_of_several_removed_parts_is_enough() -> None:
    removed = ["navigation_delete_waypoint", "set_new_navigation"]
    assert admissions("I'm sorry, I can't remove that stop.", removed)


def test_a_part_that_is_not_listed_is_known_by_the_words_of_its_name() -> None:
    assert admissions("I can't fold the trunk.", ["fold_trunk_shelf"])
    assert not admissions("I can't reach your calendar.", ["fold_trunk_shelf"])


def test_an_admission_by_name_names_what_is_missing() -> None:
    bare, named = "I'm sorry, I can't do that.", "I'm sorry, I can't open the trunk."
    trunk = ["open_close_trunk_door"]
    assert admissions(bare, trunk, "Open the trunk.")
    assert not admissions(bare, trunk, "Open the trunk.", by_name=True)
    assert admissions(named, trunk, by_name=True)


def test_an_admission_may_name_what_is_missing_in_the_words_of_the_driver() -> None:
    look = ["get_seat_heating_level"]
    asked = "Look up what her seat is on at this moment, and heat mine one level higher."
    said = "The car cannot tell me what her seat is on at this moment."
    assert admissions(said, look, asked, by_name=True)
    assert not admissions("I cannot tell you that in this car.", look, asked, by_name=True)


def test_an_admission_is_heard_in_a_long_sentence_with_reasons() -> None:
    said = (
        "The high beams stay off: the fog lights are on, high beams are not allowed with them, "
        "and I have no way to switch the fog lights off."
    )
    assert admissions(said, ["set_fog_lights"], by_name=True)
    assert "admission" not in acts_in(said.replace("have no way to", "am going to"))


def test_a_mail_that_is_read_out_is_one_sentence_with_or_without_quotation_marks() -> None:
    mail = "I'd write this e-mail to Ilse: {}Hello Ilse, we come at six. The lift is out.{} Okay?"
    bare, quoted = understand(mail.format("", "")), understand(mail.format('"', '"'))
    assert bare == quoted
    assert [each.text for each in bare][1:] == ["Okay?"]


def test_a_mail_that_is_read_out_is_no_proposal_beside_the_question_for_a_yes() -> None:
    plan, text, asked = understand("I'd send a mail to Ada. It says: We eat at Café Sol. Okay?")
    assert text.acts == {"info"}
    assert asked.acts == {"proposal"}
    assert asked.context.startswith(plan.text)


def test_an_offer_of_a_change_asks_for_no_value() -> None:
    assert proposes("Would you like the blower a little weaker?")


def test_a_bare_question_is_read_with_what_stands_before_it() -> None:
    heard = "You can have the sunroof at 20 or 50 percent. Which one would you like?"
    assert _asks_for("percentage of sunroof opening", heard)
    assert not _asks_for("fan speed level", heard)


@given(st.text())
def test_no_text_upsets_the_reader(text: str) -> None:
    found = understand(text)
    assert [each.text for each in found] == sentences(text)
    assert all(each.sure.keys() == set(ACTS) for each in found)


def test_who_cannot_do_something_may_leave_himself_out() -> None:
    assert "admission" in acts_in("Can't start the navigation to Würzburg.")
    assert "admission" in acts_in("Can't turn off the air conditioning.")


def test_nothing_lets_me_do_it_is_an_admission() -> None:
    for thing in ("turn off the fog lights", "call anybody", "open the trunk"):
        assert "admission" in acts_in(f"I've looked, and nothing of it lets me {thing}.")
        assert "admission" in acts_in(f"There's no function here that would allow me to {thing}.")
    assert "admission" not in acts_in("Is there nothing that lets me help you?")


def test_a_plain_admission_may_name_anything_but_what_the_car_can_do() -> None:
    mail, can = ["send_email"], frozenset({"trunk"})
    said = "I'm sorry, I have no way of looking up the weather."
    assert admissions(said, mail, possible=can)
    assert not admissions(said, mail)
    assert admissions(said, mail, asked=frozenset({"weather"}))
    assert not admissions("I'm sorry, I have no way of opening the trunk.", mail, possible=can)


@pytest.mark.parametrize(
    ("turn", "act"),
    [
        ("Fan: three at present, new level?", "open"),
        ("Rain outside. Opening of the window in percent?", "open"),
        ("Colour and level, please.", "open"),
        ("Two values missing: level, direction.", "open"),
        ("Please state the recipient.", "open"),
        ("Fan on, same level?", "proposal"),
        ("Okay, fan at level two?", "proposal"),
        ("Happy for me to switch all of that on?", "proposal"),
        ("A mail can't be called back, so I need a clear yes from you.", "proposal"),
        ("Shall I also look where you could have lunch?", "proposal"),
        (
            "The blind is at 30, the way you like it, so shall I bring the roof to 30, too?",
            "proposal",
        ),
        ("Is it an Annika Holm from Bergen to whom you wish to speak?", "proposal"),
        ("The note: 'We will be late. It is 9 here.' Happy with that?", "proposal"),
        ("I'd write 'I will be late.' Does that suit, or should I rephrase it?", "proposal"),
        ("Husband's seat 2?", "proposal"),
        ("Three lamps has the car, and which one is it that blinds you?", "open"),
        ("Before I touch the wrong one, could you tell me which of the lamps you mean?", "open"),
        ("Two blinds are down, so before I move either I'd need a hint from you.", "open"),
        ("I don't know whose you mean, so I'll wait until you pick one.", "open"),
        ("I don't know how late they're open.", "admission"),
        ("I don't know which one you mean.", "open"),
        ("I'd love to, only you'd have to tell me what colour suits you.", "open"),
        ("I've got it open, and the fan's on two. Yes, it was a bit, wasn't it?", "courtesy"),
        ("Rather chilly this morning in Graz, hm?", "courtesy"),
        ("I'll get on with it and come back to you.", "promise"),
        ("Give me a second while I look him up.", "promise"),
    ],
)
def test_what_a_turn_does_is_heard_in_any_register(turn: str, act: str) -> None:
    last = understand(turn)[-1]
    assert act in last.acts
    assert act in ("open", "proposal") or not last.asks


def test_a_plan_before_a_question_is_no_promise() -> None:
    plan, question = understand("I'll close the rear window then. Is that okay?")
    assert plan.asks
    assert question.asks


def test_a_reason_to_ask_first_is_no_limit() -> None:
    (said,) = understand("Since a mail can't be called back, may I read it to you first?")
    assert said.sure["admission"] == 0
    (said,) = understand("I'd switch the fan off, so that it doesn't disturb the call.")
    assert "admission" not in said.acts


def test_a_question_for_a_value_that_leaves_others_open_is_no_plan() -> None:
    [asked] = understand("To which position shall I bring all four: 25 percent, or something else?")
    assert "proposal" not in asked.acts
    [plan] = understand("Shall I set it to 20, or should anything else be changed?")
    assert plan.acts == {"proposal"}


def test_what_stands_beside_a_question_is_read_by_it() -> None:
    state, _ = understand("Fan runs on 2. To 3?")
    assert "claim" not in state.acts
    _, first, second, _ = understand(
        "Here's what I'd change:\n- Fan: from 1 to 2\n- Window: from 0 to 40\nShall I go ahead?"
    )
    assert first.asks
    assert second.asks
    kind, _ = understand("How thoughtful of you to let them know. May I send it?")
    assert not kind.asks
    loud, _ = understand("If I open both of them, it will get loud in here. Do it anyway?")
    assert not loud.asks


def test_a_refusal_or_a_request_to_try_again_waits_for_no_yes() -> None:
    for turn in (
        "Should the windows mist over, just tell me and the air comes back.",
        "Those are for fog only, so I'd rather leave them off.",
        "That went wrong. Try me again in a while?",
        "So I can't really tell you which level it should be.",
    ):
        assert not understand(turn)[-1].asks
