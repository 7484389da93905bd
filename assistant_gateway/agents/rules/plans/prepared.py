"""What a plan has come to before anything is changed."""

from dataclasses import dataclass

from assistant_gateway.agents.agent import Call


@dataclass(frozen=True, slots=True)
class Prepared:
    """Calls to make, those that a rule of the car adds, and what to say besides.

    `told` is said whatever happens, `remarks` once the calls have worked. `in_order` calls are
    made one after the other, each in a message of its own.
    """

    calls: tuple[Call, ...] = ()
    by_rule: tuple[Call, ...] = ()
    told: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    in_order: bool = False


def change(name: str, **arguments: object) -> Call:
    return Call(name, dict(arguments))
