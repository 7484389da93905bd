"""What a driver adds to a wish without wishing for it: purposes, refusals, explanations."""

import re

_WANTS_BEFORE = re.compile(
    r"\b(?:want|need|like|love|have|going|try\w*|prefer|able|ready|how)\s*$", re.I
)
_PURPOSE = re.compile(
    r"\b(?:in order to|so (?:that|as to)|so (?:i|we|it|they|the|my)\b|because|since|"
    r"as (?:i|we|it)\b|to (?:\w+ly )?(?:get|have|let|improve|increase|make|keep|maintain|ensure|"
    r"even|reduce|avoid|help|feel|provide|save|optimi[sz]e|stay|be|create|prevent|allow|cool|warm|dry|clear|heat|see|enjoy|"
    r"give|conserve|balance|shorten|spare|protect))\b.*$|"
    r"\bfor (?:\w+ )?(?:more|better|good|gentle|moderate|consistent|maximum|optimal|proper|"
    r"improved|extra|some|natural|coordinated|warmth|comfort|visibility|efficiency|safety|ventilation)\b.*$",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:(?:do|does|did|would)(?: not|n't)|no need to|never|without|not|rather than|"
    r"instead of)\s+"
    r"(?:(?:really|actually|want|need|like|wish|care|plan|to|you|me|it|be|having|any)\s+)*"
    r"(?:open|clos|turn|switch|activat|start|chang|touch|adjust|set|us(?:e|ing)|hav|heat|mov|rais|"
    r"lower|add|mak|increas|decreas|reduc|the|any|more|too|high|low)\w*.*$",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:so (?:that|as to|i|we|it)|because|since (?:i|we|it)|in order to|"
    r"to (?:make|save|shorten|avoid|reduce|keep|ensure|be))\b.*$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:where|which|that|whom?|what) (?:i|we|you|the|gets?|currently|has|have)\b.*$",
    re.IGNORECASE,
)


def without_refusals(text: str) -> str:
    """`open the windows` of `open the windows without touching the fan`."""
    return _REFUSAL.sub("", text)


def without_purposes(text: str, main: int) -> str:
    """The text without what stands there only as a reason, from position `main` on."""
    for pattern in (_PURPOSE, _RELATIVE):
        for found in pattern.finditer(text):
            if found.start() > main and not _WANTS_BEFORE.search(text[: found.start()]):
                text = text[: found.start()]
                break
    return text.strip()


def without_reasons(text: str) -> str:
    """`drop Basel` of `drop Basel so that I can go straight to Turin`."""
    found = _REASON.search(text)
    return text[: found.start()] if found and found.start() > 0 else text
