"""Turns what an instruction tells a driver ("You want to …") into what the driver says."""

import re

_ADVERBS = (
    r"(?:\w+ly|'ll|first|also|now|just|still|then|again|will|can|should|initially|only|therefore) "
)
_REQUESTS = (
    (r"^.*?\b(?:saying|ask|like) something like '((?:[^']|'(?=\w))+)'.*$", r"\1"),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:start(?:s)? (?:out )?(?:by|with) )?(?:{_ADVERBS})*(?:ask|asking|request|tell|telling)(?:s)? "
     r"(?:the assistant|the car's assistant|them|him|it|you)? ?(?:to )?(?=help you )", "Please "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:start by )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant|them|him|it) to ", "Please "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:start by )?(?:{_ADVERBS})*(?:ask|asking|request|requesting)s? to ", "Please "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant |them )?(?:actively )?for (?=(?:multiple|information|more|the))", "Please give me "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant |them )?for ", "I want "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant |them )?about ", "Please tell me about "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant |them )?if ", "Please tell me if "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:ask|asking)s? (?:the assistant |them )?(?=what|how|which|when|where|whether)", "Please tell me "),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:start by )?(?:{_ADVERBS})*(?:tell|telling)s? (?:the assistant|them|him) (?:that )?(?!to )(?=\w)", ""),
    (rf"^(?:you(?:'ll|'re)? )?(?:{_ADVERBS})*(?:start by )?(?:{_ADVERBS})*(?:tell|telling)s? (?:the assistant|them|him) to ", "Please "),
    (r"^(?:after calculation )?you say to the assistant that ", ""),
    (r"^the assistant should ", "Please "),
    (r"^you let the assistant ", "Please "),
    (rf"^you (?:{_ADVERBS})*decide to ", "I want to "),
    (rf"^you (?:{_ADVERBS})*request to ", "Please "),
    (rf"^you (?:{_ADVERBS})*want to ask the assistant to (?:help )?", "Please "),
    (rf"^you (?:{_ADVERBS})*want the assistant to (?:also )?", "Please "),
    (rf"^you (?:{_ADVERBS})*(want|need|would like)\b", r"I \1"),
    (r"^you'd (?:also |now )?(like|rather|prefer)\b", r"I'd \1"),
)  # fmt: skip
_MOTIVES = re.compile(
    r"(?:,? (?:because|since|so that|as you|as it's|as its|in order to)\b.*"
    r"|,? (?:as|for) (?:a good compromise|consistent airflow|safe driving|comfort)\b.*"
    r"|, which (?:is|you)\b.*|, where applicable.*|, but clarify\b)",
    re.I,
)
_ASSISTANT = (
    (r"\b(?:the assistant|they) mentions?\b", "you mention"),
    (r"\b(?:the|car's|the car's) assistant\b", "you"),
    (r"\blet them know\b", "let them know"),
    (r"\b(?:he|she) should\b", "you should"),
    (r"\byou (?:asks|asked)\b", "you ask"),
)
_FIRST_PERSON = (
    (r"\byou're\b", "I'm"),
    (r"\byou are\b", "I am"),
    (r"\byou were\b", "I was"),
    (r"\byou've\b", "I've"),
    (r"\byou'd\b", "I'd"),
    (r"\byou'll\b", "I'll"),
    (r"\byours\b", "mine"),
    (r"\byourself\b", "myself"),
    (r"\byour\b", "my"),
    (r"\b(both|only|of|for|with|to|by|from|about|bothering|tell|tells|told|show|shows|give|gives|help|helps|ask|asks|let|lets|inform|informs|than) you\b"
     r"(?! (?:want|need|prefer|would|can|could|have|had|do|did|don't|will|charge|get|go|like|always|drive|arrive|currently|set|should|still|might|may|already|know|feel|realize|usually)\b)", r"\1 me"),
    (r"\byou\b", "I"),
)  # fmt: skip
_UNITS = (
    (r"(\d)\s?%", r"\1 percent"),
    (r"(\d)\s?km\b", r"\1 kilometers"),
    (r"\bkm\b", "kilometers"),
    (r"(\d+)-kilometer\b", r"\1 kilometer"),
    (r"(\d)\s?°C\b", r"\1 degrees Celsius"),
    (r"\b1 kilometers\b", "1 kilometer"),
)
_ASSISTANT_MARK = "\0"


def spoken_request(text: str) -> str:
    """A request such as "Ask the assistant to open …" as the driver would say it."""
    text = without_motive(text)
    for pattern, replacement in _REQUESTS:
        changed = re.sub(pattern, replacement, text, count=1, flags=re.I)
        if changed != text:
            text = changed
            break
    text = re.sub(
        r",? and (?:then )?(?:ask|request) (?:the assistant |them )?(?:to )?",
        " and ",
        text,
        flags=re.I,
    )
    text = re.sub(r"^Please help you (?:to )?", "Please help me ", text)
    return first_person(text)


def without_motive(text: str) -> str:
    return _MOTIVES.sub("", text).strip(" .,;")


def first_person(text: str) -> str:
    """Flip "you" to the speaker, call the assistant "you", write units as words, end as a sentence."""
    for pattern, replacement in _ASSISTANT:
        marked = re.sub(r"\byou\b", _ASSISTANT_MARK, replacement)
        text = re.sub(pattern, marked, text, flags=re.I)
    for pattern, replacement in _FIRST_PERSON:
        text = re.sub(pattern, replacement, text, flags=re.I)
    text = text.replace(_ASSISTANT_MARK, "you")
    for pattern, replacement in _UNITS:
        text = re.sub(pattern, replacement, text)
    return as_sentence(text)


def as_sentence(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,;:.-")
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return text if text[-1] in "?!" else f"{text}."
