"""Stands in for an agent that cannot be reached: every turn fails with the reason."""

from collections.abc import AsyncGenerator, Sequence

from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallAnswer,
    Finished,
    Piece,
)


class AbsentAgent:
    """Answers with what kept the agent away."""

    def __init__(self, name: str, why: AgentFailed | AgentUnavailable) -> None:
        self.name = name
        self._why = why

    async def heard(self, text: str, late: Sequence[CallAnswer] = ()) -> AsyncGenerator[Piece]:
        raise self._why
        yield Finished()  # makes this a stream

    def answered(self, answers: Sequence[CallAnswer]) -> AsyncGenerator[Piece]:
        return self.heard("")

    def interrupted(self, heard_text: str) -> None:
        return
