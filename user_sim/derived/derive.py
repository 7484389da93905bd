"""A script from prose: fixed rules, no model.

The first wishes become the opening, those "after that" the followups, and a reply "if the assistant
asks …" becomes an answer whose patterns are the words of that condition. Descriptions are never
spoken. In a user-disambiguation task the opening leaves out what the driver says only when asked.
"""

import re
from collections.abc import Iterator

from user_sim.derived.draft import Draft
from user_sim.derived.prose import Statement, statements
from user_sim.derived.replies import OPEN_QUESTION, answer_to, refusal, reply, said_when_asked
from user_sim.derived.spoken import first_person, spoken_request, without_motive
from user_sim.prose_rules import rules
from user_sim.question_patterns import ROUTES, proposal_patterns, question_for, question_patterns
from user_sim.script import Answer, Script
from user_sim.settled_alone import wrong_question
from user_sim.understanding.understand import understand

__all__ = ["derive_script", "question_for"]

_LONGEST_OPENING_WORDS = 70


def derive_script(instruction: str, task_type: str, *, settle_alone: str | None) -> Script:
    """What a scripted driver says in a task that carries only prose.

    `task_type` is the public one ("base", "hallucination_…", "disambiguation_internal",
    "disambiguation_user"); `settle_alone` the element the assistant may not ask about.
    """
    read = statements(instruction)
    draft = Draft(task_type == "disambiguation_user", settle_alone)
    for statement in read:
        _take(statement, draft)
    if draft.ask_first and not draft.answers:
        _tell_wishes_only_when_asked(draft)
    return _finished(draft, read)


def _take(statement: Statement, draft: Draft) -> None:
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


def _take_condition(statement: Statement, draft: Draft) -> None:
    then, condition = statement.text, statement.condition
    if draft.settle_alone and rules().search("own_preference", then):
        # Naming the preference is the request itself: to be asked for it would be the mistake.
        wish = re.sub(r"\bthe one\b", "the route", then) if "route" in condition else then
        draft.opening.append(first_person(re.sub(r"^.*?(?=you want)", "", wish)))
        return
    if "does not find" in condition:
        draft.on_limit = reply(then)
    say = said_when_asked(then, condition)
    if say is None or (draft.settle_alone and rules().match("agreed", then)):
        return
    if then.startswith("You ask the assistant if"):
        draft.followups.append([say])
        return
    draft.answer(answer_to(say, condition, then), condition)
    shown = rules().search("shown", condition) and not rules().search("shown_or_asked", condition)
    if shown and rules().search("new_request", then):
        # An assistant that only shows what it found has not asked, and the driver still wants this.
        draft.followups.append([say])


def _take_preference(text: str, draft: Draft) -> None:
    if draft.settle_alone and rules().search("own_preference", text):
        draft.opening.append(first_person(re.sub(r"^.*?(?=you want)", "", text)))
        return
    if text.startswith("In the end, "):
        _take_last_wish(text.removeprefix("In the end, "), draft)
        return
    core = re.sub(r"^Since [^,]*, ", "", text)
    scope = re.match(r"^For (?:the )?([^,]*?)(?:,| you)", core)
    subject = scope[1] if scope else core
    key = "route selection" if "route" in subject else subject
    draft.answer(answer_to(first_person(core) if scope else reply(core), key, core), subject)


def _take_last_wish(text: str, draft: Draft) -> None:
    say = reply(text[:1].upper() + text[1:])
    if draft.ask_first:
        draft.answer(Answer(when=(OPEN_QUESTION, *question_patterns(text)), say=say))
    else:
        draft.say(say)


def _take_refusal(text: str, draft: Draft) -> None:
    draft.restrict(first_person(without_motive(text)))
    at_most = 1 if re.search(r"\byet\b", text) else 2
    patterns = proposal_patterns(re.sub(r"(?:,| but) .*", "", text))
    draft.answer(Answer(when=patterns, say=refusal(text), at_most=at_most))


def _tell_wishes_only_when_asked(draft: Draft) -> None:
    """Without any condition in the prose, what comes later is what the driver tells when asked."""
    for followup in draft.followups:
        text = " ".join(followup)
        draft.answer(Answer(when=(OPEN_QUESTION, *question_patterns(text)), say=text))
    draft.followups.clear()


def _finished(draft: Draft, read: list[Statement]) -> Script:
    answers = tuple(
        answer
        for answer in _distinct(draft.answers)
        if not _may_not_be_asked(answer, draft.settle_alone)
    )
    sentences = draft.opening or [_scenery(read)]
    if draft.ask_first:
        sentences = draft.without_secrets(sentences, answers)
    opening, rest = _short_enough(sentences)
    later = [" ".join(followup) for followup in draft.followups if followup]
    return Script(
        opening=" ".join([*opening, *draft.restrictions]),
        answers=answers,
        followups=tuple([*rest, *later]),
        on_limit=draft.on_limit,
        origin="derived",
        hangs_up=True,
    )


def _scenery(read: list[Statement]) -> str:
    """A driver without a wish still says how things are."""
    return first_person(without_motive(read[0].text)) if read else "Hello."


def _short_enough(sentences: list[str]) -> tuple[list[str], list[str]]:
    """What fits into one breath, and the rest for later."""
    words = 0
    for index, sentence in enumerate(sentences):
        words += len(sentence.split())
        if words > _LONGEST_OPENING_WORDS and index:
            return sentences[:index], sentences[index:]
    return sentences, []


def _may_not_be_asked(answer: Answer, settle_alone: str | None) -> bool:
    """Is asking for it the very mistake an internal-disambiguation task looks for?"""
    return settle_alone is not None and bool(
        wrong_question(understand(question_for(answer)), settle_alone, frozenset())
    )


def _distinct(answers: list[Answer]) -> Iterator[Answer]:
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
