"""Whether a judge's reason and its verdict disagree; cheap, and silent when in doubt. Pure.

A reason that weighs one thing against another, or says what would be, is in doubt.
"""

import re
from typing import Literal

Reading = Literal["kept", "broken"]

# Read in this order: what says "kept" is taken out before "broken" is looked for, because most of
# it is a denial of that.
_KEPT = re.compile(
    r"(?:\b(?:no|not|never|without)|n't) (?:any |a |an )?(?:clear |direct )?"
    r"(?:violat\w*|breach\w*|broke\w*|break\w*)"
    r"|\bnothing\b[^.]*\b(?:violat|breach|break)\w*"
    r"|\b(?:is|was|were|are|has been|have been|remains?) (?:thus |therefore |clearly |fully )?"
    r"(?:followed|kept|respected|met|satisfied|fulfilled|observed|obeyed)\b"
    r"|(?<!non-)(?<!not )\b(?:compl(?:ies|ied|iant)|adher(?:es|ed))\b"
    r"|\b(?:kept|followed|respected|obeyed) (?:the|this) (?:rule|policy)\b"
    r"|\b(?:does|did)(?: not|n't) apply\b|\bnot applicable\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\bviolat\w*|\bbreach(?:es|ed)?\b"
    r"|\b(?:breaks|broke|ignored|disregarded) (?:the|this) (?:rule|policy)\b"
    r"|\b(?:rule|policy) (?:is|was|has been) (?:thus |therefore |clearly )?broken\b"
    r"|(?:\bnot|n't|\bnever) (?:been )?"
    r"(?:follow|kept\b|keep|respect|met\b|satisf|fulfil|observ|obey|compl|adher)"
    r"|\bnon-?compliant\b",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:but|yet|except|however|although|though|while|whereas|nevertheless|nonetheless|still|"
    r"despite|unless|otherwise|would|could|might|had it|if|even so|only because|apart from|"
    r"overr(?:id|od|ul)\w*|exempt\w*|first sight|on the other hand|at the same time)\b",
    re.IGNORECASE,
)
# Beside "kept" they say that something else was not; after "because" they say why.
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|fail\w*|missing|lack\w*|wrong\w*|omit\w*|"
    r"instead|[ap]\.?m)\b|n't\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:as|because|since|for|by)\b[^.;]*", re.IGNORECASE)


def reading(reason: str) -> Reading | None:
    """What a reason says about the rule; None if it says nothing clear, or both."""
    if _WEIGHS.search(reason):
        return None
    rest = _KEPT.sub(" ", reason)
    kept, broken = rest != reason, _BROKEN.search(rest) is not None
    if kept == broken or (kept and _NEGATIVE.search(_REASON.sub(" ", rest))):
        return None
    return "kept" if kept else "broken"


def contradicts(reason: str, followed: bool) -> bool:
    """Does the reason clearly say the opposite of the verdict?"""
    read = reading(reason)
    return read is not None and (read == "kept") != followed
