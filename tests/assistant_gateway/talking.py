"""Drives a conversation by hand, without sockets: frames in, effects out."""

from typing import Any

from assistant_gateway.conversation.conversation import Conversation
from assistant_gateway.conversation.effects import (
    Effect,
    NoReply,
    ToAgent,
    ToUser,
    TurnDone,
)
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import (
    Body,
    Frame,
    ResponseDone,
    UserSpeechStart,
)
from vehicle_bus.contract import Reply

PLAN = SessionPlan("s", "v", turn_classes=("B",))


class Talk:
    """Drives a conversation by hand and remembers every effect."""

    def __init__(self, plan: SessionPlan = PLAN, ends: frozenset[str] = frozenset()) -> None:
        self.conversation = Conversation(plan, ends)
        self.effects: list[Effect] = []
        self.counted: list[bool] = []
        self.messages = 1
        self.now_ns = 0

    def drain(self) -> list[Effect]:
        new = list(self.conversation.effects)
        self.conversation.effects.clear()
        self.effects += new
        return new

    def until_quiet(self, *, but: type[Any] = NoReply) -> None:
        """Let everything due happen, except events of one kind."""
        timeline = self.conversation.timeline
        while (due := timeline.peek()) is not None and not isinstance(due.event, but):
            self.now_ns = timeline.pop().due_ns
            self.conversation.due(due.event, self.now_ns)

    def driver(self, body: Body) -> list[Effect]:
        self.conversation.user_frame(Frame(body), self.now_ns)
        return self.drain()

    def says(self, text: str) -> list[Effect]:
        self.driver(UserSpeechStart(utt="u", planned_words=tuple(text.split())))
        self.until_quiet()
        return self.drain()

    def agent(
        self,
        *bodies: Body,
        cid: str | None = None,
        rid: str | None = "",
        turn: int | None = None,
        after_ns: int = 0,
    ) -> list[Effect]:
        """Parts of a message, by default of the one that is open or the next."""
        self.now_ns += after_ns
        for body in bodies:
            named = f"r{self.messages}" if rid == "" else rid
            frame = Frame(body, turn=turn, rid=named, cid=cid)
            self.counted.append(self.conversation.agent_frame(frame, self.now_ns))
            self.messages += isinstance(body, ResponseDone)
        return self.drain()

    def car(self, call_id: str, *, changes: bool = True, status: str = "SUCCESS") -> list[Effect]:
        before = self.conversation.floor.revision
        reply = Reply.model_validate(
            {
                "call_id": call_id,
                "status": status,
                "output": "{}",
                "revision_before": before,
                "revision_after": before + changes,
            }
        )
        self.conversation.calls.reply(reply, self.now_ns)
        return self.drain()


def bodies(effects: list[Effect]) -> list[Body]:
    return [effect.body for effect in effects if isinstance(effect, ToAgent | ToUser)]


def turns(talk: Talk) -> list[TurnDone]:
    talk.drain()
    return [effect for effect in talk.effects if isinstance(effect, TurnDone)]
