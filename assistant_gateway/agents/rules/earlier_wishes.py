"""What the conversation was about before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.language.details import choice, seats
from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.wishes import trip
from assistant_gateway.agents.rules.wishes.cabin import OPENINGS, UNSAID, Adjust, Inquire, mentions
from assistant_gateway.agents.rules.wishes.questions import Reach, Weather
from assistant_gateway.agents.rules.wishes.wish import Wish

_VALUES = ("percentage", "level", "temperature")
_SEATS = ("window", "position")
_WITH_SEATS = ("window", "reading", "seat_heating", "temperature", "lights")
_AT_ONE_SEAT = ("window", "reading")
_REMEMBERED = 6
_ABOUT_A_PLACE = (Weather, Reach, trip.RoutesTo)


@dataclass(frozen=True, slots=True)
class EarlierWishes:
    """What the conversation was about before: ellipses such as `the rear one too` need it."""

    recent: tuple[Adjust, ...] = ()
    journeys: tuple[trip.Journey, ...] = ()
    question: Wish | None = None

    @property
    def last(self) -> Adjust | None:
        return self.recent[-1] if self.recent else None

    def meant(self, piece: str) -> Adjust | None:
        """What `it` is: the last thing that the verb fits, or the colour or the percentage."""
        if mentions(piece):
            return self.last
        opens = first("cabin", "verbs", piece) in ("open", "close") or "percent" in piece
        fitting = [
            wish
            for wish in self.recent
            if (opens and wish.thing in OPENINGS) or choice(wish.thing, piece)
        ]
        if not fitting and seats(piece):
            fitting = [wish for wish in self.recent if wish.thing in _WITH_SEATS]
        return fitting[-1] if fitting else self.last

    def after(self, wishes: Sequence[Wish]) -> "EarlierWishes":
        adjusted = [
            Adjust(wish.thing, UNSAID) if isinstance(wish, Inquire) else wish
            for wish in wishes
            if isinstance(wish, Adjust | Inquire)
        ]
        travelled = tuple(wish for wish in wishes if isinstance(wish, trip.Journey))
        asked = [wish for wish in wishes if isinstance(wish, _ABOUT_A_PLACE)]
        return EarlierWishes(
            recent=(*self.recent, *adjusted)[-_REMEMBERED:],
            journeys=travelled or self.journeys,
            question=asked[-1] if asked else None if wishes else self.question,
        )

    def settled(self, done: Sequence[Call]) -> "EarlierWishes":
        """What was left open and then decided is known to `and the other one too`."""
        if not self.recent:
            return self
        last = self.recent[-1]
        given = [call.arguments for call in done]
        if not last.seats and last.thing in _AT_ONE_SEAT:
            at = {str(one[name]) for one in given for name in _SEATS if name in one}
            last = replace(last, seats=tuple(sorted(at - {"ALL", "ALL_ZONES"})))
        amounts = [one[name] for one in given for name in _VALUES if name in one]
        if amounts and not last.says_how and last.verb in ("open", "on", "set"):
            last = replace(last, amount=amounts[-1])
        return replace(self, recent=(*self.recent[:-1], last))

    def remarked(self, sentence: str) -> "EarlierWishes":
        """`The sunroof is nice. Open it.`: what a remark is about is what `it` means."""
        things = mentions(sentence)
        if not things:
            return self
        spoken_of = Adjust(things[0], UNSAID, seats=seats(sentence))
        return replace(self, recent=(*self.recent, spoken_of))
