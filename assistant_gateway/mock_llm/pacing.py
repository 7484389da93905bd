"""When a mock model says what: an answer cut into pieces, each with its time. Pure."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.request import INSTRUCTING, ChatRequest
from assistant_gateway.timing.latency import LatencyModel, LatencyProfile
from assistant_gateway.timing.timeline import SECOND

ARGUMENT_PIECE = 12


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of the text, or of the arguments of a call, due so long after the request came."""

    after_ns: int
    text: str
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a mock model takes; each answer of each conversation has its own chance."""

    profile: LatencyProfile
    seed: int = 10

    def of(self, request: ChatRequest) -> LatencyModel:
        """The same for the same request, so nothing has to be remembered about a conversation."""
        seed = f"{self.seed}/{_conversation(request)}"
        model = LatencyModel(self.profile, seed, answered=request.turn - 1)
        if model.counts_prompt:
            model.reads(request.new_characters)
        return model


AT_ONCE = Timing(LatencyProfile(source="no time at all"))


def fixed_timing(first_token_ms: float) -> Timing:
    """Every answer begins so much later, then comes all at once."""
    source = f"always {first_token_ms:g} ms"
    return Timing(LatencyProfile(source=source, shift_ms=first_token_ms, session_sigma=0.0))


@dataclass(frozen=True, slots=True)
class Paced:
    """An answer in pieces: the first is due at `first_ns`, everything is said at `end_ns`."""

    answer: Answer
    first_ns: int
    fragments: tuple[Fragment, ...]

    @property
    def end_ns(self) -> int:
        return self.fragments[-1].after_ns if self.fragments else self.first_ns


def paced(answer: Answer, timing: Timing) -> Paced:
    """Cut an answer into pieces: delays of its script come on top of those of the profile."""
    reply, latency = answer.reply, timing.of(answer.request)
    first_ns = round(reply.delay_s * SECOND) + latency.first_token_ns()
    between_ns = round(reply.between_s * SECOND)
    pieces = _pieces(answer, latency)
    return Paced(
        answer,
        first_ns,
        tuple(
            Fragment(first_ns + after_ns + number * between_ns, text, call)
            for number, (after_ns, text, call) in enumerate(pieces)
        ),
    )


def _pieces(answer: Answer, latency: LatencyModel) -> Iterator[tuple[int, str, int | None]]:
    """Words and stretches of arguments with their time after the first token."""
    after_ns = 0
    for burst in latency.pieces(answer.text or answer.refusal or ""):
        after_ns = burst.after_ns
        for word in _words(burst.text):
            yield after_ns, word, None
    for number, call in enumerate(answer.calls):
        took_ns, length = latency.arguments_ns(call.arguments), len(call.arguments)
        for start in range(0, length, ARGUMENT_PIECE):
            piece = call.arguments[start : start + ARGUMENT_PIECE]
            yield after_ns + took_ns * (start + len(piece)) // length, piece, number
        after_ns += took_ns


def _words(text: str) -> list[str]:
    """Words, each with the space before it."""
    return re.findall(r"\s*\S+|\s+$", text)


def _conversation(request: ChatRequest) -> str:
    """What tells one conversation from another: how it is instructed and how it begins."""
    first = next((m.text for m in request.messages if m.role not in INSTRUCTING), "")
    return hashlib.blake2s(f"{request.system}\n{first}".encode(), digest_size=8).hexdigest()
