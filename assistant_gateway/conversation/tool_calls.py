"""The agent's tool calls on their way to the car and back: pure, in session time."""

import re
from collections import deque
from itertools import count

from assistant_gateway.conversation.effects import OpenCall, SendCommand, ToAgent
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.protocol import ConfirmedCall, ToolCall, ToolResult
from assistant_gateway.timing.timeline import SECOND
from vehicle_bus.contract import Reply

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class ToolCalls:
    """One call after the other, in listed order: the first of `_open` is with the car.

    A successful call of a tool that `ends_conversation` ends the session.
    """

    def __init__(self, floor: Floor, ends_conversation: frozenset[str]) -> None:
        self.unanswered: set[str] = set()  # ids of calls that the car did not answer in time
        self._floor = floor
        self._ends_conversation = ends_conversation
        self._open: deque[OpenCall] = deque()
        self._numbers = count(1)
        self._ends_session = False

    @property
    def busy(self) -> bool:
        """Whether the car works on a call, of whatever turn."""
        return bool(self._open)

    @property
    def owes_this_turn(self) -> bool:
        """Whether a call of the turn that lasts is still open."""
        return any(call.turn == self._floor.turn.number for call in self._open)

    def asked(self, body: ToolCall, cid: str, at_ns: int) -> None:
        """A call of the agent: it is carried out after all earlier ones."""
        turn = self._floor.turn.number
        call = OpenCall(f"c{next(self._numbers)}", cid, body.name, body.arguments, turn)
        if TOOL_NAME.fullmatch(body.name) is None:
            self._answer(call, "", f"no tool can be named {body.name[:80]!r}", at_ns)
            return
        self._open.append(call)
        if len(self._open) == 1:
            self._send_first(at_ns)

    def reply(self, reply: Reply, at_ns: int) -> None:
        """The car's answer to the running call; answers to calls given up are only remembered."""
        changed = reply.status == "SUCCESS" and reply.revision_after > reply.revision_before
        call = self._carried_out(reply.call_id, reply.revision_after, at_ns, changed=changed)
        if call is None:
            return
        if reply.status == "SUCCESS":
            self._confirm(call)
            self._ends_session = self._ends_session or call.tool in self._ends_conversation
        self._close(call, reply.output, None, at_ns)

    def reply_lost(self, call_id: str, revision: int, at_ns: int, *, changed: bool) -> None:
        """The car will not answer a call, as the agent learns when it is overdue."""
        call = self._carried_out(call_id, revision, at_ns, changed=changed)
        if call is not None and changed:  # the driver sees what the agent is not told
            self._confirm(call)

    def overdue(self, call: OpenCall, at_ns: int) -> None:
        """The reply of the car is given up; the agent is answered with an error."""
        if not self._open or self._open[0] is not call:
            return
        waited_s = self._floor.plan.tool_timeout_ns / SECOND
        self.unanswered.add(call.call_id)
        error = f"the car did not answer {call.tool} within {waited_s:g} s"
        self._close(call, "", error, at_ns)

    def drop_waiting(self, at_ns: int) -> None:
        """Calls that have not begun are not carried out any more."""
        while len(self._open) > 1:
            call = self._open[1]
            del self._open[1]
            result = ToolResult(error="not carried out: the driver spoke first", now_ns=at_ns)
            self._floor.effects.append(ToAgent(result, call.turn, cid=call.cid))

    def hang_up_if_due(self, at_ns: int) -> None:
        """After a phone call was placed the session ends, once its message is complete."""
        floor = self._floor
        if not self._ends_session or floor.message or self.busy:
            return
        if floor.is_agents:
            floor.turn.rings()
        floor.give_up(at_ns, "call_placed")

    def _confirm(self, call: OpenCall) -> None:
        self._floor.confirmed.append(ConfirmedCall(tool=call.tool, arguments=call.arguments))

    def _send_first(self, at_ns: int) -> None:
        call, floor = self._open[0], self._floor
        floor.timeouts.await_reply(call, at_ns + floor.plan.tool_timeout_ns)
        floor.effects.append(SendCommand(call))

    def _carried_out(
        self, call_id: str, revision: int, at_ns: int, *, changed: bool
    ) -> OpenCall | None:
        """The running call if it is this one; what it changed is an effect of the turn."""
        floor = self._floor
        floor.revision = max(floor.revision, revision)
        if not self._open or self._open[0].call_id != call_id:
            return None
        if changed and self._open[0].turn == floor.turn.number:
            floor.turn.effect_ns = at_ns
        return self._open[0]

    def _close(self, call: OpenCall, output: str, error: str | None, at_ns: int) -> None:
        self._open.popleft()
        self._floor.timeouts.replied(call)
        self._answer(call, output, error, at_ns)
        if self._open:
            self._send_first(at_ns)
        self.hang_up_if_due(at_ns)

    def _answer(self, call: OpenCall, output: str, error: str | None, at_ns: int) -> None:
        result = ToolResult(output=output, error=error, now_ns=at_ns)
        floor = self._floor
        floor.effects.append(ToAgent(result, call.turn, cid=call.cid))
        if floor.state == "agent" and call.turn == floor.turn.number:
            floor.timeouts.await_words(floor.turn, at_ns)
