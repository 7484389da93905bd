"""A turn of an assistant as sentences with what each does and what it is about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import lexicon
from user_sim.phrases import PHRASES
from user_sim.understanding.sentence import ACTS, ASKING, ASKS_FOR_A_YES, Act, Sentence
from user_sim.understanding.values import numbers

# From how sure on an act is taken as done; chosen on writers that training had left out.
SURE: Mapping[Act, float] = {
    "open": 0.5,
    "proposal": 0.4,
    "choice": 0.4,
    "courtesy": 0.5,
    "check": 0.4,
    "admission": 0.35,
    "failure": 0.5,
    "claim": 0.45,
    "denial": 0.6,
    "promise": 0.5,
    "info": 0.45,
}


CERTAIN = 0.9  # what the words leave no doubt about
LIKELY = 0.25
PLANNING: frozenset[Act] = ASKING | {"promise"}
ELSEWHERE = frozenset({"elsewhere"})
MAIL = frozenset({"email", "contact"})  # its text may speak of anything
BARE = 8  # words; a question without a topic that is no longer asks about what was said before
LONG_SENTENCE_WORDS = 22  # from so many on it may end with a question of its own
SHORT = 3  # words; "Shall I search?" asks about what was said before, too
_QUOTED = re.compile(r'"[^"]*"')
_LONG_QUOTE = re.compile(r'"([^".!?]*[.!?])[^"]+"')
_SUBJECTLESS = re.compile(r"^(?=(?:can'?t|cannot|couldn't) \w)", re.IGNORECASE)
_CLAUSES = re.compile(r"[:;]\s+|,\s+(?=(?:and|but|so|because|since|as)\b)")
_THAT_ONE = re.compile(r"\b(?:that|this) (?:one|route)\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def understand(turn: str, driver: str = "") -> tuple[Sentence, ...]:
    """Every sentence of a turn; `driver` is what the driver said before it."""
    known, of_driver = lexicon(), lexicon().topics(driver)
    about = of_driver
    turn = PHRASES.or_a_change.sub("?", PHRASES.in_single_quotes.sub(r'"\1"', turn))
    quoted = PHRASES.unquoted_mail.sub(r'\1"\2"', turn)
    spoken = _spoken(PHRASES.unquoted_mail_to.sub(r'\1"\2"', quoted))
    found: list[Sentence] = []
    named = frozenset[str]()
    for number, text in enumerate(spoken):
        before = spoken[number - 1] if number else ""
        after = spoken[number + 1] if number + 1 < len(spoken) else ""
        plain = PHRASES.purpose.sub("", _LONG_QUOTE.sub(r'"\1"', text))
        sure = _sure(before, _SUBJECTLESS.sub("I ", plain), after)
        if PHRASES.cannot_be_undone.search(text) or PHRASES.needs_a_yes.search(text):
            sure = {**sure, "admission": 0.0}
        elif PHRASES.went_wrong.search(text) and not PHRASES.is_unable.search(text):
            sure = {**sure, "admission": 0.0, "failure": max(sure["failure"], CERTAIN)}
        elif PHRASES.does_not_know.search(text) or PHRASES.begins_unable.match(text):
            sure = {**sure, "admission": max(sure["admission"], CERTAIN)}
        topics = known.topics(_QUOTED.sub(" ", text))
        about = topics or about
        named |= topics
        acts = frozenset(act for act, how in sure.items() if how >= SURE[act])
        if found and _confirms_a_plan(spoken[:number], text, acts):
            acts = acts - {"check", "courtesy", "open", "claim"} | {"proposal"}
        acts = _of_statement(text, acts)
        done = _tells_of_doing(text) or PHRASES.was_done.search(text)
        if "claim" in acts and not acts & ASKING and done:
            sure = {**sure, "claim": max(sure["claim"], CERTAIN)}
        if after and "?" not in text and PHRASES.reads_out.search(text):
            acts = acts - ASKING | {"info"}
        if PHRASES.can_look.search(text) and PHRASES.offers_to.search(after):
            acts = acts - {"info", "open", "choice"} | {"proposal"}
        names_nothing = not topics and not known.aspects(text)
        if names_nothing and PHRASES.small_talk.search(text):
            acts, sure = frozenset({"courtesy"}), {**sure, "admission": 0.0}
        if not acts & {*ASKING, "courtesy", "check"} and PHRASES.asks_for_a_value.search(text):
            acts = acts | {"open"}
        if PHRASES.has_to_be_told.search(text):
            acts = acts - {"proposal", "info"} | {"open"}
            acts -= frozenset() if PHRASES.is_unable.search(text) else {"admission"}
        if PHRASES.needs_a_yes.search(text):
            acts = acts - {"choice", "open"} | {"proposal"}
        if acts & {"choice", "open"} and (
            PHRASES.offers_to.search(text) or PHRASES.asks_if_it_is.search(text)
        ):
            acts = acts - {"choice", "open"} | {"proposal"}
        if PHRASES.asks_for_a_slot.search(text):
            acts = acts - {"proposal", "courtesy", "check", "claim"} | {"open"}
        elif PHRASES.muses.search(text):
            acts = frozenset({"courtesy"})
        elif not acts and text.endswith("?"):
            acts = _likeliest_question(text, sure)
        if PHRASES.asks_for_more.search(text):
            acts = acts - {"choice", "open"} | {"courtesy"}
        if PHRASES.yes_or_no.search(text):
            acts = acts - {"check", "choice", "open"} | {"proposal"}
        goes_on = found and (len(text.split()) <= BARE or _THAT_ONE.search(text))
        bare = not topics or (len(text.split()) <= SHORT and text.endswith("?"))
        fact = goes_on and bare and _is_fact(found[-1])
        planned = next((each for each in reversed(found) if fact and _is_plan(each)), None)
        before = before if planned is None else planned.text
        context = f"{ended(before)} {text}" if goes_on and bare else text
        of_context = topics or known.topics(_QUOTED.sub(" ", context))
        asked_about = of_context - ELSEWHERE or (named | of_driver) - ELSEWHERE
        if of_context == ELSEWHERE and goes_on and not named & MAIL:
            asked_about = ELSEWHERE
        found.append(
            Sentence(
                text=text,
                sure=sure,
                acts=acts,
                topics=topics,
                about=planned.about
                if planned
                else asked_about or about
                if acts & ASKING
                else about,
                aspects=known.aspects(text),
                context=context,
                after_facts=bool(found) and planned is None and not found[-1].acts & PLANNING,
                told=" ".join(spoken[:number]),
            )
        )
    found = _listed_plan([_as_state(*pair) for pair in zip_longest(found, found[1:])])
    asks = any(each.text.endswith("?") for each in found)
    claims = any("claim" in each.acts for each in found)
    if asks or (claims and sum(bool(each.acts & {"open", "choice"}) for each in found) == 1):
        return tuple(map(_as_told, found))
    return tuple(found if any(each.awaits_a_yes for each in found) else map(_as_promise, found))


def _likeliest_question(text: str, sure: Mapping[Act, float]) -> frozenset[Act]:
    """What a question asks that does nothing for sure; nothing if that is not likely at all.

    One that names a value and does not ask for one proposes it.
    """
    names_a_value = numbers(text) and not PHRASES.asks_to_tell.search(text)
    of_a_thing = names_a_value and lexicon().topics(text) and not PHRASES.until.search(text)
    likeliest = max(ASKING if of_a_thing else ACTS, key=lambda act: sure[act])
    if likeliest not in ASKING or sure[likeliest] < LIKELY:
        return frozenset()
    return frozenset({"proposal" if names_a_value else likeliest})


def _as_state(sentence: Sentence, following: Sentence | None) -> Sentence:
    """How something stands before a bare "To 5?" was looked up, not done."""
    if following is None or "claim" not in sentence.acts or not following.awaits_a_yes:
        return sentence
    bare = len(following.text.split()) <= SHORT and numbers(following.text)
    return replace(sentence, acts=sentence.acts - {"claim"} | {"info"}) if bare else sentence


def _listed_plan(found: list[Sentence]) -> list[Sentence]:
    """What follows "Here is what I would change:" is proposed until a question comes."""
    listed, in_list = list[Sentence](), False
    for each in found:
        if in_list:
            facts = PHRASES.tells_a_fact, PHRASES.leaves_alone
            in_list = not (each.asks or any(fact.search(each.text) for fact in facts))
        acts: frozenset[Act] = each.acts - {"claim", "info"} | {"proposal"}
        listed.append(replace(each, acts=acts) if in_list else each)
        if each.text.endswith(":"):
            plans = PHRASES.plans, PHRASES.would_be
            in_list = in_list or any(plan.search(each.text) for plan in plans)
    return listed


def _as_told(sentence: Sentence) -> Sentence:
    """In a turn with a question, or of a deed, a statement that asks for nothing is no question."""
    text = sentence.text
    asks = (
        text.endswith("?") or PHRASES.leaves_open.search(text) or PHRASES.asks_to_tell.search(text)
    )
    if asks or not sentence.acts & {"open", "choice"} or " or " in text:
        return sentence
    return replace(sentence, acts=sentence.acts - {"open", "choice"} | {"info"})


def _as_promise(sentence: Sentence) -> Sentence:
    """In a turn that asks for nothing, what the assistant announces to do is no proposal."""
    if not sentence.asks or not PHRASES.announces.search(sentence.text):
        return sentence
    if PHRASES.leaves_open.search(sentence.text):
        return sentence
    return replace(sentence, acts=sentence.acts - ASKING | {"promise"})


def _spoken(turn: str) -> list[str]:
    """The sentences of a turn; a quoted text, such as a mail, belongs to the one it begins in."""
    found: list[str] = []
    cut = sentences(turn)
    for number, text in enumerate(cut):
        inside = found and found[-1].count('"') % 2
        if inside and any(each.count('"') % 2 for each in cut[number:]):
            found[-1] = f"{found[-1]} {text}"
        else:
            found.append(text)
    return [part for text in found for part in _question_apart(text)]


def _question_apart(text: str) -> list[str]:
    """A long sentence, cut before the question that it ends with."""
    if len(text.split()) < LONG_SENTENCE_WORDS:
        return [text]
    for cut in reversed([*PHRASES.begins_a_question.finditer(text)]):
        told, asked = text[: cut.start()].rstrip(), text[cut.end() :]
        whole = not told.count('"') % 2 and min(len(told.split()), len(asked.split())) >= SHORT
        if whole and (asked.endswith("?") or asked.startswith("I")):
            asks = PHRASES.asks_already.search(told)
            return [text] if asks else [f"{told}.", asked[:1].upper() + asked[1:]]
    return [text]


def _of_statement(text: str, acts: frozenset[Act]) -> frozenset[Act]:
    """What a sentence asks that is no question: an offer of help and a wish ask for nothing."""
    asks = text.endswith("?") or PHRASES.leaves_open.search(text)
    if _tells_of_doing(text) and not (asks or " if " in text or PHRASES.needs_a_yes.search(text)):
        acts = acts - {*ASKING, "promise"} | {"claim"}
    if PHRASES.roughly.search(text) and not asks:
        acts = acts - {"open", "choice"} or frozenset({"info"})
    if not acts & ASKING:
        return acts
    if text.rstrip("\"')* ").endswith("?"):
        return acts - {"proposal"} if PHRASES.asks_to_try.search(text) else acts
    if PHRASES.exclaims.search(text) or PHRASES.tells_what_if.search(text):
        return acts - ASKING | {"info"}
    looks = PHRASES.looks_itself.search(text)
    if looks and " or " not in text and not PHRASES.asks_to_tell.search(text[: looks.start()]):
        return acts - ASKING | {"promise"}
    if "admission" in acts and PHRASES.cannot_say.search(text):
        return acts - ASKING
    if PHRASES.if_it_happens.search(text):
        return acts - ASKING | {"courtesy"}
    if "denial" in acts and not ASKS_FOR_A_YES.search(text):
        acts -= {"proposal"}
    if PHRASES.offers_to_be_asked.search(text) and PHRASES.something_more.search(text):
        return acts - ASKING | {"courtesy"}
    if not acts & {"open", "choice"}:
        return acts
    states_a_plan = PHRASES.plans.search(text) and not PHRASES.leaves_open.search(text)
    if states_a_plan or PHRASES.leads_to_a_question.search(text):
        return acts - {"open", "choice"} | {"proposal"}
    wishes_well = text.endswith("!") and not PHRASES.asks_to_tell.search(text)
    pick = PHRASES.asks_which.search(text) and not PHRASES.offers_another.search(text)
    offers = PHRASES.offers_to_be_asked.search(text) and not pick
    return acts - {"open", "choice"} | {"courtesy"} if wishes_well or offers else acts


def _tells_of_doing(text: str) -> bool:
    done = PHRASES.has_done.search(text) or PHRASES.is_sent.search(text)
    return bool(done) and not PHRASES.not_yet_done.search(text)


def _confirms_a_plan(told: Sequence[str], text: str, acts: frozenset[Act]) -> bool:
    """Whether a question asks if what was told before it, a plan or no deed, is right."""
    asks = len(text.split()) <= BARE and text.endswith("?") and PHRASES.reads_back.search(text)
    so_far = " ".join(told)
    deed = PHRASES.tells_a_deed.search(so_far) or PHRASES.tells_a_change.search(so_far)
    plan = (PHRASES.plans, PHRASES.would_be, PHRASES.reads_out)
    plans = any(each.search(told[-1]) for each in plan) or told[-1].endswith('"')
    return bool(asks and (plans or not deed)) and "proposal" not in acts


def _is_plan(sentence: Sentence) -> bool:
    plans = sentence.acts & PLANNING or PHRASES.plans.search(sentence.text)
    return bool(plans and sentence.topics)


def _is_fact(sentence: Sentence) -> bool:
    names_it = PHRASES.identifies.search(sentence.text)
    return not (_is_plan(sentence) or names_it) and bool(PHRASES.tells_a_fact.search(sentence.text))


def ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":", ";", ",", '"')) else f"{text}."


def acts_in(turn: str) -> frozenset[Act]:
    """All that the sentences of a turn do."""
    return frozenset[Act]().union(*(each.acts for each in understand(turn)))


def asks(turn: str) -> bool:
    """Whether a turn asks the driver for an answer."""
    return any(each.asks for each in understand(turn))


@lru_cache(maxsize=16_384)
def _sure(before: str, text: str, after: str) -> Mapping[Act, float]:
    from user_sim.understanding.classifier import classifier  # numpy takes long to import

    sure = classifier().sure(before, text, after)
    if text.rstrip("\"')* ").endswith("?"):
        return sure
    if PHRASES.nothing_lets_me.search(text):
        return {**sure, "admission": 1.0}
    # In a long sentence that also tells other things the clause that admits is easily lost.
    clauses = [each for each in _CLAUSES.split(text) if PHRASES.is_unable.search(each)]
    admitted = (classifier().sure("", each, "")["admission"] for each in clauses)
    return {**sure, "admission": max(sure["admission"], *admitted, 0.0)} if clauses else sure
