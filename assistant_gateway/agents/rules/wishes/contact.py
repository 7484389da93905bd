"""What a driver can wish for about other people; frozen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meeting:
    """One of today's meetings: by words of its topic, by its time, or the next one."""

    words: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A phone call to a person, to somebody of a meeting, or to a place."""

    name: str | None = None
    meeting: Meeting | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail; `text` None has to be asked for."""

    names: tuple[str, ...]
    meeting: Meeting | None
    text: str | None
    only_one: bool = False


@dataclass(frozen=True, slots=True)
class Agenda:
    """What is in the calendar today."""

    meeting: Meeting | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """The number or the address of somebody."""

    name: str


Contact = Call | Mail | Agenda | Details
