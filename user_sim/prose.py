"""Reads the prose that directs a simulated driver: what is scenery, what is wanted, what is told
only when asked.

An instruction speaks to the driver ("You want to … If the assistant asks …, you say …"). It is
taken apart into statements, still in the second person; `spoken.py` turns them into speech.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["request", "sequel", "condition", "preference", "refusal", "aside"]


@dataclass(frozen=True)
class Statement:
    """One thing an instruction says.

    `condition` is what the assistant does first (kind "condition"), `text` what the driver wants
    or says then. A "sequel" is wanted after something before it is done; an "aside" is never said.
    """

    kind: Kind
    text: str
    condition: str = ""


_REPAIRS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\*\*PHASE 1[^*]*\*\*", " "),
    (r"\*\*[^*]*\*\*", " Afterwards "),
    (r"\bAks\b", "Ask"),
    (r"'you like'", "you like"),
    (r"\b(?:FRONT|ALL|NOT)\b", lambda shouted: shouted.group().lower()),
    (r", you will see multiple alternatives\. Choose", ", choose"),
    (r" else if ", ". Otherwise if "),
    (r"\bwant the adjust\b", "want to adjust"),
    (r": Ask\b", ". Ask"),
    (r"\bdoesn not\b", "does not"),
    (r"\bby 4 degree\b", "by 4 degrees"),
    (r"\bone route options\b", "one route option"),
    (r"\buse the car's assistant to help you\b", ""),
    (r"\busing the car's voice assistant\b", ""),
    (r"\bhim you'll send\b", "him about"),
    (r"\bdefault comfortable temperature degrees\b", "default comfortable temperature"),
    (r"\bcome with one\b", "come up with one"),
    (
        r"\bThe assistant will (find multiple[^.]*?) and ask you to clarify\. Y(ou (?:are|want)\b)",
        r"When the assistant \1 and asks you to clarify, y\2",
    ),
    (r"\b(the|to|add the) \1\b", r"\1"),
    (r"([a-z])\.([A-Z])", r"\1. \2"),
    (r"\bwant so search\b", "want to search"),
    (r"\bstates? to the assistant\b", "tell the assistant"),
    (r"\bstating to the assistant\b", "telling the assistant"),
    (r"\ban (?=different)", "a "),
    (r"\bit's (?=navigation system|charging station|cars\b)", "its "),
    (r"\b(?:assistants|user) (?=asks?|finds?)", "assistant "),
    (r"\bsation\b", "station"),
    (r"\bstation station\b", "station"),
    (r"\bavilable\b", "available"),
    (r"\bcalulcation\b", "calculation"),
    (r"\breastaurant\b", "restaurant"),
    (r"\btha (?=capital)", "the "),
    (r"\bgermany\b", "Germany"),
    (r"\bgerman\b", "German"),
    (r"\bdeforst\b", "defrost"),
    (r"\bfor you child\b", "for your child"),
    (r"\breplace on waypoint\b", "replace one waypoint"),
    (r"\bby two levels? from\b", "by two levels from"),
    (r"\bstuff\.", "stuffy."),
    (r"\bneed make\b", "need to make"),
    (r"\bthe charging station options\b", "charging station options"),
    (r"\bthe charging stations options\b", "charging station options"),
    (r"\bif charging stations is needed\b", "if a charging station is needed"),
    (r"\ba the charging stop\b", "a charging stop"),
    (r"\bif charging station is needed\b", "if a charging station is needed"),
    (r"\s*→\s*", " to "),
    (r", its charging station power or if its AC or DC etc\.:", ", or how strong it is:"),
    (r"\bYou correct yourself and want\b", "you want"),
    (r"\byou correct yourself and want\b", "you want"),
    (r"\byou actively request that you want\b", "you want"),
    (r"'?the window fully open'?(?: completely)?", "the window that is fully open"),
    (r", but clarify that\b", ", but"),
    (r" when given the choice\b", ""),
    (r"\bIf not enough range you\b", "If the range is not enough, you"),
    (r"\bwhat you to fix it for\b", "what you want to fix for"),
    (r"\bask the assistant that if\b", "say to the assistant that if"),
    (r"\b[Tt]ell the assistant about this development and ask\b", "Ask"),
)  # slips of the pen in prose that people wrote; speech must not repeat them

_KEPT_BRACKET = re.compile(r"\s*\((the one via[^()]*|via [^()]*|level \d(?=\)\.))\)")
_BRACKET = re.compile(r"\s*\([^()]*\)")
_END = re.compile(r"(?<=[.!?])(?<!a\.m\.)(?<!p\.m\.)['\"]?\s+(?=[A-Z*])")

_ASSISTANT = r"(?:the )?(?:assistants?|assisant|he|they|windows get)\b"
_NEGLECT = re.compile(
    rf"\b{_ASSISTANT}(?: (?:again|still))? (?:(?:do(?:es)? not|doesn't|don't) (?!find)|proactively|sets? the|"
    r"automatically|has to take)|\bwithout (?:asking|informing)|\bnot available yet|\bstill not available",
    re.I,
)
_CONSEQUENCE = (
    r"(?:then |again |actively |now |only )*(?:you(?:'re|'ll|'d)?\b|asks?\b|tell\b|choose\b|select\b|specify\b|confirm\b|"
    r"correct yourself|say\b|respond\b|acknowledge\b|stop\b|deny\b|end\b|always\b|that's\b|it's\b|he should\b|don't\b|do not\b|they present\b)"
)
_CONDITION = re.compile(
    r"^(?:but |and |so |also,? |only |otherwise )*(?P<word>if|when|once|in case|after|as soon as)\b\s*"
    rf"(?P<condition>.*?)(?:,| -|,? then|(?<=options)|(?<=system)|(?<=calculation)|(?<=set up))\s+(?:then )?(?P<then>{_CONSEQUENCE}.*)$",
    re.I,
)
_ASKED = re.compile(
    rf"\b{_ASSISTANT}|\basked\b|\bpresented\b|\bgiven\b|\bthere (?:is|are)\b|\bare found\b|\bneeded\b|\broute options\b"
    r"|\bfind\b|^so$",
    re.I,
)
_SEQUEL = re.compile(
    r"^(?:then|finally|confirm (?:or request )?that|afterwards|after (?:that|this)|next|lastly|only now|after\b[^,]*|once\b[^,]*|also,? when\b[^,]*)[, ]+(?=\w)|^confirm (?=any)",
    re.I,
)
_ASIDE = re.compile(
    r"^(?:so |and |but )*(?:"
    r"(?:it is|this is|it's) expected\b|you(?:'re| are)? (?:also )?(?:only )?(?:expect|understand|aware|are aware|okay|are okay|fine)\b"
    r"|you(?:'re| are) (?:also )?(?:aware|okay|ok|fine)\b|the assistant (?:will|should|may|might|has)\b|do not\b|don't\b"
    r"|only (?:tell|react|if)\b|you should (?:make|express)\b|the interaction\b|you want (?:this|all of this|all these) "
    r"|be (?:clear|specific)\b|always be clear\b|you (?:do|will) not (?:actively|ask|specify)\b|let the assistant\b"
    r"|end the conversation\b|stop the conversation\b|your goal\b|keep\b|you confirm\b|the current\b|no need\b"
    r"|you(?: do not|don't) want to waste\b|you don't want to waste\b|you tell him\b|(?:so )?navigation should be\b|you care about\b|you want to sound\b|you will see\b|you'll see\b|not (?:just|the)\b"
    r"|else\b|they\b|this\b|default\b|make the\b|you accept\b|you want the assistant to discover\b|you(?:'re| are) getting tired\b|not along\b"
    r"|you are only satisfied\b|you'll realize\b|you clearly\b(?!.*\bask)|you initially set up\b|you assume\b)",
    re.I,
)
_PREFERENCE = re.compile(
    r"^(?:you (?:always |would )?prefer\b|for (?:route selection|the (?:charging station|route\b[^,]*)),|"
    r"in the end,|for the route\b|since .*, you will select\b)",
    re.I,
)
_REFUSAL = re.compile(
    r"^(?:but )?you (?:also |specifically |actually )?(?:do not|don't)(?: \w+ly)? want\b(?! to waste)",
    re.I,
)
_WANT = re.compile(
    r"\b(?:you(?: \w+ly| first| also| now| still| just| only| therefore)* (?:want|need|would like|'d like|decide to|request|wish)\b"
    r"|you'd (?:\w+ )?(?:like|rather|prefer)\b"
    r"|(?<!you )(?:and|,|so|but)(?: now| also| still| \w+ly)* (?:want|need) (?:to|the|your|it)\b"
    r"|(?:you(?: will| can| should|'ll|'re)?(?: \w+ly| first| just| simply| only)* |start(?: by)? |first,? |just |and |so |also |again |actively |simply |^)"
    r"(?:ask|asking|request|tell|telling|say to the assistant that)\b)",
    re.I,
)

_LEAD = re.compile(
    r"^(?:(?:However|Instead|Additionally|Currently|Specifically|First|Initially|In your first turn|And|But|So),? )+"
    r"(?=\w)"
)
_CUT = re.compile(
    r" - (?!\w+ing\b)|; |(?<=[\w'%]), (?:and )?"
    r"(?=(?:if|when) (?:the assistant|he|they|needed|asked|not|yes|so)\b)|, (?=you do not want to actually)"
)
_DANGLING = re.compile(
    r"^(?:If it\b|(?:\w+ ){1,7}?to (?:first |also )?\w+ (?:it|this|them)\b(?! (?:first|from your route))|"
    r"you want to remove it\b)",
    re.I,
)
_CONFIRMED = re.compile(
    r"^(?:you (?:will |should |can )?(?:explicitly )?|again )?(?:confirm|say yes|say 'yes|respond (?:with )?'yes|acknowledge)",
    re.I,
)


def statements(instruction: str) -> list[Statement]:
    """Everything an instruction says, in order."""
    found: list[Statement] = []
    for clause in _clauses(_repaired(instruction)):
        read = _read(clause)
        if read.kind == "request" and _DANGLING.match(read.text):
            read = replace(read, text=" ".join([*_just_said(found), read.text]))
        found.append(read)
    return found


def _just_said(before: list[Statement]) -> list[str]:
    """The scenery right before a request that needs it to be understood ("… change this")."""
    said: list[str] = []
    for statement in reversed(before[-2:]):
        if statement.kind != "aside" or not re.match(r"(?:You have|It's|The) ", statement.text):
            break
        said.insert(0, re.sub(r", which .*", ".", statement.text))
    return said


def _repaired(text: str) -> str:
    text = _KEPT_BRACKET.sub(r", \1", text)
    text = _BRACKET.sub("", _BRACKET.sub("", text))
    for wrong, right in _REPAIRS:
        text = re.sub(wrong, right, text)
    return re.sub(r"\s+", " ", text).strip()


def _clauses(text: str) -> list[str]:
    found: list[str] = []
    for sentence in _END.split(text):
        if "-->" in sentence:
            continue
        if re.match(r"(?:If|When|Once)\b[^,]* - you're\b", sentence):
            found.append(sentence)
        else:
            found += _CUT.split(sentence)
    return [clause.strip() for clause in found if clause.strip()]


def _read(clause: str) -> Statement:
    clause = _capital(_LEAD.sub("", clause))
    clause = _capital(
        re.sub(r"^(After [^,]*, )?.*, so (?=you(?:'re asking| ask)\b)", r"\1", clause)
    )
    conditional = _CONDITION.match(clause)
    if conditional:
        return _conditional(conditional)
    sequel = _SEQUEL.match(clause)
    if sequel:
        return _sequel(_capital(clause[sequel.end() :]))
    if _REFUSAL.match(clause):
        return Statement("refusal", clause)
    if _ASIDE.match(clause):
        return Statement("aside", clause)
    if _PREFERENCE.match(clause):
        return Statement("preference", clause)
    wanted = _wanted(clause)
    return Statement("request", wanted) if wanted else Statement("aside", clause)


def _sequel(text: str) -> Statement:
    """What is wanted afterwards; an empty sequel only says that something else comes first."""
    inner = _CONDITION.match(text)
    if inner:
        return Statement("sequel", _told_by(inner))
    if text.startswith("The assistant should "):
        return Statement("sequel", text)
    if _ASIDE.match(text):
        return Statement("sequel", "")
    return Statement("sequel", _wanted(text) or "")


def _conditional(match: re.Match[str]) -> Statement:
    word, condition, then = match["word"].lower(), match["condition"], _capital(match["then"])
    if _NEGLECT.search(condition) or (_ASIDE.match(then) and not _CONFIRMED.match(then)):
        kind: Kind = "sequel" if word == "after" else "aside"
        return Statement(kind, "" if kind == "sequel" else match.group())
    if re.match(r"(?:you (?:ask|tell|first)|making)\b", condition, re.I):
        wanted = _wanted(re.sub(r"^You should specifically", "You", then))
        asks = wanted is not None and "only provide" not in then
        return Statement("request", wanted) if wanted and asks else Statement("aside", then)
    if word in ("if", "when", "in case") and _ASKED.search(condition):
        return Statement("condition", then, condition)
    if word == "once" and _CONFIRMED.match(then):
        return Statement("condition", then, condition)
    if word == "if":
        return Statement("request", re.sub(r", else end .*", "", match.group()))
    return Statement("sequel", _told_by(match))


def _told_by(match: re.Match[str]) -> str:
    """The wish of a sequel, with what the driver has learned if it makes no sense without."""
    then = _capital(match["then"])
    if re.match(r"if\b", match["word"], re.I):
        return match.group()
    wanted = re.sub(r"^You decide\b", "You want", _wanted(then) or "")
    learned = re.match(r"you (?:learn|see|notice) (?:that )?(.*)", match["condition"], re.I)
    if learned and _DANGLING.match(wanted):
        return f"{_capital(learned[1])}, so {wanted[0].lower()}{wanted[1:]}"
    return wanted


def _wanted(clause: str) -> str | None:
    """The clause from where it says what is wanted; None if it is scenery."""
    found = _WANT.search(clause)
    if found is None:
        return None
    text = re.sub(r"^(?:and|,|so|but|also)\s+", "", clause[found.start() :]).strip(" ,")
    text = re.sub(r"^(?:(?:now|also|still|\w+ly) )*(?=(?:want|need) )", "you ", text)
    before = re.sub(
        r"^.*\byou (?:then )?(?:realize|notice|decide)(?: that)? ",
        "",
        clause[: found.start()],
        flags=re.I,
    )
    if _DANGLING.match(text) and re.search(r"\w{3,}", before):
        linked = re.search(r"(?:\band|\bso|\bbut|,)\s*$", before) or re.match(
            r"and|,|so|but", clause[found.start() :]
        )
        joint = " " if linked else " and "
        return _capital(re.sub(r"\s+", " ", f"{before}{joint}{clause[found.start() :]}"))
    return _capital(text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
