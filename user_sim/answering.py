"""Which of the script's answers fits a question or a proposal."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from user_sim.phrases import PHRASES
from user_sim.question_patterns import content_words, matches
from user_sim.script import Answer, Script
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import Values, of_kind, question_kinds, values

FILLERS = frozenset(
    {"please", "yes", "the", "a", "to", "i", "want", "it", "at", "on", "my", "you", "would"}
)  # fmt: skip


ALL_OFFERED = 2.0
ASKS_FOR_TEXT = ("What should the e-mail say?", "What shall I write?")
SEVERAL = 2  # words of an answer that were told: it is among them
CHOSEN = frozenset({"name", "colour", "route", "road"})  # values that choose among what was told
AMOUNT = 6.0  # more than any pattern counts: the question asks for just this


class Answers:
    """The answers of one script and how often each was given.

    With `ask_first` an unused answer fits any question it could mean, else only what matches.
    """

    def __init__(self, script: Script, *, any_question: bool) -> None:
        self._answers = script.answers
        self._any_question = any_question
        self._given = [0] * len(script.answers)
        self._said: set[str] = set()

    def was_said(self, text: str, *, as_values: bool = False) -> bool:
        """Whether an answer was this text, or `as_values` named all the values that it names."""
        told = values(text) if as_values else frozenset()
        return text in self._said or any(told and told <= values(said) for said in self._said)

    def to_question(
        self, turn: Sequence[Sentence], index: int, amounts: Values, unnamed: Values
    ) -> str | None:
        """The answer that fits an open question or a choice best; None if none could be meant.

        `unnamed` are the values that are wanted and that no request has named, `amounts` those
        of them that are asked for.
        """
        heard = " ".join(each.text for each in turn)
        asked, before = turn[index], turn[:index]
        bare = not asked.topics and not asked.aspects
        # "Which one?" asks about what was told before, whatever answer waits for these words.
        of_before = 5.0 if bare and PHRASES.which_one.search(asked.text) else 2.0
        fitting: list[tuple[float, int]] = []
        for number, answer in self._usable(heard):
            meant = matches(answer, asked.text)
            if not meant and (
                is_refusal(answer.say)
                or not _is_kind_asked_for(answer, turn, index, amounts, unnamed)
            ):
                continue
            score = 4.0 * meant - is_refusal(answer.say)
            nearest = bool(before) and not asked.topics and matches(answer, before[-1].text)
            if nearest or (bare and any(matches(answer, each.text) for each in before)):
                score = max(score, of_before + nearest) + 2.0 * meant
            named = self._offered(answer, asked.text) == ALL_OFFERED
            named = named and (bare or "choice" in asked.acts)
            if score > 0 or (named and bare) or self._any_question:
                score += self._offered(answer, heard) + (score > 0) * len(answer.only_if)
                score += 3.0 * named
            if (
                self._any_question
                and not self._given[number]
                and amounts & values(f"x {answer.say}")
            ):
                score += AMOUNT
            if not score and not self._given[number]:
                score = 0.5 * bool(looks_of(asked.text, answer.say))
            fitting.append((score - self._given[number], -number))
        best = max(fitting, default=(0.0, 0))
        if best[0] > -1 and fitting and best[0] != 0:
            say = self._with_correction(self._give(-best[1]), asked, heard)
            return self._with_other_part(say, self._answers[-best[1]], asked, heard)
        unused = (-each for _, each in fitting if self._any_question and not self._given[-each])
        first = next(unused, None)
        return None if first is None else self._give(first)

    def _with_other_part(self, say: str, given: Answer, asked: Sentence, heard: str) -> str:
        """Also the unused answer to another part of the question ("Which one and how much?")."""
        parts, answered = PHRASES.and_which.split(asked.text), False
        for part in parts if len(parts) > 1 else ():
            answered = answered or matches(given, part)
            for number, answer in self._usable(heard) if not matches(given, part) else ():
                if not self._given[number] and not is_refusal(answer.say) and matches(answer, part):
                    other = self._give(number)
                    return f"{say} {other}" if answered else f"{other} {say}"
        return say

    def _with_correction(self, say: str, asked: Sentence, heard: str) -> str:
        """Also what is unused and puts another value right that a chosen option came with."""
        chosen = content_words(say) <= content_words(asked.text)
        for number, answer in self._usable(heard) if chosen else ():
            fits = matches(answer, asked.text) and not is_refusal(answer.say)
            if fits and not self._given[number] and _corrects(answer.say, asked.text):
                return f"{say} {self._give(number)}"
        return say

    def to_list(self, turn: Sequence[Sentence], request: str) -> str | None:
        """The unused answer that chooses among what a turn tells without asking, or agrees.

        One that only repeats the request chooses nothing.
        """
        heard = " ".join(each.text for each in turn)
        for number, answer in self._usable(heard):
            told = any(matches(answer, each.text) for each in turn)
            common = values(f"x {answer.say}") & values(heard)
            chosen = {kind for kind, _ in common} & CHOSEN
            named = (content_words(answer.say) - content_words(request)) & content_words(heard)
            chooses = chosen and named and (told or len(named) >= SEVERAL)
            counted = not content_words(answer.say) and PHRASES.one_of_several.search(answer.say)
            fits = chooses or (told and (counted or _agrees(answer.say)))
            if fits and not self._given[number] and not is_refusal(answer.say):
                return self._give(number)
        return None

    def knows(self, turn: Sequence[Sentence], asked: Sentence, *, unused: bool = False) -> bool:
        """Whether an answer of the script, of those `unused` if so asked, is meant for this."""
        bare = not asked.topics and not asked.aspects
        texts = [each.text for each in turn] if bare else [asked.text]
        return any(
            matches(answer, text)
            for given, answer in zip(self._given, self._answers, strict=True)
            if not is_refusal(answer.say) and not (unused and given)
            for text in texts
        )  # fmt: skip

    def to_proposal(
        self, turn: Sequence[Sentence], index: int, *, wanted: bool, wrong: bool
    ) -> str | None:
        """What the script says to a yes/no question, unless a plain yes or no is enough."""
        heard = " ".join(each.text for each in turn)
        asked = turn[index]
        context = asked.text if asked.topics else " ".join(each.text for each in turn[: index + 1])
        would_do = PHRASES.negated.sub(" ", PHRASES.leaves_alone.sub(" ", asked.context))
        plan = PHRASES.beside_a_plan.sub(" ", asked.text)
        for number, answer in self._usable(heard):
            if is_refusal(answer.say):
                if matches(answer, would_do) or (not wanted and matches(answer, context)):
                    return self._give(number)
            elif (wanted or wrong) and matches(answer, plan) and not self._given[number]:
                if _says_all_of(answer.say, context):
                    return None
                if self._any_question and (wrong or differs(answer.say, asked.text)):
                    say = self._give(number)
                    return f"No. {_without_yes(say)}" if wrong else say
        return None

    def instead_of(
        self, asked: Sentence, right: Values, *, only_if_asked: bool = False
    ) -> str | None:
        """The unused answer that puts a wrong proposal right.

        It has another value, one of the `right` ones, or is one to this question; with
        `only_if_asked` both.
        """
        text = asked.context if only_if_asked and not asked.topics else asked.text
        for number, answer in enumerate(self._answers):
            if self._given[number] or _agrees(answer.say):
                continue
            other, meant = differs(answer.say, text, {"deed", "name"}), matches(answer, text)
            if (other and meant) if only_if_asked else meant or (other and _has(answer.say, right)):
                return self._give(number)
        return None

    def named_by(self, proposal: Sentence) -> str | None:
        """The answer to what a proposal names, unless it agrees or refuses; unused ones first."""
        fitting = [
            (self._given[number], number)
            for number, answer in enumerate(self._answers)
            if matches(answer, proposal.text) and not answer.only_if and not _agrees(answer.say)
        ]
        return self._give(min(fitting)[1]) if fitting else None

    def unused_for(self, asked: Sentence) -> str | None:
        """The unused answer whose patterns fit a sentence, unless it agrees or refuses."""
        return self._unused_to(asked.text)

    def _unused_to(self, *questions: str) -> str | None:
        for number, answer in enumerate(self._answers):
            open_to = not self._given[number] and not answer.only_if and not _agrees(answer.say)
            if open_to and any(matches(answer, asked) for asked in questions):
                return self._give(number)
        return None

    def of_mail(self) -> str | None:
        """The unused answer that says what an e-mail has to say."""
        return self._unused_to(*ASKS_FOR_TEXT)

    def with_unused(self, request: str, asked: Sentence) -> str:
        """A request, with the unused answer that a question is about."""
        more = self.unused_for(asked)
        return f"{request} {more}" if more else request

    def _usable(self, heard: str) -> Iterator[tuple[int, Answer]]:
        """Answers that may still be given, those with a condition that holds first."""
        rows = sorted(enumerate(self._answers), key=lambda row: not row[1].only_if)
        for number, answer in rows:
            allowed = not answer.only_if or any(
                re.search(pattern, heard, re.IGNORECASE) for pattern in answer.only_if
            )
            if allowed and self._given[number] < answer.at_most:
                yield number, answer

    def unused(self, question: str = "") -> str | None:
        """The first answer that was never given, unless the question asks for another kind."""
        for number, answer in enumerate(self._answers):
            fits = not is_refusal(answer.say) and looks_of(question, answer.say) is not False
            if fits and not self._given[number] and not answer.only_if:
                return self._give(number)
        return None

    def _offered(self, answer: Answer, heard: str) -> float:
        """How much of what the answer says stands among what was offered, 0 to 2."""
        words = content_words(answer.say)
        return ALL_OFFERED * len(words & content_words(heard)) / len(words) if words else 0.0

    def _give(self, number: int) -> str:
        say = self._answers[number].say
        self._given[number] += 1
        self._said.add(say)
        return say


def is_among(say: str, plan: str) -> bool:
    """Whether a plan names all that an answer says: its words, or its values."""
    words, named = content_words(say), values(say)
    return bool(words) and (words <= content_words(plan) or bool(named and named <= values(plan)))


def is_refusal(say: str) -> bool:
    return re.match(r"no\b", say, re.IGNORECASE) is not None


def _agrees(say: str) -> bool:
    """Whether it begins with a yes or a no."""
    return re.match(r"(?:yes|no)\b", say, re.IGNORECASE) is not None


def _without_yes(say: str) -> str:
    told = re.sub(r"^(?:yes|no)\b[,.]? *", "", say, flags=re.IGNORECASE)
    return told[:1].upper() + told[1:]


def _is_kind_asked_for(
    answer: Answer, turn: Sequence[Sentence], index: int, amounts: Values, unnamed: Values
) -> bool:
    """Whether an answer without a pattern for a question could be one to it.

    It is of the kind that the question asks for. If that is not plain, it speaks of what was
    offered, or has a value that no request has named.
    """
    asked, say = turn[index], answer.say
    heard = " ".join(each.text for each in turn)
    told = _kinds_of(values(say))
    options = _kinds_of(values(asked.text)) or _kinds_of(values(heard))
    chooses = bool("choice" in asked.acts and options)
    if amounts & values(f"x {say}") or (PHRASES.leaves_to_car.search(say) and not chooses):
        return True
    bare = not asked.topics and not asked.aspects
    if bare and (
        PHRASES.which_one.search(asked.text)
        or any(matches(answer, each.text) for each in turn[:index])
    ):
        return True
    if chooses and told:
        return bool(told & options)
    looks = looks_of(asked.text, say)
    if looks is not None:
        return looks
    spoken_of = looks_of(" ".join(each.text for each in turn[: index + 1]), say)
    named = content_words(say) & content_words(heard)
    return bool(spoken_of or named or _kinds_of(unnamed & values(f"x {say}")) - {"route"})


def _kinds_of(found: Values) -> frozenset[str]:
    """A deed or a role comes with any answer; a road stands for a route."""
    kinds = frozenset(kind for kind, _ in found) - {"deed", "role"}
    return kinds | {"route"} if "road" in kinds else kinds


def looks_of(question: str, say: str) -> bool | None:
    """Whether an answer is of the kind that a question asks for; None if that is not plain."""
    looks = [looks for asks, looks in question_kinds() if asks.search(question)]
    return any(each.search(say) for each in looks) if looks else None


def _corrects(say: str, proposal: str) -> bool:
    """Whether it names another value than the proposal, or the roads of a route."""
    roads = {kind for kind, _ in values(say)} & {"road"}
    return differs(say, proposal) or bool(roads and of_kind(values(proposal), "route"))


def differs(say: str, proposal: str, ignored: AbstractSet[str] = frozenset({"deed"})) -> bool:
    """Whether a proposal has another value than the answer, of a kind that is not `ignored`."""
    said, proposed = values(say), values(proposal)
    for kind in {kind for kind, _ in said & said} & {kind for kind, _ in proposed} - ignored:
        ours = {value for each, value in said if each == kind}
        if not ours & {value for each, value in proposed if each == kind}:
            return True
    return False


def _has(say: str, right: Values) -> bool:
    """Whether it names one of these values."""
    return any(kind != "deed" for kind, _ in values(f"x {say}") & right)


def _says_all_of(answer: str, question: str) -> bool:
    """Does the question already propose every word that carries the answer?"""
    wanted = set(re.findall(r"\w+", answer.lower())) - FILLERS
    offered = set(re.findall(r"\w+", question.lower().replace("%", " percent ")))
    return bool(wanted) and not is_refusal(answer) and wanted <= offered
