"""A script from prose: fixed rules, no model.

What the driver wants becomes the opening, what comes "after that" the followups, and what is to be
said "if the assistant asks …" an answer keyed by the words of that condition. Scenery and stage
directions are never spoken, and what a driver should only tell when asked stays out of the opening
of a user-disambiguation task.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from user_sim.keys import ROUTES, content_words, proposal_patterns, question_for, question_patterns
from user_sim.lexicon import lexicon
from user_sim.prose import Statement, statements
from user_sim.script import Answer, Script
from user_sim.spoken import as_sentence, first_person, spoken_request, without_motive

__all__ = ["derive_script", "question_for"]

_LONGEST_OPENING_WORDS = 70
_ANSWERS_PER_ROUTE = 4
_OPEN_QUESTION = r"\boption|\b(?:which|what|how)\b"

_YES = re.compile(
    r"^(?:again )?(?:you (?:will |should |can |explicitly )*)?(?:confirm|say yes|say 'yes'|respond (?:with )?'yes'|acknowledge|accept this)"
    r"|^you want (?:them on|them to proceed)|^you are again okay",
    re.I,
)
_NO = re.compile(
    r"\bdeny\b|^(?:but )?you(?: are satisfied but)?(?: also| specifically| actually)? ?(?:do not|don't)(?: \w+ly)? want\b",
    re.I,
)
_PREFERENCE_NAMED = re.compile(r"\b(?:usually prefer|your preferences?)\b", re.I)
_SHOWN = re.compile(
    r"\b(?:presents?|shows?|finds?|found|tells?|informs?|presented|meetings|find)\b"
)
_NEW_REQUEST = re.compile(
    r"\b(?:ask (?:the assistant|them|to)|instead you want|want to (?:know|search|replace|go to)|you ask)\b|^tell them",
    re.I,
)


@dataclass
class _Draft:
    """A script while its statements are read one by one."""

    ask_first: bool
    settle_alone: str | None
    opening: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    followups: list[list[str]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    secrets: dict[str, frozenset[str]] = field(default_factory=dict)
    on_limit: str | None = None

    def say(self, sentence: str) -> None:
        """Put a request where the driver will say it."""
        held = self._held_by(sentence)
        if self.followups:
            _add(self.followups[-1], sentence, [*self.opening, *self._said_later()])
        elif held is not None:
            self._append_to_answer(held, sentence)
        else:
            _add(self.opening, sentence, [])

    def next_request(self, sentence: str) -> None:
        if self.opening:
            self.followups.append([])
        if sentence:
            self.say(sentence)

    def answer(self, answer: Answer, condition: str = "") -> None:
        if not answer.when or not answer.say:
            return
        self.answers = [known for known in self.answers if set(known.when) != set(answer.when)]
        self.answers.append(answer)
        self.secrets[answer.say] = values(answer.say) - values(f"- {condition}")

    def _said_later(self) -> list[str]:
        return [sentence for followup in self.followups for sentence in followup]

    def _held_by(self, sentence: str) -> int | None:
        if not self.ask_first:
            return None
        for index, answer in enumerate(self.answers):
            if self.secrets[answer.say] & values(sentence):
                return index
        return None

    def _append_to_answer(self, index: int, sentence: str) -> None:
        answer = self.answers[index]
        if not _covers(content_words(answer.say), content_words(sentence)):
            longer = answer.model_copy(update={"say": f"{answer.say} {sentence}"})
            self.answers[index] = longer
            self.secrets[longer.say] = self.secrets[answer.say]


def derive_script(instruction: str, task_type: str, *, settle_alone: str | None) -> Script:
    """What a scripted driver says in a task that carries only prose.

    `task_type` is the public one ("base", "hallucination_…", "disambiguation_internal",
    "disambiguation_user"); `settle_alone` the element the assistant may not ask about.
    """
    read = statements(instruction)
    draft = _Draft(task_type == "disambiguation_user", settle_alone)
    for statement in read:
        _take(statement, draft)
    if draft.ask_first and not draft.answers:
        _tell_wishes_only_when_asked(read, draft)
    return _finished(draft, read)


def values(text: str) -> frozenset[str]:
    """The numbers and names in a text: what gives an answer away."""
    numbers = re.findall(r"\d+(?:[:.]\d+)?", text)
    chosen = re.findall(r"\b(?:front|windshield|reading|fastest|shortest)\b", text)
    names = re.findall(r"(?<![.!?] )(?<!^)\b(?!I\b|I')[A-ZÀ-Þ][\w'+-]*", text)
    return frozenset(numbers + chosen) | frozenset(re.sub(r"'s$", "", name) for name in names)


def _take(statement: Statement, draft: _Draft) -> None:
    match statement.kind:
        case "request":
            draft.say(spoken_request(statement.text))
        case "sequel":
            draft.next_request(spoken_request(statement.text) if statement.text else "")
        case "condition":
            _take_condition(statement, draft)
        case "preference":
            _take_preference(statement.text, draft)
        case "refusal":
            _take_refusal(statement.text, draft)
        case "aside":
            pass


def _take_condition(statement: Statement, draft: _Draft) -> None:
    then, condition = statement.text, statement.condition
    if draft.settle_alone and _PREFERENCE_NAMED.search(then):
        wish = re.sub(r"\bthe one\b", "the route", then) if "route" in condition else then
        draft.opening.append(first_person(re.sub(r"^.*?(?=you want)", "", wish)))
        return
    if "does not find" in condition:
        draft.on_limit = _reply(re.sub(r"^You correct yourself and ", "You ", then))
    say = _said_when_asked(then, condition)
    if say is None or (draft.settle_alone and _YES.match(then)):
        return
    if re.match(r"You ask the assistant if\b", then):
        draft.followups.append([say])
        return
    draft.answer(_answer(say, condition, then), condition)
    later = _SHOWN.search(condition) and _NEW_REQUEST.search(then)
    if later and not re.search(r"\broute|\basks\b|does not find", condition):
        draft.followups.append([say])


def _said_when_asked(then: str, condition: str) -> str | None:
    """The answer, or None when a plain yes is all that is meant."""
    if _NO.search(then):
        return _refusal(then)
    if _YES.match(then):
        wished = re.search(
            r"\b(?:and want|that you want|confirm you want|you want) (?!to proceed|to go ahead)(?!that you still)(.*)",
            then,
        )
        if wished and "go ahead" not in then and "proceed" not in then:
            return _reply(f"You want {wished[1]}")
        proposed = re.search(
            r"\b(?:if you want to|the option to|proposes to|asks to) (turn|set|open|close|search)\b(.*)",
            condition,
        )
        return first_person(f"Yes, please {proposed[1]}{proposed[2]}") if proposed else None
    return _reply(then)


def _refusal(then: str) -> str:
    """ "You deny as you want to set it up yourself" becomes "No, I want to set it up myself"."""
    reason = re.search(
        r"\bdeny,? (?:as |because |since )?(you (?:only )?want.*|its? .*|it's .*)", then, re.I
    )
    if reason:
        return first_person(f"No, {re.sub(r'^its ', 'it is ', reason[1])}")
    wanted_not = re.search(
        r"\b(?:do not|don't)(?: \w+ly)? want (to .*?|the assistant to .*?)(?: and deny| as you .*|, but .*|,? because .*|[.])*$",
        then,
    )
    if wanted_not:
        return first_person(f"No, you do not want {wanted_not[1]}")
    return "No, thank you."


def _reply(then: str) -> str:
    """The consequence of a condition as the driver says it."""
    text = re.sub(r"^.*, so (?=you (?:choose|want))", "", then)
    text = re.sub(r", but wait .*|, but you do not want .*", "", text)
    text = re.sub(r"^.*?, instead (?=you want)", "", without_motive(text))
    text = re.sub(
        r"\band (?:that )?(?:he|the assistant) should\b", "and the assistant should", text
    )
    text = re.sub(r",? and (?:ask|tell) (?:the assistant|them) to ", ", and please ", text)
    text = re.sub(r"\bthey mention\b", "the assistant mentions", text)
    text = re.sub(r" for you$", " for me", text)
    text = re.sub(
        r"^(?:Again |Always |Then |Actively )*(?:You(?:'ll| will| should| want to)?\s*)?(?:\w+ly )?(?:say to the assistant|specify|say|tell them|tell the assistant|confirm)(?: that)? (?=you|that's|he)",
        "",
        text,
        flags=re.I,
    )
    text = re.sub(r"^(?:that )?he should ", "Ask the assistant to ", text)
    choice = re.match(
        r"^(?:Again |Always |Actively )*(?:You )?(?:will |should |'ll |want to |specifically |always |again )*(?:choose|select|specify|say|accept|prefer)s?(?: to)? (?!to\b)(.*)",
        re.sub(r"^You'll", "You will", text),
        re.I,
    )
    if choice and not re.match(r"ask\b", choice[1]):
        return as_sentence(
            first_person(choice[1]).rstrip(".") + (", please" if "please" not in text else "")
        )
    return spoken_request(text)


def _answer(say: str, condition: str, then: str) -> Answer:
    read = proposal_patterns if say.startswith("No,") else question_patterns
    if "cannot" in condition:
        condition = condition.split(" because ")[-1]
    patterns = read(condition) or read(then) or (_OPEN_QUESTION,)
    if re.search(r"\bclarifies the options", condition):
        patterns = (_OPEN_QUESTION, *patterns)
    if len(patterns) > len(ROUTES) and ROUTES[0] in patterns:
        return Answer(when=patterns, say=say, at_most=1)
    repeated = ROUTES[0] in patterns
    return Answer(when=patterns, say=say, at_most=_ANSWERS_PER_ROUTE if repeated else 2)


def _take_preference(text: str, draft: _Draft) -> None:
    if draft.settle_alone and _PREFERENCE_NAMED.search(text):
        draft.opening.append(first_person(re.sub(r"^.*?(?=you want)", "", text)))
        return
    core = re.sub(r"^(?:Since [^,]*, |In the end, )", "", text)
    scope = re.match(r"^For (?:the )?([^,]*?)(?:,| you)", core)
    say = first_person(core) if scope else _reply(core)
    if text.startswith("In the end"):
        if draft.ask_first:
            draft.answer(Answer(when=(_OPEN_QUESTION, *question_patterns(text)), say=say))
        else:
            draft.say(say)
        return
    subject = scope[1] if scope else core
    key = "route selection" if "route" in subject else subject
    draft.answer(_answer(say, key, core), subject)


def _take_refusal(text: str, draft: _Draft) -> None:
    spoken = first_person(without_motive(text))
    if draft.followups and draft.followups[-1]:
        _add(draft.followups[-1], spoken, [])
    else:
        draft.limits.append(spoken)
    wanted_not = re.sub(r"(?:,| but) .*", "", text)
    refused = 1 if re.search(r"\byet\b", text) else 2
    draft.answer(Answer(when=proposal_patterns(wanted_not), say=_refusal(text), at_most=refused))


def _tell_wishes_only_when_asked(read: list[Statement], draft: _Draft) -> None:
    """Without any condition in the prose, what comes later is what the driver tells when asked."""
    for followup in draft.followups:
        text = " ".join(followup)
        draft.answer(Answer(when=(_OPEN_QUESTION, *question_patterns(text)), say=text))
    draft.followups.clear()


def _finished(draft: _Draft, read: list[Statement]) -> Script:
    answers = tuple(
        answer
        for answer in _told_apart(draft.answers)
        if not _may_not_be_asked(answer, draft.settle_alone)
    )
    opening = draft.opening or [_scenery(read)]
    if draft.ask_first:
        secrets = sorted(frozenset[str]().union(*(draft.secrets[answer.say] for answer in answers)))
        opening = [kept for told in opening if (kept := _without_values(told, secrets))]
    opening, rest = _short_enough(opening)
    later = [" ".join(followup) for followup in draft.followups if followup]
    return Script(
        opening=" ".join([*opening, *draft.limits]),
        answers=answers,
        followups=tuple([*rest, *later]),
        on_limit=draft.on_limit,
        origin="derived",
    )


def _scenery(read: list[Statement]) -> str:
    """A driver without a wish still says how things are."""
    return first_person(without_motive(read[0].text)) if read else "Hello."


def _short_enough(told: list[str]) -> tuple[list[str], list[str]]:
    """What fits into one breath, and the rest for later."""
    words = 0
    for index, sentence in enumerate(told):
        words += len(sentence.split())
        if words > _LONGEST_OPENING_WORDS and index:
            return told[:index], told[index:]
    return told, []


def _without_values(sentence: str, secrets: Iterable[str]) -> str | None:
    """The sentence without what only an answer may tell; None if nothing is left of it."""
    for value in secrets:
        sentence = _cut(sentence, value)
    return sentence if len(content_words(sentence)) > 1 else None


def _cut(sentence: str, value: str) -> str:
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence)
    if found is None:
        return sentence
    before = sentence[: found.start()]
    if re.search(r"\b[A-Z]\w+ $", before) or value.islower():
        return as_sentence(before + sentence[found.end() :])
    prepositions = list(
        re.finditer(r",? (?:with|to|at|in|for|from|about|of|by|on|via|until|using)\b", before)
    )
    end = re.search(r"[,.;]", sentence[found.end() :])
    rest = sentence[found.end() + end.start() :] if end else ""
    return as_sentence((before[: prepositions[-1].start()] if prepositions else "") + rest)


def _may_not_be_asked(answer: Answer, settle_alone: str | None) -> bool:
    """Is asking for it the very mistake an internal-disambiguation task looks for?"""
    return settle_alone is not None and bool(
        lexicon().asks_about(question_for(answer), settle_alone)
    )


def _told_apart(answers: list[Answer]) -> Iterator[Answer]:
    """Answers that can each be asked for: no earlier one catches the question for a later one."""
    kept = sorted(_without_shared(answers), key=lambda answer: not answer.say.startswith("No,"))
    for index in range(len(kept) - 1, -1, -1):
        if not kept[index].when:
            continue
        question = question_for(kept[index])
        for earlier in range(index):
            patterns = tuple(
                pattern
                for pattern in kept[earlier].when
                if not re.search(pattern, question, re.IGNORECASE)
            )
            kept[earlier] = kept[earlier].model_copy(update={"when": patterns})
    yield from (answer for answer in kept if answer.when)


def _without_shared(answers: list[Answer]) -> list[Answer]:
    """A pattern that two answers share stays with the one that has fewer of them."""
    kept: list[Answer] = []
    for answer in answers:
        rivals = [
            other
            for other in answers
            if other is not answer and len(other.when) <= len(answer.when)
        ]
        taken = {pattern for other in rivals for pattern in other.when} - set(ROUTES)
        own = tuple(pattern for pattern in answer.when if pattern not in taken)
        kept.append(answer.model_copy(update={"when": own or answer.when}))
    return kept


def _add(to: list[str], sentence: str, said: list[str]) -> None:
    """Say a thing once: a sentence that another one covers is left out."""
    if not sentence:
        return
    words = content_words(sentence)
    if any(_covers(content_words(other), words) for other in [*to, *said]):
        return
    to[:] = [other for other in to if not _covers(words, content_words(other))]
    to.append(sentence)


def _covers(larger: frozenset[str], smaller: frozenset[str]) -> bool:
    return len(larger & smaller) >= max(1, 0.8 * len(smaller))
