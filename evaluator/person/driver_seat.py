"""The seat of a person who plays the driver."""

from collections.abc import Mapping, Sequence

from assistant_gateway.agents.agent import Call
from assistant_gateway.protocol import GO_ON
from evaluator.person.seat import NotAccepted, Seat
from evaluator.person.updates import DriverDecided, DriverHeard, DriverPart
from user_sim.by_model.briefing import advice, described, words_offered
from user_sim.human import DriverDesk
from user_sim.script import DriverBrief
from user_sim.scripted import CONTROL_WORDS, Decision
from user_sim.spoken_line import ways_of
from user_sim.wants import CarCall
from vehicle_bus.tools import CHANGING

WHEN = {
    "opening": "to begin",
    "followups": "afterwards",
    "answers": "if asked",
    "confirm": "if it proposes what you want",
    "decline": "if it proposes something else",
    "press": "if it was not done",
    "on_limit": "if it cannot be done",
    "interjections": "while the assistant speaks",
}


class DriverSeat(Seat[Decision], DriverDesk):
    """Takes only what this driver may decide."""

    name = "driver"

    def __init__(self) -> None:
        super().__init__()
        self.words: Mapping[str, str] = {}
        self._opening = False

    def begin(self, brief: DriverBrief) -> None:
        self.words = words_offered(brief)
        lines = brief.script.lines.items() if brief.script else ()
        part = DriverPart(
            goal=brief.instruction.strip(),
            persona=described(brief.persona),
            advice=" ".join(advice(brief).split()),
            lines=tuple({"when": _when(place), "text": ways_of(line)[0]} for place, line in lines),
            words=self.words,
        )
        self._begin(part)

    def heard(self, text: str, confirmed: Sequence[CarCall]) -> None:
        done = tuple(Call(*each) for each in confirmed if each[0] in CHANGING)
        self._show(DriverHeard(text, done))

    async def decision(self, *, opening: bool) -> Decision:
        self._opening = opening
        return await self._ask(opening=opening)

    def decide(self, word: str, say: str = "", reason: str = "") -> None:
        """Go on with what the driver says, or end with a word; raises `NotAccepted`."""
        offered = {each for each in CONTROL_WORDS if each in self.words}
        known = next((each for each in offered if each == word), None)
        say = " ".join(say.split())
        if known is None:
            raise NotAccepted(f"the word is one of {', '.join(self.words)}, not {word!r}")
        if known == GO_ON and not say:
            raise NotAccepted(f"{GO_ON} says something; another word ends the conversation")
        if known != GO_ON and self._opening:
            raise NotAccepted("nothing was said yet: say first what the driver wants")
        decision = Decision(known, say if known == GO_ON else None, reason or "a person decided")
        self._answer(decision, DriverDecided(known, decision.say, reason))


def _when(place: str) -> str:
    """When a line of a script is said, by its place there."""
    return WHEN[place.partition(".")[0]]
