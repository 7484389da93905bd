"""A sentence in pieces: what stands between commas and words such as `and` or `then`."""

import re

_SIDE = (
    r"(?:front|rear|back|driver(?:'s)?|passenger(?:'s)?|left|right|feet|foot|head|face|floor|"
    r"legs|body|chest|windshield|windscreen|me|high|low)"
)
_PAIR = re.compile(rf"\b({_SIDE}(?: side| seat)?) and ((?:the |my |our )?{_SIDE})\b", re.IGNORECASE)
_NUMBERS = re.compile(r"(?<=\d) and (?=\d)")
_LIST_OF_SIDES = re.compile(rf"\b({_SIDE}),\s+(?=(?:the |my )?{_SIDE}\b,? )", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\s*(?:,|\s-\s|:\s)\s*(?:(?:and|then|but|also|plus|so|or|while)\b\s*)*"
    r"|\s+(?:and|then|but|plus|while|as well as|before you|after that)\b"
    r"\s*(?:(?:then|also|after that)\b\s*)?",
    re.IGNORECASE,
)


def pieces(sentence: str) -> list[str]:
    """`open the shade`, `the roof by 20 percent`; pairs such as `front and rear` stay together."""
    kept = _PAIR.sub(r"\1 & \2", sentence.rstrip(".!? "))
    kept = _PAIR.sub(r"\1 & \2", _NUMBERS.sub(" & ", _LIST_OF_SIDES.sub(r"\1 & ", kept)))
    found = (piece.replace(" & ", " and ").strip() for piece in _SEPARATOR.split(kept))
    return [piece for piece in found if re.search(r"\w", piece)]
