"""Who gets a message: subscriptions, shared groups and the retained store. Pure."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from vehicle_bus.broker.broker_message import BrokerMessage
from vehicle_bus.mqtt.topic_filter import FilterTree, is_filter, matches


@dataclass(frozen=True, slots=True)
class Subscribed:
    """What one client asked for under one filter."""

    client: str
    qos: int
    identifier: int | None = None
    no_local: bool = False
    retain_as_published: bool = False


class Delivery(NamedTuple):
    """One message for one client; `group` names the shared subscription it was drawn for."""

    client: str
    message: BrokerMessage
    qos: int
    retain: bool = False
    ids: tuple[int, ...] = ()
    group: str | None = None


@dataclass(slots=True)
class _Group:
    """Members of a shared subscription, served in turn."""

    name: str
    members: dict[str, Subscribed] = field(default_factory=dict)
    turn: int = 0

    def draw(self) -> Subscribed:
        members = list(self.members.values())
        self.turn = (self.turn + 1) % len(members)
        return members[self.turn]


def shared(pattern: str) -> tuple[str, str] | None:
    """Take `$share/GROUP/FILTER` apart; None for an ordinary filter."""
    if not pattern.startswith("$share/"):
        return None
    group, _, inner = pattern.removeprefix("$share/").partition("/")
    return group, inner


def is_subscribable(pattern: str) -> bool:
    """Whether a client may write this in a SUBSCRIBE at all."""
    parts = shared(pattern)
    if parts is None:
        return is_filter(pattern) and not pattern.startswith("$")
    group, inner = parts
    return bool(group) and not ({"+", "#"} & set(group)) and is_filter(inner)


class Routing:
    """Subscriptions by client id, and the last retained message of each topic."""

    def __init__(self) -> None:
        self._tree: FilterTree[Subscribed | _Group] = FilterTree()
        self._groups: dict[str, _Group] = {}
        self._filters: defaultdict[str, set[str]] = defaultdict(set)
        self._retained: dict[str, BrokerMessage] = {}

    def subscribe(self, pattern: str, subscribed: Subscribed) -> bool:
        """Enter a subscription; False if the client had this filter before."""
        client = subscribed.client
        is_new = pattern not in self._filters[client]
        self._filters[client].add(pattern)
        parts = shared(pattern)
        if parts is None:
            self._tree.put(pattern, client, subscribed)
            return is_new
        group = self._groups.get(pattern)
        if group is None:
            group = self._groups[pattern] = _Group(pattern)
            self._tree.put(parts[1], pattern, group)
        group.members[client] = subscribed
        return is_new

    def unsubscribe(self, client: str, pattern: str) -> bool:
        """Take a subscription back; False if there was none."""
        if pattern not in self._filters.get(client, ()):
            return False
        self._filters[client].discard(pattern)
        parts = shared(pattern)
        if parts is None:
            return self._tree.remove(pattern, client)
        group = self._groups[pattern]
        del group.members[client]
        if not group.members:
            del self._groups[pattern]
            self._tree.remove(parts[1], pattern)
        return True

    def forget(self, client: str) -> None:
        """Take back every subscription of a client."""
        for pattern in tuple(self._filters.get(client, ())):
            self.unsubscribe(client, pattern)
        self._filters.pop(client, None)

    def publish(self, message: BrokerMessage, sender: str, now_s: float) -> list[Delivery]:
        """Keep a retained message, and say who gets it now: each client once, groups in turn."""
        if message.packet.retain:
            self._keep(message, now_s)
        own: dict[str, Delivery] = {}
        drawn: list[Delivery] = []
        for found in self._tree.find(message.packet.topic):
            if isinstance(found, _Group):
                drawn.append(_delivery(message, found.draw(), group=found.name))
            elif not (found.no_local and found.client == sender):
                delivery = _delivery(message, found)
                before = own.get(found.client)
                own[found.client] = delivery if before is None else _merged(before, delivery)
        return [*own.values(), *drawn]

    def redraw(self, lost: Delivery) -> Delivery | None:
        """The next member of the group for a message whose receiver went before taking it."""
        group = self._groups.get(lost.group or "")
        return None if group is None else _delivery(lost.message, group.draw(), group=group.name)

    def retained(self, pattern: str, subscribed: Subscribed, now_s: float) -> list[Delivery]:
        """The kept messages a new subscription starts with; shared ones get none."""
        if shared(pattern) is not None:
            return []
        topics = [topic for topic in self._retained if matches(pattern, topic)]
        messages = [self._retained[topic] for topic in topics]
        for message in messages:
            if message.expired(now_s):
                del self._retained[message.packet.topic]
        ids = () if subscribed.identifier is None else (subscribed.identifier,)
        return [
            Delivery(subscribed.client, message, min(message.qos, subscribed.qos), True, ids)
            for message in messages
            if not message.expired(now_s)
        ]

    def _keep(self, message: BrokerMessage, now_s: float) -> None:
        if message.packet.payload and not message.expired(now_s):
            self._retained[message.packet.topic] = message
        else:
            self._retained.pop(message.packet.topic, None)


def _delivery(message: BrokerMessage, subscribed: Subscribed, group: str | None = None) -> Delivery:
    return Delivery(
        subscribed.client,
        message,
        min(message.qos, subscribed.qos),
        message.packet.retain and subscribed.retain_as_published,
        () if subscribed.identifier is None else (subscribed.identifier,),
        group,
    )


def _merged(one: Delivery, other: Delivery) -> Delivery:
    return Delivery(
        one.client,
        one.message,
        max(one.qos, other.qos),
        one.retain or other.retain,
        one.ids + other.ids,
    )
