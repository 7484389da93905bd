"""Whether the driver wants to hear something rather than have something done."""

import re

_ASKS = re.compile(
    r"^(?:and |so |but |also |first )?"
    r"(?:what|which|how|is|are|was|do|does|did|where|who|whether|have|has|am|when|will|what's|"
    r"who's)\b|"
    r"^(?:\w+ )?(?:tell me|check|let me know|show me|look(?: up| at)?|see|find out|do you know|"
    r"inform me)\b|"
    r"\b(?:want|need|like|love) to (?:\w+ )?"
    r"(?:know|check|understand|see|find out|hear|learn|gather)\b|"
    r"\bi(?:'m| am) (?:wondering|curious)\b|\bhelp me (?:determine|check|understand|find out)\b|"
    r"\b(?:give|tell|show) me\b|\b(?:calculate|determine)\b|\bi wonder\b",
    re.IGNORECASE,
)
_NO_QUESTION = re.compile(
    r"^(?:(?:and )?(?:what|how) about|is it possible to)\b|\bgive me (?:some |a bit of |more )?"
    r"(?:air|light|heat|warmth|fresh)",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    return bool(_ASKS.search(text)) and not _NO_QUESTION.search(text)
