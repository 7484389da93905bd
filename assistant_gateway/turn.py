"""One turn while it lasts: what was heard, said, called and changed, and when."""

from dataclasses import dataclass, field

from assistant_gateway.budgets import TurnClass, verdict
from assistant_gateway.effects import TurnDone
from assistant_gateway.protocol import SpeechKind
from assistant_gateway.speech import Playout


@dataclass(slots=True)
class Turn:
    """What is measured in one turn."""

    number: int
    turn_class: TurnClass
    playout: Playout
    heard_user: str = ""
    speech_end_ns: int = 0
    end_of_turn_ns: int = 0
    asked_ns: int = 0
    first_text_ns: int | None = None
    content_ns: int | None = None
    effect_ns: int | None = None
    calls: int = 0

    def spans(self, until_ns: int) -> dict[str, int | None]:
        """Spans by the names of the voice latency taxonomy; null means it never happened."""
        end = self.speech_end_ns
        heard_until = max(until_ns, self.playout.end_ns or 0)
        return {
            "eou_delay": self.end_of_turn_ns - end,
            "ttft_text": _since(self.asked_ns, self.first_text_ns),
            "upl": _since(end, self.playout.started_ns),
            "upl_content": _since(end, self.content_ns),
            "effect_latency": _since(end, self.effect_ns),
            "turnaround": _since(end, self.playout.end_ns),
            "max_gap": self.playout.longest_gap_ns(end, heard_until),
        }

    def finished(self, at_ns: int, revision: int, *, handed_over: bool) -> TurnDone:
        spans = self.spans(at_ns)
        return TurnDone(
            number=self.number,
            turn_class=self.turn_class,
            revision=revision,
            spans=spans,
            verdict=verdict(self.turn_class, spans),
            heard_user=self.heard_user,
            heard_agent=self.playout.text.strip(),
            calls=self.calls,
            handed_over=handed_over,
        )


@dataclass(slots=True)
class Response:
    """One message of the agent while it is open."""

    rid: str | None
    content_ns: int | None = None
    calls: int = 0
    held_back: list[tuple[str, SpeechKind, int]] = field(default_factory=list)


def _since(start_ns: int, moment_ns: int | None) -> int | None:
    return None if moment_ns is None else moment_ns - start_ns
