"""What a driver wants to be told and has not heard so far."""

from collections.abc import Collection

from assistant_gateway.wording.quantities import Quantity, bare_numbers, fits, quantities
from assistant_gateway.wording.values import Amount, Name, Topic, Value, Wording
from user_sim.phrases import PHRASES
from user_sim.understanding.values import names, values
from user_sim.wants import Owed
from user_sim.wishes.moment import OwnWords


class Untold:
    """What was not told of all that is `owed`. A wrong value of the right kind counts as told."""

    def __init__(self, owed: Collection[Owed], own: OwnWords) -> None:
        self._owed = owed
        self._left = list(owed)
        self._told_before: set[Owed] = set()  # what later requests want to know
        self._names = own.name_words | own.words

    def hear(self, text: str, request: int, said: str) -> None:
        """A turn that was heard after the request; `said` is what the driver has said for it.

        An amount that is right for one thing tells nothing of another, and a wrong one only of one.
        """
        due = [owed for owed in self._left if owed.request <= request]
        later = {owed for owed in self._owed if owed.request > request}
        self._told_before |= {owed for owed in later if self._is_right_in(text, owed)}
        told = [owed for owed in due if any(_is_told(value, text) for value in owed.values)]
        amounts = [each for each in quantities(text) if not self._is_right(each)]
        for owed in due:
            if owed not in told and self._is_answered(owed, text, said, amounts):
                told.append(owed)
        self._left = [owed for owed in self._left if owed not in told]

    def _is_right(self, amount: Quantity) -> bool:
        return any(
            isinstance(value, Amount)
            and value.quantity.unit == amount.unit
            and fits(value.quantity, amount)
            for owed in self._owed for value in owed.values
        )  # fmt: skip

    def _is_answered(self, owed: Owed, text: str, said: str, amounts: list[Quantity]) -> bool:
        """Whether a value of the right kind is told; an amount is taken out of `amounts`."""
        for value in owed.values:
            if isinstance(value, Amount):
                unit = value.quantity.unit
                known = [each for each in quantities(said) if each.unit == unit]
                new = (
                    each for each in amounts
                    if each.unit == unit
                    and not any(fits(one, each) or fits(each, one) for one in known)
                )  # fmt: skip
                if (amount := next(new, None)) is not None:
                    amounts.remove(amount)
                    return True
            elif self._is_of_kind(value, text, said):
                return True
        return False

    def is_known(self, request: int) -> bool:
        """Whether it is known what a request wants to be told."""
        return any(owed.request == request for owed in self._owed)

    def is_left(self, request: int) -> bool:
        return any(owed.request == request for owed in self._left)

    def is_told_by(self, text: str, request: int) -> bool:
        """Whether a text tells the right value of something that a request wants to know."""
        due = (owed for owed in self._owed if owed.request == request)
        return any(_is_told(value, text) for owed in due for value in owed.values)

    def is_told_before(self, request: int) -> bool:
        """Whether all that a request wants to know was told before it was made."""
        due = {owed for owed in self._owed if owed.request == request}
        return bool(due) and due <= self._told_before

    @staticmethod
    def _is_right_in(text: str, owed: Owed) -> bool:
        return any(value.is_told(_without_levels(text, value)) for value in owed.values)

    def _is_of_kind(self, value: Value, text: str, said: str) -> bool:
        match value:
            case Topic():
                return value.is_of_kind_in(text)
            case Name():
                return bool(set(map(str.lower, names(text))) - self._names)
            case Wording(shown=shown) if any(each.unit != "number" for each in quantities(shown)):
                return False  # an amount in words, beside the same in figures
            case Wording(affirmed, shown):
                kinds = {kind for kind, _ in values(f"{affirmed} {shown}")}
                return any(kind in kinds for kind, _ in values(text) - values(f"x {said}"))
        return value.is_of_kind_in(text)


def _is_told(value: Value, text: str) -> bool:
    """Whether it is told, of an amount also as a bare number beside others with a unit."""
    text = _without_levels(text, value)
    bare = isinstance(value, Amount) and value.quantity.amount in bare_numbers(text)
    return bare or value.is_told(text)


def _without_levels(text: str, value: Value) -> str:
    """Without the levels of seats and the like, where the value has a unit and none is told."""
    unit = value.quantity.unit if isinstance(value, Amount) else "number"
    if unit == "number" or any(each.unit == unit for each in quantities(text)):
        return text
    return PHRASES.of_levels.sub(" ", text)
