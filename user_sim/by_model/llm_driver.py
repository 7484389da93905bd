"""A driver played by a model; the validator checks every turn before it is spoken."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from assistant_gateway.models.model import ChatTurn, Model, ModelFailed, RetryPolicy, Shape
from assistant_gateway.models.spending import Usage
from assistant_gateway.protocol import GO_ON, ControlWord
from user_sim.by_model.briefing import briefing, words_offered
from user_sim.by_model.validator import DriverTurn, NoTurn, complaints, read_turn
from user_sim.by_model.word_doubts import HeardTurns, doubt
from user_sim.driver import SCRIPT_BROKEN, UNAVAILABLE, Driver, DriverGaveUp
from user_sim.script import DriverBrief
from user_sim.scripted import Decision
from user_sim.wants import CarCall

RETRY = RetryPolicy(timeout_s=15.0, attempts=3, first_wait_s=0.5, longest_wait_s=5.0)
DEADLINE_S = 50.0  # the gateway waits a minute for a driver
MOST_ANSWERS = 3  # of the model in one turn: the turn, a repair, and whether an ending is meant so
MOST_TURNS = 20
BEGIN = "(You get in. The assistant is listening.)"
SILENCE = "(The assistant says nothing.)"


class LlmDriver(Driver):
    """Plays `brief` with a model, without interjections; one per session.

    A turn that fails the checks is asked for once more, with the complaints. If that fails too, or
    the model cannot be reached, it raises `DriverGaveUp`. An ending that does not seem to fit what
    was heard is asked for once more, and then taken; `disputed` says why it seemed not to fit.
    """

    def __init__(self, brief: DriverBrief, model: Model, *, deadline_s: float = DEADLINE_S) -> None:
        self.usage = Usage()
        self.repairs = 0
        self.disputed: str | None = None
        self._brief = brief
        self._model = model
        self._deadline_s = deadline_s
        self._shape = shape(brief)
        self._history: list[ChatTurn] = [{"role": "system", "content": briefing(brief)}]
        self._heard: tuple[str, ...] = ()
        self._turns = 0

    async def opening(self) -> str:
        turn = await self._turn(BEGIN, HeardTurns(), opening=True)
        return turn.say or ""

    async def after_turn(self, heard: str, confirmed: Sequence[CarCall] = ()) -> Decision:
        self._heard += (heard,)
        return _decision(await self._turn(heard or SILENCE, HeardTurns(heard, self._heard)))

    async def after_silence(self) -> Decision:
        return _decision(await self._turn(SILENCE, HeardTurns(None, self._heard)))

    async def _turn(self, prompt: str, heard: HeardTurns, *, opening: bool = False) -> DriverTurn:
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise DriverGaveUp(SCRIPT_BROKEN, f"the driver found no end in {MOST_TURNS} turns")
        self._history.append({"role": "user", "content": prompt})
        try:
            async with asyncio.timeout(self._deadline_s):
                turn = await self._valid_turn(heard, opening)
                turn = await self._meant(turn, heard)
        except TimeoutError as error:
            why = f"the driver's model took longer than {self._deadline_s:g} s"
            raise DriverGaveUp(UNAVAILABLE, why) from error
        self._history.append({"role": "assistant", "content": turn.say or ""})
        return turn

    async def _valid_turn(self, heard: HeardTurns, opening: bool) -> DriverTurn:
        answer, wrong = await self._attempt(self._history, heard, opening)
        if isinstance(answer, DriverTurn) and not wrong:
            return answer
        self.repairs += 1
        again, still_wrong = await self._attempt(
            [*self._history, *_repair(answer, wrong)], heard, opening
        )
        if isinstance(again, DriverTurn) and not still_wrong:
            return again
        why = f"{'; '.join(still_wrong)} (before that: {'; '.join(wrong)})"
        raise DriverGaveUp(SCRIPT_BROKEN, f"the driver broke its script twice: {why}")

    async def _meant(self, turn: DriverTurn, heard: HeardTurns) -> DriverTurn:
        """The turn itself, or what the driver makes of it when asked about its ending."""
        why = doubt(turn.word, self._brief, heard)
        if why is None:
            return turn
        messages = [*self._history, *_are_you_sure(turn, why)]
        again, wrong = await self._attempt(messages, heard, opening=False)
        if isinstance(again, DriverTurn) and not wrong:
            turn = again
        self.disputed = doubt(turn.word, self._brief, heard)
        return turn

    async def _attempt(
        self, messages: list[ChatTurn], heard: HeardTurns, opening: bool
    ) -> tuple[DriverTurn | str, list[str]]:
        """The turn, or the text that is none, and what is wrong with it."""
        try:
            reply = await self._model.ask(messages, self._shape)
        except ModelFailed as error:
            self.usage += error.usage
            raise DriverGaveUp(UNAVAILABLE, f"the driver's model: {error}") from error
        self.usage += reply.usage
        if reply.refusal is not None:
            return reply.refusal, [f"the model refused: {reply.refusal}"]
        try:
            turn = read_turn(reply.text)
        except NoTurn as error:
            return reply.text, [str(error)]
        return turn, complaints(turn, self._brief, heard, opening=opening)


def shape(brief: DriverBrief) -> Shape:
    """The JSON asked for; only the words this driver is offered are in it."""
    properties: dict[str, Any] = {
        "reason": {"type": "string"},
        "word": {"type": "string", "enum": list(words_offered(brief))},
        "say": {"type": "string"},
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return Shape("driver_turn", schema)


def _repair(answer: DriverTurn | str, wrong: list[str]) -> list[ChatTurn]:
    text = answer if isinstance(answer, str) else answer.model_dump_json()
    listed = "\n".join(f"- {complaint}" for complaint in wrong)
    return [
        {"role": "assistant", "content": text},
        {"role": "user", "content": f"(That turn cannot be used, nobody heard it:\n{listed}\n"
         "Answer again, as JSON.)"},
    ]  # fmt: skip


def _are_you_sure(turn: DriverTurn, why: str) -> list[ChatTurn]:
    return [
        {"role": "assistant", "content": turn.model_dump_json()},
        {"role": "user", "content": f"(Nobody heard that yet. {turn.word} would end the "
         f"conversation, and about the assistant: {why}. Are you sure? Answer again, as JSON: with "
         f"{turn.word} if it fits all the same, else with a better word.)"},
    ]  # fmt: skip


def _decision(turn: DriverTurn) -> Decision:
    word = cast(ControlWord, turn.word)  # only words that were offered pass the checks
    return Decision(word, turn.say if word == GO_ON else None, turn.reason)
