"""Ids, addresses and phone numbers: values that nobody can know without having been told."""

from collections.abc import Iterable, Iterator
from typing import Any

from evaluator.scoring.grounding import EMAIL, ID, PHONE


def identifiers(value: Any) -> frozenset[str]:
    """Those in arguments or a result; the names of fields may be ids as well."""
    return frozenset(
        text for text in _texts(value) if any(kind.match(text) for kind in (ID, EMAIL, PHONE))
    )


def unmentioned(wanted: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Those of the wanted identifiers that stand in none of the texts."""
    everything = "\n".join(texts)
    return sorted(one for one in wanted if one not in everything)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for name, inner in value.items():
                yield str(name)
                yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)
        case str():
            yield value
