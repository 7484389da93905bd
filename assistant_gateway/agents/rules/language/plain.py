"""What was said, made even, cut into pieces, and read as a question, a yes or a no."""

import re

from assistant_gateway.agents.rules.language.patterns import Patterns
from assistant_gateway.agents.rules.language.spelling import spelled
from assistant_gateway.wording.sentences import straightened

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_VALUES = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_TEN = "|".join(_TENS)
_UNIT = "|".join(_ONES)
_DIGIT = "|".join(_ONES[1:10])
_HUNDREDS = re.compile(
    rf"\b(?:(?P<count>{_DIGIT}|an?) hundred)(?:(?: and)? (?P<rest>\d+))?\b", re.IGNORECASE
)
_COMPOUND = re.compile(rf"\b(?P<ten>{_TEN})[ -](?P<digit>{_DIGIT})\b", re.IGNORECASE)
_SINGLE = re.compile(rf"\b(?P<word>{_TEN}|{_UNIT})\b(?!-)", re.IGNORECASE)
_HALF = re.compile(r"\b(?P<whole>\d+) and a half\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?P<whole>\d+) (?:point|comma) (?P<part>\d+)\b", re.IGNORECASE)
# "The rear one" counts nothing; "level one" and "one degree" do.
_COUNTING_BEFORE = re.compile(
    r"\b(?:level|stage|setting|step|speed|to|on|by|at|than|degree|kilomet(?:re|er))\s$", re.I
)
_COUNTING_AFTER = re.compile(
    r"^\s(?:percent|degrees?|levels?|steps?|notch(?:es)?|hours?|minutes?|stops?|kilomet)", re.I
)
_ALONE = re.compile(
    r"^(?P<before>\W*(?:(?:actually|no|ok|okay|just|maybe|make it|let's say|hm+|uh+m*)\W+)*)one"
    r"(?P<after>\W*(?:(?:please|then|thanks|is fine|will do)\W*)*)$",
    re.IGNORECASE,
)
_SAYS = Patterns(__file__)
_UNITS = (
    (re.compile(r"(?<=\d)\s*%"), " percent"),
    (re.compile(r"\bper cent\b", re.IGNORECASE), "percent"),
    (re.compile(r"\s*°\s*C?\b|(?<=\d)\s*°|(?<=\d) ?C\b"), " degrees"),
    (re.compile(r"(?<=\d)\s*(?:km|kms|kilomet(?:re|er)s?)\b", re.IGNORECASE), " kilometres"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=\d),(?=5\b)"), "."),
    (re.compile(r"\bdegrees? celsius\b", re.IGNORECASE), "degrees"),
    (re.compile(r"\b(a|p)\.m\.?", re.IGNORECASE), r"\1m"),
    (re.compile(r",? but not (?=mine\b|my\b|the\b)", re.IGNORECASE), " except "),
    (re.compile(r"\b(turn|switch) of (?=(?:the|my|it|all|both)\b)", re.IGNORECASE), r"\1 off "),
    (re.compile(r"\ba/c\b|\bA\.C\.", re.IGNORECASE), "AC"),
)
_LONG_ENOUGH = 4
_SIDE = (
    r"(?:front|rear|back|driver(?:'s)?|passenger(?:'s)?|left|right|feet|foot|head|face|floor|"
    r"legs|body|chest|windshield|windscreen|me|high|low)"
)
_PAIR = re.compile(rf"\b({_SIDE}(?: side| seat)?) and ((?:the |my |our )?{_SIDE})\b", re.IGNORECASE)
_LIST_OF_SIDES = re.compile(rf"\b({_SIDE}),\s+(?=(?:the |my )?{_SIDE}\b,? )", re.IGNORECASE)


def in_figures(text: str) -> str:
    """`twenty-two and a half degrees` as `22.5 degrees`."""
    text = _ALONE.sub(lambda m: f"{m['before']}1{m['after']}", text)
    text = _COMPOUND.sub(lambda m: str(_value(m["ten"]) + _value(m["digit"])), text)
    text = _SINGLE.sub(_figure, text)
    text = _HUNDREDS.sub(_hundreds, text)
    text = _HALF.sub(lambda m: f"{m['whole']}.5", text)
    return _POINT.sub(lambda m: f"{m['whole']}.{m['part']}", text)


def number(text: str) -> float:
    """The value of a figure; whole numbers are ints."""
    found = float(text.replace(",", "."))
    return int(found) if found == int(found) else found


def _figure(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()], match.string[match.end() :]
    if after[:8].lower().startswith(" hundred"):
        return match.group()
    counts = _COUNTING_BEFORE.search(before) or _COUNTING_AFTER.search(after)
    if match["word"].lower() == "one" and not counts:
        return match.group()
    return str(_value(match["word"]))


def _hundreds(match: re.Match[str]) -> str:
    count = match["count"].lower()
    hundreds = 1 if count in ("a", "an") else _value(count)
    return str(100 * hundreds + int(match["rest"] or 0))


def _value(word: str) -> int:
    return _VALUES[word.lower()]


def plain(text: str) -> str:
    """The words of the driver in an even form; names keep their capitals."""
    even = in_figures(straightened(text))
    for pattern, unit in _UNITS:
        even = pattern.sub(unit, even)
    return spelled(re.sub(r"[ \t]+", " ", even).strip())


def without_courtesies(text: str) -> str:
    """What is left when nobody is polite."""
    return re.sub(r"[\s,]+([,.!?])", r"\1", _SAYS["courtesies"].sub("", text)).strip(" ,")


def uncapitalised(sentence: str, whole: str) -> str:
    """The sentence without the capital that stands there only because it begins."""
    found = _SAYS["first_word"].match(sentence)
    if found is None or len(sentence.split()) < _LONG_ENOUGH:
        return sentence
    elsewhere = re.compile(rf"(?<=[a-z,] ){re.escape(found['word'])}\b")
    if elsewhere.search(whole):
        return sentence
    return sentence[0].lower() + sentence[1:]


def pieces(sentence: str) -> list[str]:
    """`open the shade`, `the roof by 20 percent`; pairs such as `front and rear` stay together."""
    kept = _PAIR.sub(r"\1 & \2", sentence.rstrip(".!? "))
    kept = _PAIR.sub(r"\1 & \2", _SAYS["numbers"].sub(" & ", _LIST_OF_SIDES.sub(r"\1 & ", kept)))
    found = (piece.replace(" & ", " and ").strip() for piece in _SAYS["separator"].split(kept))
    return [piece for piece in found if re.search(r"\w", piece)]


def without_refusals(text: str) -> str:
    """`open the windows` of `open the windows without touching the fan`."""
    return _SAYS["refusal"].sub("", text)


def without_purposes(text: str, main: int) -> str:
    """The text without what stands there only as a reason, from position `main` on."""
    for pattern in (_SAYS["purpose"], _SAYS["relative"]):
        for found in pattern.finditer(text):
            if found.start() > main and not _SAYS["wants_before"].search(text[: found.start()]):
                text = text[: found.start()]
                break
    return text.strip()


def without_reasons(text: str) -> str:
    """`drop Basel` of `drop Basel so that I can go straight to Turin`."""
    found = _SAYS["reason"].search(text)
    return text[: found.start()] if found and found.start() > 0 else text


def is_question(text: str) -> bool:
    return bool(_SAYS["asks"].search(text)) and not _SAYS["no_question"].search(text)


def commands(text: str) -> bool:
    """Whether it sounds like a wish, also one that nothing here understands."""
    return bool(_SAYS["command"].search(text))


def agrees(answer: str) -> bool | None:
    """True for a yes, False for a no, None for anything else."""
    if _SAYS["refuse"].search(answer):
        return False
    return True if _SAYS["agree"].search(answer) else None


def halts(answer: str) -> bool:
    """Whether the driver wants nothing of it any more: `No wait, stop`."""
    return bool(_SAYS["halt"].search(answer))


def after_a_halt(answer: str) -> str:
    """`what can you do` of `forget it, what can you do`; nothing where it does not begin so."""
    begun, *rest = _SAYS["pause"].split(answer, maxsplit=1)
    return rest[0].strip() if rest and halts(begun) else ""


def says_goodbye(answer: str) -> bool:
    """Whether the driver ends the conversation: `Okay, bye`."""
    return bool(_SAYS["goodbye"].search(answer))


def hesitates(answer: str) -> bool:
    """Whether the driver only wants time: `Wait, let me think`."""
    return bool(_SAYS["hesitation"].search(answer))


def leaves_it_open(answer: str) -> bool:
    """Whether the driver wants the assistant to decide."""
    return bool(_SAYS["undecided"].search(answer))
