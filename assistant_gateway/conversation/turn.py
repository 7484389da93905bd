"""One turn while it lasts: what was heard, said, called and changed, and when."""

from dataclasses import dataclass, field

from assistant_gateway.conversation.effects import TurnDone
from assistant_gateway.conversation.playout import Playout
from assistant_gateway.conversation.sound_playout import SoundPlayout
from assistant_gateway.hearing.recogniser import Recognised
from assistant_gateway.protocol import SpeechKind, Zone
from assistant_gateway.sound.pcm import Samples
from assistant_gateway.sound.wire_format import Decoder
from assistant_gateway.timing.budgets import Budgets, TurnClass, verdict


@dataclass(slots=True)
class Turn:
    """What is measured in one turn."""

    number: int
    turn_class: TurnClass
    playout: Playout
    budgets: Budgets
    zone: Zone = "driver"
    heard_user: str = ""
    recognised: Recognised | None = None
    speech_end_ns: int = 0
    end_of_turn_ns: int | None = None
    asked_ns: int = 0
    first_text_ns: int | None = None
    content_ns: int | None = None
    effect_ns: int | None = None
    calls: int = 0
    barge_stop_ns: int | None = None
    agent_stop_ns: int | None = None
    spoken_over: list[tuple[int, int]] = field(default_factory=list)

    @property
    def transcript(self) -> str:
        """What the agent is sent of what the driver said."""
        recognised = self.recognised
        return recognised.text if recognised and recognised.errors else self.heard_user

    def cut(self, at_ns: int, message: "OpenMessage | None" = None) -> str:
        """Nobody listens from now on; returns what was heard.

        What was heard of a `message` without a call was meant as an answer, though it has no end.
        """
        if self.content_ns is None and message is not None and not message.calls:
            self.content_ns = message.content_ns
        if self.content_ns is not None and self.content_ns >= at_ns:
            self.content_ns = None
        return self.playout.cut(at_ns)

    def rings(self) -> None:
        """A phone call was placed: the ringing is what the driver hears first."""
        if self.effect_ns is None:
            return
        if self.playout.started_ns is None:
            self.playout.segments.append((self.effect_ns, self.effect_ns))
        self.content_ns = self.content_ns or self.effect_ns

    def spans(self, until_ns: int) -> dict[str, int | None]:
        """Spans by the names of the voice latency taxonomy; null means it never happened."""
        end = self.speech_end_ns
        heard_until = max(until_ns, self.playout.end_ns or 0)
        spans = {
            "eou_delay": _since(end, self.end_of_turn_ns),
            "ttft_text": _since(self.asked_ns, self.first_text_ns),
            "upl": _since(end, self.playout.started_ns),
            "upl_content": _since(end, self.content_ns),
            "effect_latency": _since(end, self.effect_ns),
            "turnaround": _since(end, self.playout.end_ns),
            "max_gap": self.playout.longest_gap_ns(end, heard_until),
        }
        spans |= self.playout.sound_spans(end)
        if self.spoken_over:
            spans["overlap"] = sum(self.playout.audible_ns(*over) for over in self.spoken_over)
        for name, span_ns in (
            ("barge_stop", self.barge_stop_ns),
            ("agent_stop", self.agent_stop_ns),
        ):
            if span_ns is not None:
                spans[name] = span_ns
        return spans

    def finished(
        self, at_ns: int, revision: int, *, handed_over: bool, waited_until_ns: int | None = None
    ) -> TurnDone:
        """What was measured; a driver who waited no longer missed nothing that came due later."""
        spans = self.spans(at_ns)
        sound = self.playout.sound if isinstance(self.playout, SoundPlayout) else None
        if waited_until_ns is not None:
            waited_ns = waited_until_ns - self.speech_end_ns
            for name in self.budgets.not_due(self.turn_class, spans, waited_ns):
                del spans[name]
        return TurnDone(
            turn=self.number,
            turn_class=self.turn_class,
            revision=revision,
            spans=spans,
            verdict=verdict(self.turn_class, spans, self.budgets),
            heard_user=self.heard_user,
            recognised=self.recognised,
            heard_agent=self.playout.heard,
            calls=self.calls,
            handed_over=handed_over,
            audible_ns=[(begin, end) for begin, end in sound.audible] if sound else None,
            plays_until_ns=sound.ends_ns if sound else None,
            restarts_ns=() if sound else self.playout.restarts_ns,
        )


@dataclass(slots=True)
class OpenMessage:
    """One message of the agent while it is open."""

    rid: str | None
    content_ns: int | None = None
    calls: int = 0
    held_back: list[tuple[str, SpeechKind, int]] = field(default_factory=list)
    says_content: bool = False
    decoder: Decoder | None = None
    held_samples: list[tuple[Samples, int]] = field(default_factory=list)


def _since(start_ns: int, moment_ns: int | None) -> int | None:
    return None if moment_ns is None else moment_ns - start_ns
