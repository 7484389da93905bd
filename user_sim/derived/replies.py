"""The driver's answer when a condition of the prose holds ("If the assistant asks …, you …")."""

import re

from user_sim.derived.spoken import as_sentence, first_person, spoken_request, without_motive
from user_sim.prose_rules import rules
from user_sim.question_patterns import ROUTES, proposal_patterns, question_patterns
from user_sim.script import Answer

OPEN_QUESTION = r"\boption|\b(?:which|what|how)\b"
_TIMES_PER_ROUTE = 4


def answer_to(say: str, condition: str, then: str) -> Answer:
    """The answer said when a question speaks of what the condition names.

    A condition that names nothing leaves it to the answer to say what it is about.
    """
    if "cannot" in condition:
        condition = condition.split(" because ")[-1]
    read = proposal_patterns if say.startswith("No,") else question_patterns
    patterns = read(condition) or read(then) or (OPEN_QUESTION,)
    if rules().search("clarified_options", condition):
        patterns = (OPEN_QUESTION, *patterns)
    if ROUTES[0] not in patterns:
        return Answer(when=patterns, say=say)
    one_leg = patterns[0] != ROUTES[0]
    return Answer(when=patterns, say=say, at_most=1 if one_leg else _TIMES_PER_ROUTE)


def said_when_asked(then: str, condition: str) -> str | None:
    """The answer, or None when a plain yes is all that is meant."""
    if rules().search("refused", then):
        return refusal(then)
    if rules().match("agreed", then) is None:
        return reply(then)
    wish = rules().search("agreed_wish", then)
    if wish:
        return reply(f"You want {wish[1]}")
    proposed = rules().search("proposed", condition)
    return first_person(f"Yes, please {proposed[1]}") if proposed else None


def refusal(then: str) -> str:
    """A "You deny as you want to do it yourself" as "No, I want to do it myself"."""
    reason = rules().search("refusal_reason", then)
    if reason:
        return first_person(f"No, {re.sub(r'^its ', 'it is ', reason[1])}")
    wish = rules().search("refused_wish", then)
    return first_person(f"No, you do not want {wish[1]}") if wish else "No, thank you."


def reply(then: str) -> str:
    """The consequence of a condition as the driver says it."""
    text = rules().applied("replies", without_motive(then))
    choice = rules().match("choice", re.sub(r"^You'll", "You will", text))
    if choice is None:
        return spoken_request(text)
    text = first_person(choice[1])
    return text if "please" in text else as_sentence(f"{text.rstrip('.')}, please")
