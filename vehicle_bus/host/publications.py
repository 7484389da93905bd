"""What a car says on the bus: how it stands, what changed, what it answers. Pure.

Changed signals come first, then the snapshot, then the reply: who has the reply has it all.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vehicle_bus.bus import Message, Publication
from vehicle_bus.car.event import Happened
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import TIME, Command, Topics
from vehicle_bus.host.command import CarCommand, HostedCar, Outcome


class CarPublications:
    """Publications of any car, stamped and numbered as they are made."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics

    def introduction(self, placed: HostedCar, *, signals: bool) -> list[Publication]:
        """Status, capabilities and snapshot; with `signals` every signal as well."""
        vin, vehicle, topics = placed.vin, placed.vehicle, self.topics
        offered = {"tools": vehicle.declarations(), "stirs": placed.stirs}
        publications = [
            placed.publication(topics.status(vin), 0, {"online": True}, retain=True),
            placed.publication(topics.capabilities(vin), 0, offered, retain=True),
        ]
        if signals:
            publications += [
                self._signal(placed, 0, path, value, None)
                for path, value in vehicle.signals().items()
            ]
        return [*publications, self._snapshot(placed, 0, None)]

    def burst(
        self, order: CarCommand, done: Outcome, *, fault_id: str | None = None, late_ns: int = 0
    ) -> list[Publication]:
        """All there is to tell about a command."""
        changes = self.changes(order, done)
        return [*changes, self.reply(order, done, fault_id=fault_id, late_ns=late_ns)]

    def changes(self, order: CarCommand, done: Outcome) -> list[Publication]:
        """What a command changed; the car must not have changed since."""
        handled, placed = done.handled, order.placed
        t_ns, call_id = order.command.at_ns, order.command.call_id
        if handled is None:
            return []
        publications = [
            self._signal(placed, t_ns, path, value, call_id) for path, value in handled.changes
        ]
        if handled.revision_after != handled.revision_before:
            publications.append(self._snapshot(placed, t_ns, call_id))
        return publications

    def reply(
        self, order: CarCommand, done: Outcome, *, fault_id: str | None = None, late_ns: int = 0
    ) -> Publication:
        """The answer to a command; with `late_ns` as if it were that late."""
        placed, command, handled = order.placed, order.command, done.handled
        assert handled is not None
        reply = placed.publication(
            self._reply_topic(placed.vin, command, order.message),
            command.at_ns + late_ns,
            {
                "call_id": command.call_id,
                "status": handled.status,
                "output": handled.output,
                "revision_before": handled.revision_before,
                "revision_after": handled.revision_after,
                "took_ns": done.took_ns,
                "error": handled.error,
                "logged": handled.logged,
                "fault": fault_id,
            },
        )
        return replace(reply, correlation=order.message.correlation)

    def _reply_topic(self, vin: str, command: Command, message: Message) -> str:
        """Always below the replies of this car: it may write where those who ask may not."""
        replies = self.topics.reply(vin, "")
        asked = message.response_topic
        if asked and asked.startswith(replies) and _is_level(asked.removeprefix(replies)):
            return asked
        return replies + (command.src if _is_level(command.src) else "anonymous")

    def _signal(
        self, placed: HostedCar, t_ns: int, path: str, value: Any, cause: str | None
    ) -> Publication:
        revision = placed.vehicle.revision
        body = {"value": value, "revision": revision, "cause": cause}
        return placed.publication(self.topics.signal(placed.vin, path), t_ns, body, retain=True)

    def _snapshot(self, placed: HostedCar, t_ns: int, cause: str | None) -> Publication:
        vehicle = placed.vehicle
        body = {"revision": vehicle.revision, "state": vehicle.snapshot(), "cause": cause}
        return placed.publication(self.topics.snapshot(placed.vin), t_ns, body, retain=True)

    def events(self, placed: HostedCar, happened: Iterable[Happened]) -> list[Publication]:
        """What is told about what happened: signals, snapshot, event."""
        publications = []
        for each in happened:
            told = {"revision": each.revision, "cause": None}
            for path, value in each.changes:
                topic = self.topics.signal(placed.vin, path)
                body = {"value": value, **told}
                publications.append(placed.publication(topic, each.at_ns, body, retain=True))
            if each.state is not None:
                topic = self.topics.snapshot(placed.vin)
                body = {"state": each.state, **told}
                publications.append(placed.publication(topic, each.at_ns, body, retain=True))
            if each.kind is not None:
                topic = self.topics.event(placed.vin, each.kind)
                publications.append(placed.publication(topic, each.at_ns, {"detail": each.detail}))
        return publications

    def time(self, placed: HostedCar, t_ns: int) -> list[Publication]:
        """That all is told that happened until now; in real time nobody waits for it."""
        if not placed.stirs or placed.pace == "live":
            return []
        detail = {"clock_ns": t_ns}
        topic = self.topics.event(placed.vin, TIME)
        return [placed.publication(topic, t_ns, {"detail": detail})]

    def fault(
        self, placed: HostedCar, t_ns: int, fault: Fault, told: dict[str, Any], name: str = ""
    ) -> Publication:
        """That a fault struck; `name` is its id if it has one already."""
        detail = {"id": name or placed.faults.number(), "kind": fault.kind, **told}
        return placed.publication(self.topics.event(placed.vin, "fault"), t_ns, {"detail": detail})


def _is_level(text: str) -> bool:
    """Whether a text can stand between two slashes of a topic."""
    return bool(text) and not set(text) & set("/+#\0")
