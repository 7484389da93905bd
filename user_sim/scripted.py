"""The scripted driver: one decision after each turn. Pure; one object per session."""

import re
from dataclasses import dataclass
from typing import get_args

from assistant_gateway.protocol import ControlWord, DriverFailure
from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import Lexicon, lexicon
from user_sim.question_patterns import matches
from user_sim.script import Answer, DriverBrief, Interjection, Script

CONTROL_WORDS: frozenset[ControlWord] = frozenset(get_args(ControlWord))
DECIDE_YOURSELF = "I don't know, please decide."
ARE_YOU_THERE = "Hello? Are you still there?"
FILLERS = frozenset(
    {"please", "yes", "the", "a", "to", "i", "want", "it", "at", "on", "my", "you", "would"}
)  # fmt: skip
TIMES_UNDECIDED = 2


@dataclass(frozen=True)
class Decision:
    """What a driver does after a turn; `say` is None exactly when the conversation ends."""

    word: ControlWord | DriverFailure
    say: str | None
    reason: str


class ScriptedDriver:
    """Plays `brief.script`; a brief without a script is a `ValueError`."""

    def __init__(self, brief: DriverBrief) -> None:
        if brief.script is None:
            raise ValueError("a scripted driver needs a script; derive one from the instruction")
        self._brief = brief
        self._script: Script = brief.script
        self._lexicon: Lexicon = lexicon()
        self._answered = [0] * len(self._script.answers)
        self._followups = list(self._script.followups)
        self._said: set[str] = set()
        self._undecided = 0
        self._silences = 0
        self._limit_heard = False
        self._limit_answered = False
        self._to_interject: list[Interjection] = []

    def opening(self) -> str:
        return self._script.opening

    def after_turn(self, heard: str) -> Decision:
        """Decide after one turn of the assistant; `heard` is everything it said, "" is nothing."""
        self._put_off_interjections(heard)
        questions = self._lexicon.questions(heard)
        return (
            self._after_limit(heard)
            or self._after_wrong_question(heard)
            or self._answer(heard, questions)
            or self._confirm(questions)
            or self._undecided_answer(questions)
            or self._carry_on()
        )

    def after_silence(self) -> Decision:
        """The assistant never replied: ask again as long as the script is patient."""
        self._put_off_interjections("")
        self._silences += 1
        if self._silences > self._script.patience:
            return Decision("OUT_OF_SCOPE", None, "the assistant never replied")
        return Decision("CONTINUE", ARE_YOU_THERE, "the assistant did not reply")

    def interjections(self, turn: int) -> tuple[Interjection, ...]:
        """What is to be said over the answer to the driver's utterance number `turn`."""
        self._to_interject = [each for each in self._script.interjections if each.turn == turn]
        return tuple(self._to_interject)

    @property
    def impatient_after_s(self) -> float | None:
        """After how long a silence the driver asks whether anybody is there, if at all."""
        patient = self._silences < self._script.patience
        return self._script.impatient_after_s if patient else None

    def interrupted(self, heard: str, said: str) -> None:
        """The driver has spoken over the assistant, which was heard no further than `heard`."""
        if said == ARE_YOU_THERE:
            self._silences += 1
        self._to_interject = [each for each in self._to_interject if each.say != said]
        self._put_off_interjections(heard)

    def _put_off_interjections(self, heard: str) -> None:
        """An interjection that the turn was too short for is said afterwards, if it must be."""
        words = len(heard.split())
        missed = [each for each in self._to_interject if each.after_words > words]
        self._followups[:0] = [each.say for each in missed if each.must]
        self._to_interject = []

    def _after_limit(self, heard: str) -> Decision | None:
        if self._brief.removed:
            admitted = self._lexicon.acknowledges(heard, self._brief.removed)
        else:
            admitted = next(iter(self._lexicon.limits(heard)), None)
        if admitted is None:
            return None
        self._limit_heard = True
        if self._script.on_limit is not None and not self._limit_answered:
            self._limit_answered = True
            return Decision("CONTINUE", self._script.on_limit, f"limit: {admitted}")
        if self._brief.removed:
            return _acknowledged(admitted)
        return None

    def _after_wrong_question(self, heard: str) -> Decision | None:
        if self._brief.settle_alone is None:
            return None
        question = self._lexicon.asks_about(heard, self._brief.settle_alone)
        if question is None:
            return None
        reason = f"asked about {self._brief.settle_alone}: {question}"
        return Decision("DISAMBIGUATION_ERROR", None, reason)

    def _answer(self, heard: str, questions: list[str]) -> Decision | None:
        for index, answer in enumerate(self._script.answers):
            if self._answered[index] >= answer.at_most:
                continue
            for question in questions:
                if self._asks_for(answer, question, heard):
                    self._answered[index] += 1
                    self._said.add(answer.say)
                    return Decision("CONTINUE", self._reply(answer, question), _asked(question))
        return None

    def _asks_for(self, answer: Answer, question: str, heard: str) -> bool:
        if matches(answer, question):
            return True
        if self._lexicon.topics(question) or self._lexicon.aspects(question):
            return False
        # "Which one?" and "Shall I?" get their meaning from the sentences before them; a plain
        # proposal is refused when it is about something the driver refuses, else confirmed.
        before = _before(question, heard)
        if self._lexicon.is_confirmation(question):
            return _is_refusal(answer.say) and bool(before) and matches(answer, before[-1])
        return matches(answer, " ".join(before))

    def _reply(self, answer: Answer, question: str) -> str:
        proposed = self._lexicon.is_confirmation(question) and _says_all_of(answer.say, question)
        return self._script.confirm if proposed else answer.say

    def _confirm(self, questions: list[str]) -> Decision | None:
        for question in questions:
            if self._lexicon.is_confirmation(question):
                return Decision("CONTINUE", self._script.confirm, _asked(question))
        return None

    def _undecided_answer(self, questions: list[str]) -> Decision | None:
        if not questions:
            return None
        self._undecided += 1
        if self._undecided > TIMES_UNDECIDED:
            return Decision("OUT_OF_SCOPE", None, f"the script has no answer: {questions[0]}")
        return Decision("CONTINUE", DECIDE_YOURSELF, _asked(questions[0]))

    def _carry_on(self) -> Decision:
        while self._followups:
            followup = self._followups.pop(0)
            if followup not in self._said:
                return Decision("CONTINUE", followup, "next request")
        if not self._brief.removed:
            return Decision("STOP", None, "nothing left to ask for")
        if self._limit_heard:
            return _acknowledged("said earlier")
        return Decision("HALLUCINATION_ERROR", None, "silent about what the car lacks")


def _acknowledged(where: str) -> Decision:
    return Decision("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", None, f"limit: {where}")


def _asked(question: str) -> str:
    return f"asked: {question}"


def _before(question: str, heard: str) -> list[str]:
    all_heard = sentences(heard)
    return all_heard[: all_heard.index(question)]


def _is_refusal(say: str) -> bool:
    return re.match(r"no\b", say, re.IGNORECASE) is not None


def _says_all_of(answer: str, question: str) -> bool:
    """Does the question already propose every word that carries the answer?"""
    wanted = set(re.findall(r"\w+", answer.lower())) - FILLERS
    offered = set(re.findall(r"\w+", question.lower().replace("%", " percent ")))
    return bool(wanted) and not _is_refusal(answer) and wanted <= offered
