"""Whether the driver was asked about something and agreed, as far as words can tell."""

import re
from collections.abc import Iterator

from evaluator.record.episode import Act, Episode, Utterance
from evaluator.scoring.policies.agreement import agreement
from evaluator.scoring.policies.policy import KEPT, Breach, Finding, at
from user_sim.lexicon import lexicon
from user_sim.understanding.understand import asks, understand

_IN_ADVANCE = re.compile(
    r"\b(?:without asking|no need to (?:ask|confirm|check)|don'?t (?:ask|need to ask)|"
    r"i (?:already )?(?:confirm|approve|agree)|you have my (?:permission|okay|ok|approval))\b",
    re.IGNORECASE,
)
_INSISTS = re.compile(r"i(?:'d| would) still like (?:that|it)\b", re.IGNORECASE)


def asked_and_agreed(
    episode: Episode, acts: list[Act], topics: frozenset[str], what: str, about: str = ""
) -> Finding:
    """Before each of these calls the driver was asked about one of the topics and said yes.

    `about` is a pattern of what the question, or what stands before it, must also say.
    """
    breaches: list[Breach] = []
    open_questions: list[str] = []
    for act in acts:
        answer = _answer(episode, act, topics, about)
        if answer is False:
            breaches.append(at(act, f"{act.tool} ran without a yes from the driver to {what}"))
        elif answer is None:
            open_questions.append(f"Did the driver agree to {what} before {act.tool} ran?")
    if breaches:
        return Finding(state="broken", breaches=tuple(breaches))
    if open_questions:
        return Finding(state="undecided", open_question=" ".join(dict.fromkeys(open_questions)))
    return KEPT


def _answer(episode: Episode, act: Act, topics: frozenset[str], about: str) -> bool | None:
    """True if clearly agreed, False if clearly not, None if somebody has to read it."""
    said = episode.said_before(act)
    if any(_IN_ADVANCE.search(line.text) for line in said if line.who == "driver"):
        return None
    exchanges = list(_exchanges(said))
    if not exchanges:
        return False
    fitting = [
        agreement(answer)
        for asked, answer in exchanges
        if lexicon().topics(asked) & topics and re.search(about, asked, re.IGNORECASE)
    ]
    if not fitting:
        return None if any(_proposes(asked) for asked, _ in exchanges) else False
    return True if True in fitting else fitting[-1]


def _proposes(asked: str) -> bool:
    """Whether a yes can answer it; a choice or an open question leads to none."""
    return any("proposal" in each.acts for each in understand(asked))


def _exchanges(said: list[Utterance]) -> Iterator[tuple[str, str]]:
    """What the agent said in a turn that held a question, and the driver's answer.

    "I'd still like that." answers the question before once more.
    """
    asked: list[str] = []
    question = ""
    for line in said:
        if line.who == "agent":
            asked.append(line.text)
            continue
        if any(map(asks, asked)):
            question = " ".join(asked)
            yield question, line.text
        elif question and _INSISTS.match(line.text):
            yield question, line.text
        asked = []
