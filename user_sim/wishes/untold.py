"""What a driver wants to be told and has not heard so far."""

from collections.abc import Collection

from assistant_gateway.wording.quantities import Quantity, quantities
from assistant_gateway.wording.values import Amount, Name, Value, Wording
from user_sim.understanding.values import names, values
from user_sim.wants import Owed
from user_sim.wishes.moment import OwnWords


class Untold:
    """What was not told of all that is `owed`. A wrong value of the right kind counts as told."""

    def __init__(self, owed: Collection[Owed], own: OwnWords) -> None:
        self._owed = owed
        self._left = list(owed)
        self._names = own.name_words | own.words

    def hear(self, text: str, request: int, said: str) -> None:
        """A turn that was heard after the request; `said` is what the driver has said for it."""
        self._left = [
            owed for owed in self._left
            if owed.request > request
            or not any(self._is_told(value, text, said) for value in owed.values)
        ]  # fmt: skip

    def is_known(self, request: int) -> bool:
        """Whether it is known what a request wants to be told."""
        return any(owed.request == request for owed in self._owed)

    def is_left(self, request: int) -> bool:
        return any(owed.request == request for owed in self._left)

    def _is_told(self, value: Value, text: str, said: str) -> bool:
        if value.is_told(text):
            return True
        match value:
            case Amount(Quantity(unit=unit)):
                known = {each.amount for each in quantities(said) if each.unit == unit}
                return any(
                    each.unit == unit and each.amount not in known for each in quantities(text)
                )
            case Name():
                return bool(set(map(str.lower, names(text))) - self._names)
            case Wording(affirmed, shown):
                kinds = {kind for kind, _ in values(f"{affirmed} {shown}")}
                return any(kind in kinds for kind, _ in values(f"x {text}") - values(f"x {said}"))
        return value.is_of_kind_in(text)
