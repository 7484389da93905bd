"""What a car publishes: its introduction, its changes, events and replies. Pure.

Changed signals come first, then the snapshot, then the reply: who has the reply has it all.
"""

from collections.abc import Iterable
from typing import Any

from vehicle_bus.bus import Message, Publication
from vehicle_bus.car.event import Event
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import (
    TIME,
    Capabilities,
    CarEvent,
    CarStatus,
    CommandUnread,
    Reply,
    SignalChanged,
    Snapshot,
    Stamped,
    Topics,
    encode,
)
from vehicle_bus.host.command import CarCommand, HostedCar, Outcome


class CarPublications:
    """Publications of any car, stamped and numbered as they are made."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics

    def introduction(self, car: HostedCar, *, signals: bool) -> list[Publication]:
        """Status, capabilities and snapshot; with `signals` every signal as well."""
        vehicle = car.vehicle
        status = self.status(car, 0, online=True)
        capabilities = Capabilities(
            **car.stamper.next(),
            tools=vehicle.declarations(),
            changes_by_itself=car.changes_by_itself,
        )
        return [
            status,
            car.publication(self.topics.capabilities(car.vin), capabilities, retain=True),
            *self._changes(
                car,
                0,
                vehicle.revision,
                vehicle.signals().items() if signals else (),
                vehicle.snapshot(),
            ),
        ]

    def status(self, car: HostedCar, t_ns: int, *, online: bool) -> Publication:
        payload = CarStatus(**car.stamper.next(), t_ns=t_ns, online=online)
        return car.publication(self.topics.status(car.vin), payload, retain=True)

    def burst(
        self,
        command: CarCommand,
        outcome: Outcome,
        *,
        fault_id: str | None = None,
        late_ns: int = 0,
    ) -> list[Publication]:
        """All publications about a command: its changes and its reply."""
        changes = self.changes(command, outcome)
        return [*changes, self.reply(command, outcome, fault_id=fault_id, late_ns=late_ns)]

    def changes(self, command: CarCommand, outcome: Outcome) -> list[Publication]:
        """What a command changed; the car must not have changed since."""
        answer, payload, car = outcome.answer, command.payload, command.car
        if answer is None or answer.revision_after == answer.revision_before:
            return []
        return self._changes(
            car,
            payload.at_ns,
            answer.revision_after,
            answer.changes,
            car.vehicle.snapshot(),
            payload.call_id,
        )

    def reply(
        self,
        command: CarCommand,
        outcome: Outcome,
        *,
        fault_id: str | None = None,
        late_ns: int = 0,
    ) -> Publication:
        """The reply to a command; with `late_ns` as if it were that late."""
        car, payload, answer = command.car, command.payload, outcome.answer
        assert answer is not None
        reply = Reply(
            **car.stamper.next(),
            t_ns=payload.at_ns + late_ns,
            call_id=payload.call_id,
            status=answer.status,
            output=answer.output,
            revision_before=answer.revision_before,
            revision_after=answer.revision_after,
            took_ns=outcome.took_ns,
            error=answer.error,
            logged=answer.logged,
            fault=fault_id,
        )
        topic = self._reply_topic(car.vin, payload, command.message)
        return car.publication(topic, reply)._replace(correlation=command.message.correlation)

    def unread(self, car: HostedCar, message: Message, problem: str) -> Publication:
        """The answer to a command that cannot be read; it has no number, as nothing happened."""
        payload = CommandUnread(src=car.stamper.src, n=car.stamper.n, output=problem)
        topic = self._reply_topic(car.vin, Stamped(), message)
        return Publication(topic, encode(payload), correlation=message.correlation)

    def _reply_topic(self, vin: str, command: Stamped, message: Message) -> str:
        """Always below the replies of this car: it may write where those who ask may not."""
        replies = self.topics.reply(vin, "")
        wanted = message.response_topic
        if wanted and wanted.startswith(replies) and _is_level(wanted.removeprefix(replies)):
            return wanted
        return replies + (command.src if _is_level(command.src) else "anonymous")

    def events(self, car: HostedCar, events: Iterable[Event]) -> list[Publication]:
        """Of each event its changes, then the event itself."""
        publications = []
        for each in events:
            publications += self._changes(car, each.at_ns, each.revision, each.changes, each.state)
            if each.kind is not None:
                publications.append(self._event(car, each.at_ns, each.kind, each.detail))
        return publications

    def time(self, car: HostedCar, t_ns: int) -> list[Publication]:
        """That all events until now are published; in real time nobody waits for it."""
        if not car.changes_by_itself or car.pace == "live":
            return []
        return [self._event(car, t_ns, TIME, {"clock_ns": t_ns})]

    def fault(
        self,
        car: HostedCar,
        t_ns: int,
        fault: Fault,
        detail: dict[str, Any],
        fault_id: str | None = None,
    ) -> Publication:
        """The event of a fault; it gets the next id unless it has one."""
        number = fault_id or car.faults.number()
        return self._event(car, t_ns, "fault", {"id": number, "kind": fault.kind, **detail})

    def _event(self, car: HostedCar, t_ns: int, kind: str, detail: dict[str, Any]) -> Publication:
        payload = CarEvent(**car.stamper.next(), t_ns=t_ns, detail=detail)
        return car.publication(self.topics.event(car.vin, kind), payload)

    def _changes(
        self,
        car: HostedCar,
        t_ns: int,
        revision: int,
        signals: Iterable[tuple[str, Any]],
        state: dict[str, Any] | None,
        cause: str | None = None,
    ) -> list[Publication]:
        """Changed signals, and the snapshot if there is a new `state`."""
        next_stamps, topics = car.stamper.next, self.topics
        publications = [
            car.publication(
                topics.signal(car.vin, path),
                SignalChanged(
                    **next_stamps(), t_ns=t_ns, value=value, revision=revision, cause=cause
                ),
                retain=True,
            )
            for path, value in signals
        ]
        if state is not None:
            snapshot = Snapshot(
                **next_stamps(), t_ns=t_ns, revision=revision, state=state, cause=cause
            )
            publications.append(car.publication(topics.snapshot(car.vin), snapshot, retain=True))
        return publications


def _is_level(text: str) -> bool:
    """Whether a text can stand between two slashes of a topic."""
    return bool(text) and not set(text) & set("/+#\0")
