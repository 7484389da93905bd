"""Signs that an agent is broken rather than bad: errors of its program, or silence."""

import re
from collections.abc import Iterator

from evaluator.record.episode import Episode
from evaluator.scoring.conversation_end import AGENT_FAILED, agent_ended_it
from evaluator.scoring.policies.policy import Breach

SHOWN = 100  # letters
# What programs write and no assistant says to a driver.
ERROR_TEXTS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\btraceback \(most recent call last\)", re.IGNORECASE),
        (r'^\s*file "[^"]+", line \d+', re.IGNORECASE | re.MULTILINE),
        (r"^\s*at \S.*[:(]\S+:\d+(?::\d+)?\)?\s*$", re.MULTILINE),
        (r"\b(?:[A-Z][a-z]+\w*|[a-z]+(?:\.\w+)+)(?:Error|Exception)\b", 0),
        (r"\b(?:error|status)(?: code)?\s*[:=]?\s*[45]\d\d\b", re.IGNORECASE),
        (r"\bhttp(?:/\d\.\d)?(?: error)?[ :]+[45]\d\d\b", re.IGNORECASE),
        (r"\b[45]\d\d (?:internal server error|bad gateway|service unavailable|unauthorized|"
         r"not found|bad request|too many requests|gateway time-?out)\b", re.IGNORECASE),
        (r"\binternal server error\b", re.IGNORECASE),
        (r"^\W*(?:an? )?(?:\w+ )?(?:error|exception|failure)(?: \w+){0,8}: ?\S", re.IGNORECASE),
        (r"\bno module named\b|\bis not defined\b|\bnot JSON serializable\b", re.IGNORECASE),
        (r"\bcannot read propert(?:y|ies) of (?:undefined|null)\b|\[object Object\]", 0),
        (r"^\s*<(?:!doctype|html|\?xml)\b", re.IGNORECASE),
        (r"<\|?/?(?:tool_call|function_call|im_start|im_end|python_tag)\b|<function=", 0),
        (r'^\s*(?:```\w*\s*)?(?:\{\s*["}]|\[\s*(?:\{\s*"|"|\]\s*$))', 0),
    )
)  # fmt: skip


def broken_agent(episode: Episode) -> Breach | None:
    """Its breakdown, the first error text that it spoke, or that it never said or did anything."""
    end = episode.record.end
    if end is not None and end.reason == AGENT_FAILED:
        return Breach(t_ns=end.t_ns, sentence=agent_ended_it(episode.record) or AGENT_FAILED)
    for t_ns, text in _replies(episode):
        if found := error_text(text):
            return Breach(t_ns=t_ns, sentence=f'it spoke an error of its program: "{found}"')
    if episode.driver and not episode.record.calls and not any(_replies(episode)):
        return Breach(t_ns=0, sentence="it said nothing and did nothing")
    return None


def error_text(text: str) -> str | None:
    """The line of a reply that is an error of a program, or its data instead of words."""
    for pattern in ERROR_TEXTS:
        if found := pattern.search(text):
            start = text.rfind("\n", 0, found.end() - 1) + 1
            return " ".join(text[start:].split())[:SHOWN]
    return None


def same_answer(episode: Episode) -> str | None:
    """What the agent said in every turn, if it said always the same and called nothing."""
    answers = {" ".join(text.split())[:SHOWN] for _, text in _replies(episode)}
    return answers.pop() if len(answers) == 1 and not episode.record.calls else None


def _replies(episode: Episode) -> Iterator[tuple[int, str]]:
    """What was said aloud."""
    return ((said.t_ns, said.text) for said in episode.spoken if said.text.strip())
