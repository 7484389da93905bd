"""An assistant that a person plays, at a desk: a page or a terminal."""

import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.remote import (
    NO_OUTPUTS,
    CallPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
    serve_remote,
)
from assistant_gateway.protocol import SessionStart


@dataclass(frozen=True, slots=True)
class WizardMessage(AgentMessage):
    """What the person sends: words, calls or both.

    Without calls it hands the floor to the driver, unless it `keeps_turn` ("One moment, please.").
    """

    keeps_turn: bool = False


class WizardDesk(Protocol):
    """Shows a conversation to the person who plays the assistant, and takes what they send."""

    def begin(self, session: SessionStart, sid: str) -> None:
        """A conversation starts; the tools and the instructions are in `session`."""
        ...

    def heard(self, text: str) -> None:
        """The driver has said something and waits."""
        ...

    def answered(self, call: Call, output: str) -> None:
        """The car has answered a call."""
        ...

    def interrupted(self, heard: str) -> None:
        """The driver spoke over the assistant or gave up waiting, and heard only `heard`."""
        ...

    def end(self) -> None:
        """The conversation is over."""
        ...

    async def message(self) -> WizardMessage:
        """Wait for what the person sends next; cancelled if the driver waits no longer."""
        ...


@dataclass(slots=True)
class WizardAgent(RemoteAgent):
    """One conversation: forwards what the person sends at the moment it is sent."""

    desk: WizardDesk
    name: str = "wizard"
    calls: dict[str, Call] = field(default_factory=dict)  # without an answer, by id
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._show(late)
        self.calls.clear()
        self.desk.heard(text)
        return self._message()

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        self._show(outputs)
        return self._message()

    def interrupted(self, heard_text: str) -> None:
        self.desk.interrupted(heard_text)

    def _show(self, outputs: Outputs) -> None:
        for call_id, output in outputs.items():
            self.desk.answered(self.calls.pop(call_id), output)

    async def _message(self) -> AsyncGenerator[Piece]:
        sent = WizardMessage(keeps_turn=True)
        while sent.keeps_turn and not sent.calls:
            sent = await self.desk.message()
            if sent.text and (sent.keeps_turn or sent.calls):
                yield TextPiece(f"{sent.text} ", "progress")
            elif sent.text:
                yield TextPiece(sent.text)
        for call in sent.calls:
            call_id = f"c{next(self.numbers)}"
            self.calls[call_id] = call
            yield CallPiece(call_id, call.name, call.arguments)
        yield Finished()


async def serve_wizard(url: str, token: str, desk: WizardDesk) -> None:
    """Connect and let the person play one session after the other until the gateway closes."""

    @asynccontextmanager
    async def session(start: SessionStart, sid: str) -> AsyncIterator[RemoteAgent]:
        desk.begin(start, sid)
        try:
            yield WizardAgent(desk)
        finally:
            desk.end()

    await serve_remote(url, token, session)
