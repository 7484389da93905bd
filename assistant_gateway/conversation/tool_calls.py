"""The agent's tool calls on their way to the car and back: pure, in session time."""

import re

from assistant_gateway.conversation.call_queue import CallQueue, OpenCall
from assistant_gateway.conversation.effects import CallOverdue, SendCommand, ToAgent
from assistant_gateway.conversation.floor import Floor
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.protocol import ToolCall, ToolResult
from assistant_gateway.timing.timeline import SECOND
from vehicle_bus.contract import Reply

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class ToolCalls:
    """One call after the other; a successful one that `ends_conversation` ends the session."""

    def __init__(self, floor: Floor, ends_conversation: frozenset[str]) -> None:
        self.unanswered: set[str] = set()
        self._floor = floor
        self._ends_conversation = ends_conversation
        self._calls = CallQueue()
        self._hanging_up = False

    @property
    def busy(self) -> bool:
        """Whether the car works on a call, of whatever turn."""
        return self._calls.running is not None

    @property
    def owes_this_turn(self) -> bool:
        """Whether a call of the turn that lasts is still open."""
        return self._calls.any_of(self._floor.turn.number)

    def asked(self, body: ToolCall, cid: str, at_ns: int) -> None:
        """The agent wants something done, after all it wanted before."""
        call = self._calls.numbered(cid, body.name, body.arguments, self._floor.turn.number)
        if TOOL_NAME.fullmatch(body.name) is None:
            self._answer(call, "", f"no tool can be named {body.name[:80]!r}", at_ns)
            return
        self._calls.add(call)
        self._run_next(at_ns)

    def reply(self, reply: Reply, at_ns: int) -> None:
        """The answer to the running call; answers to calls given up are only remembered."""
        changed = reply.status == "SUCCESS" and reply.revision_after > reply.revision_before
        call = self._carried_out(reply.call_id, reply.revision_after, at_ns, changed=changed)
        if call is None:
            return
        if reply.status == "SUCCESS" and call.tool in self._ends_conversation:
            self._hanging_up = True
        self._close(call, reply.output, None, at_ns)

    def unheard(self, call_id: str, revision: int, at_ns: int, *, changed: bool) -> None:
        """The car is known not to answer a call; whoever made it learns that from its silence."""
        self._carried_out(call_id, revision, at_ns, changed=changed)

    def overdue(self, call: OpenCall, at_ns: int) -> None:
        """Nobody waits for the car any longer."""
        if self._calls.running is not call:
            return
        waited_s = self._floor.plan.tool_timeout_ns / SECOND
        self.unanswered.add(call.call_id)
        error = f"the car did not answer {call.tool} within {waited_s:g} s"
        self._close(call, "", error, at_ns)

    def drop_waiting(self, at_ns: int) -> None:
        """What has not begun is not carried out any more."""
        for call in self._calls.drop_waiting():
            result = ToolResult(error="not carried out: the driver spoke first", now_ns=at_ns)
            self._floor.effects.append(ToAgent(result, call.turn, cid=call.cid))

    def hang_up_if_due(self, at_ns: int) -> None:
        """A call was placed: the session ends once its batch is complete."""
        floor = self._floor
        if not self._hanging_up or floor.message or self.busy:
            return
        if floor.is_agents:
            _rings(floor.turn)
            floor.finish_turn(at_ns, handed_over=False)
        floor.end("call_placed")

    def _run_next(self, at_ns: int) -> None:
        if (call := self._calls.next()) is not None:
            overdue_ns = at_ns + self._floor.plan.tool_timeout_ns
            call.deadline = self._floor.timeline.at(overdue_ns, CallOverdue(call))
            self._floor.effects.append(SendCommand(call))

    def _carried_out(
        self, call_id: str, revision: int, at_ns: int, *, changed: bool
    ) -> OpenCall | None:
        """The running call if it is this one; what it changed is an effect of the turn."""
        floor = self._floor
        floor.revision = max(floor.revision, revision)
        call = self._calls.running
        if call is None or call.call_id != call_id:
            return None
        if changed and call.turn == floor.turn.number:
            floor.turn.effect_ns = at_ns
        return call

    def _close(self, call: OpenCall, output: str, error: str | None, at_ns: int) -> None:
        self._calls.close(call)
        self._answer(call, output, error, at_ns)
        self._run_next(at_ns)
        self.hang_up_if_due(at_ns)

    def _answer(self, call: OpenCall, output: str, error: str | None, at_ns: int) -> None:
        result = ToolResult(output=output, error=error, now_ns=at_ns)
        floor = self._floor
        floor.effects.append(ToAgent(result, call.turn, cid=call.cid))
        if floor.state == "agent" and call.turn == floor.turn.number:
            floor.timeouts.await_words(floor.turn, at_ns)


def _rings(turn: Turn) -> None:
    """The ringing is what the driver hears first."""
    if turn.effect_ns is None:
        return
    if turn.playout.started_ns is None:
        turn.playout.segments.append((turn.effect_ns, turn.effect_ns))
    turn.content_ns = turn.content_ns or turn.effect_ns
