"""Whether the text of a mail that is read out tells what the driver wants it to tell."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from assistant_gateway.wording.quantities import Quantity, fits, is_told, quantities
from user_sim.phrases import PHRASES
from user_sim.question_patterns import content_words
from user_sim.understanding.sentence import Sentence
from user_sim.understanding.values import aims, all_numbers, names, of_kind, values
from user_sim.wants import WORDING, Want
from user_sim.wishes.moment import Moment

LONG = 20  # words that carry a text
SOME_UNKNOWN = 3  # one unknown word in more than so many is a matter of style
OF_MAIL = frozenset({"contact", "email", "recipient"})
_NAME = re.compile(r"\b[A-Z\u00c0-\u00de][\w'-]+(?: [A-Z\u00c0-\u00de][\w'-]+)*")
_CONTRARY = frozenset({"early", "late"})
_DENIES = re.compile(r"\b(?:not|never|can't|cannot|won't|unfortunately|unable)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^)]*\)")


def misquotes(proposal: Sentence, known: Moment) -> bool:
    """Whether a mail tells something else than each that is wanted, or goes to too few.

    It may tell more, as long as the driver knows nothing else of it.
    """
    mails = [want for want in known.open if WORDING in want.arguments]
    if not mails:
        return False
    if any(len(want.names) > 1 for want in mails) and PHRASES.nobody_else.search(proposal.context):
        return True
    told = read_out(proposal)
    quoted = bool(told) and PHRASES.quotes.search(_of_mail(proposal)) is not None
    told = told or " ".join(PHRASES.mails_that.findall(proposal.context))
    wanted = [_IN_BRACKETS.sub(" ", str(want.arguments[WORDING])) for want in mails]
    if not told:
        return False
    if _is_of_another_day(told, f"{known.own.text} {' '.join(wanted)}"):
        return True
    return _leaves_at_another_time(told, known) or all(
        _tells_something_else(told, text, known, whole=quoted) for text in wanted
    )


def is_quoted_rightly(proposal: Sentence, known: Moment) -> bool:
    """Whether it reads out a mail that tells what is wanted, and nothing else is open."""
    wants = [want for want in known.of_requests_made.open if want.possible]
    said = set(re.findall(r"\w+", f"{proposal.told} {proposal.text}"))
    complete = all(WORDING in want.arguments and _names_all(want, said) for want in wants)
    complete = complete and bool(wants)
    return complete and bool(read_out(proposal)) and not misquotes(proposal, known)


def _names_all(mail: Want, said: set[str]) -> bool:
    """Whether of several people who get a mail each is named so that nobody else is meant."""
    words = [set(name.split()) for name in mail.names]
    shared = set[str]().union(*(one & other for one, other in combinations(words, 2)))
    return len(words) == 1 or all(said & (each - shared) for each in words)


def read_out(proposal: Sentence, *, here: bool = False) -> str:
    """The text of a mail that it reads out, or unless `here` that was read out before, if any."""
    text = proposal.context if here else _of_mail(proposal)
    quotes = [found[0] for found in PHRASES.quotes.finditer(text)]
    return " ".join(quotes or PHRASES.reads_out.findall(text))


def _of_mail(proposal: Sentence) -> str:
    """The part of a turn up to a proposal that may read out the mail which it is about."""
    found = PHRASES.quotes.search(proposal.context) or PHRASES.reads_out.search(proposal.context)
    elsewhere = proposal.topics - OF_MAIL
    return proposal.context if found or elsewhere else f"{proposal.told} {proposal.context}"


def _tells_something_else(told: str, wanted: str, known: Moment, *, whole: bool) -> bool:
    """Whether it has another fact than is wanted, or other words where no amount is wanted.

    A `whole` text that is short has to tell every amount that the driver has named, or all if it
    is for the assistant to find them out.
    """
    ours, theirs = quantities(wanted), quantities(told)
    strange = [each for each in theirs if not is_told(each, f"{known.own.text} {wanted}")]
    named = [each for each in ours if is_told(each, known.own.text)]
    missing = [each for each in ours if not _is_among(each, told, theirs)]
    short = len(_telling_words(wanted)) <= LONG
    if _names_another(told, wanted, known) or _says_the_contrary(told, wanted, known.own.words):
        return True
    if whole and _DENIES.search(told) and not _DENIES.search(f"{wanted} {known.own.text}"):
        return True
    if whole and short and not ours and _lacks_names(told, wanted, known):
        return True
    if missing and short:
        left_out = whole and not set(named or ours).isdisjoint(missing)
        return left_out or any(_is_instead(each, one) for each in missing for one in strange)
    untold = {each.unit for each in missing} - {each.unit for each in ours if each not in missing}
    if untold & {each.unit for each in strange}:
        return True
    return not (ours and short) and _has_other_words(told, wanted, known)


def _lacks_names(told: str, wanted: str, known: Moment) -> bool:
    """Whether it names nothing of what the assistant has to find out and tell by its name."""
    mails = [want for want in known.open if WORDING in want.arguments]
    addressed = {word for want in mails for name in want.names for word in name.split()}
    said = {word.capitalize() for word in re.findall(r"\w+", known.own.text)}
    ours = names(wanted) - addressed - said
    return bool(ours) and ours.isdisjoint(re.findall(r"\w+", told))


def _is_among(amount: Quantity, told: str, theirs: Sequence[Quantity]) -> bool:
    if amount.unit == "number":
        return any(each.amount == amount.amount for each in theirs if each.unit != "clock")
    return is_told(amount, told)


def _is_instead(missing: Quantity, told: Quantity) -> bool:
    return told.unit == missing.unit or "number" in (told.unit, missing.unit)


def _is_of_another_day(told: str, said: str) -> bool:
    """Whether it names a day that the driver did not."""
    theirs = of_kind(values(told), "day") - {"today"}
    return bool(theirs - of_kind(values(said), "day"))


def _says_the_contrary(told: str, wanted: str, said: frozenset[str]) -> bool:
    """Whether it says early or late where the driver did not."""
    ours, theirs = ({*re.findall(r"\w+", text.lower())} & _CONTRARY for text in (wanted, told))
    return bool(theirs) and not theirs <= ours | said


def _names_another(told: str, wanted: str, known: Moment) -> bool:
    """Whether it names another place or person where one is wanted, such as another restaurant."""
    mails = [want for want in known.open if WORDING in want.arguments]
    recipients = {word for want in mails for name in want.names for word in name.split()}
    ours = names(wanted) - recipients
    theirs = {word for phrase in _NAME.findall(told) for word in phrase.split()}
    said = {word.capitalize() for word in re.findall(r"\w+", known.own.text)}
    strange = names(told) - ours - recipients - said
    if ours and not ours & theirs:
        there = set[str]().union(*aims(told), *aims(told, at=True))
        return any(name.lower() in there for name in strange)
    for phrase in (set(each.split()) for each in _NAME.findall(told)):
        if phrase & ours and phrase & strange and (ours - theirs):
            return True
    return False


def _leaves_at_another_time(told: str, known: Moment) -> bool:
    """Whether it tells another time of departure than the driver did."""
    ours, theirs = (list(_departures(text)) for text in (known.own.text, told))
    known_here = ours and not PHRASES.shifts_a_time.search(known.own.text)
    return bool(known_here and theirs) and not any(
        fits(one, other) for one in ours for other in theirs
    )


def _departures(text: str) -> Iterator[Quantity]:
    for clause in PHRASES.leaves_at.findall(text):
        yield from (each for each in quantities(clause) if each.unit == "clock")


def _has_other_words(told: str, wanted: str, known: Moment) -> bool:
    """Whether it has a word that is unknown, and lacks half of what is wanted.

    A long text is told in other words: there hardly any of its words may be known.
    """
    addressed = known.own.name_words
    words, ours = _telling_words(told), _telling_words(wanted) - addressed
    said = ours | known.own.words | addressed
    if len(ours) > LONG:
        return len(words - said) > 3 * len((words & said) - addressed)
    unknown = len(words - said)
    mostly_known = SOME_UNKNOWN * unknown < len(words - addressed)
    return unknown > 0 and not mostly_known and 2 * len(ours - words) >= len(ours) > 0


@lru_cache(maxsize=1024)
def _telling_words(text: str) -> frozenset[str]:
    """Without greetings, numbers and their units."""
    words = content_words(PHRASES.greets.sub(" ", text))
    return frozenset(word for word in words if not all_numbers(word) and not word.isdigit())
