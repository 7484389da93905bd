"""Holds every payload that tests put on a real bus or socket against the contract.

Tapped are the routing of the embedded broker, what our own bus clients publish to any broker, and
both directions of the gateway's sockets. A test fails if something in it does not fit; one that
sends such things on purpose says so with `@pytest.mark.malformed("why")`.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import orjson
import pytest

from tests.contract_listening import FOLDER, listen

DRAFT = "http://json-schema.org/draft-07/schema#"
LONGEST = 200


class Misfit(NamedTuple):
    """A payload that the contract does not allow."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


class Tap:
    """Counts payloads by place, and keeps those that do not fit until somebody takes them."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.misfits: list[Misfit] = []

    def bus(self, place: str, topic: str, payload: bytes) -> None:
        """A message of the bus; other topics are no business of ours, empty ones only clear."""
        if not payload or not topic.startswith(_prefix()):
            return
        names = next((names for pattern, names in _topics() if pattern.fullmatch(topic)), ())
        self._check(place, topic, names, payload)

    def socket(self, place: str, path: str, raw: str | bytes) -> None:
        """A frame of a socket."""
        self._check(f"{place} {path}", path, None, raw)

    def _check(
        self, place: str, where: str, names: tuple[str, ...] | None, raw: str | bytes
    ) -> None:
        self.seen[place] += 1
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            self.misfits.append(Misfit(f"{place} {where}", f"no JSON ({error})"))
            return
        if names is None:
            kind = value.get("type") if isinstance(value, dict) else None
            names = (f"{'to' if place.startswith('sent') else 'from'}_{where[1:]}.{kind}",)
        validators = [each for name in names if (each := _validator(name)) is not None]
        if any(each.is_valid(value) for each in validators):
            return
        why = "is not in the contract" if not validators else _why(validators[0], value)
        self.misfits.append(Misfit(f"{place} {where}", f"{why}: {str(raw)[:LONGEST]}"))


def _why(validator: Any, value: Any) -> str:
    error = next(iter(validator.iter_errors(value)))
    return f"{'.'.join(map(str, error.instance_path))} {error.message}"[:LONGEST]


@cache
def _document() -> dict[str, Any]:
    from evaluator.contract_document.asyncapi import document

    return document()


@cache
def _validator(message: str) -> Any | None:
    components = _document()["components"]
    if message not in components["messages"]:
        return None
    reference = f"#/components/messages/{message}/payload"
    return jsonschema_rs.validator_for(
        {"$schema": DRAFT, "$ref": reference, "components": components}
    )


@cache
def _topics() -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    """The topics of the document as patterns, each with the names of its messages."""
    found = []
    for channel in _document()["channels"].values():
        address = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", channel["address"])
        address = address.replace("(?P<path>[^/]+)", ".+")
        found.append((re.compile(address), tuple(channel["messages"])))
    return found


@cache
def _prefix() -> str:
    from vehicle_bus.contract import Topics

    return f"{Topics().prefix}/"


class ContractPlugin:
    """Fails tests whose payloads do not fit, and says at the end how many did."""

    def __init__(self) -> None:
        self._tap = Tap()
        self._exempt = 0
        self._misfits = 0
        self._read: dict[str, int] = {}
        self._children = tempfile.TemporaryDirectory(prefix="contract-")
        os.environ[FOLDER] = self._children.name
        listen(self._tap)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        yield
        self._hear_children()
        misfits, self._tap.misfits = self._tap.misfits, []
        if item.get_closest_marker("malformed") is not None:
            self._exempt += len(misfits)
        elif misfits:
            self._misfits += len(misfits)
            shown = "\n".join(map(str, misfits[:5]))
            pytest.fail(f"{len(misfits)} payloads are not in the contract:\n{shown}", pytrace=False)

    def _hear_children(self) -> None:
        """What commands that are still at work have not yet written to the end comes later."""
        for file in Path(self._children.name).iterdir():
            begun = self._read.get(file.name, 0)
            with file.open("rb") as lines:
                lines.seek(begun)
                whole = lines.read().rpartition(b"\n")[0]
            self._read[file.name] = begun + len(whole) + bool(whole)
            for line in whole.splitlines():
                kind, place, where, raw = orjson.loads(line)
                place = f"{place} by commands"
                if kind == "bus":
                    self._tap.bus(place, where, raw.encode())
                else:
                    self._tap.socket(place, where, raw)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["contract"] = [dict(self._tap.seen), self._exempt, self._misfits]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        seen, exempt, misfits = getattr(node, "workeroutput", {}).get("contract", ({}, 0, 0))
        self._tap.seen.update(seen)
        self._exempt += exempt
        self._misfits += misfits

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        seen = self._tap.seen.total()
        if not seen:
            return
        places = ", ".join(f"{name} {number}" for name, number in sorted(self._tap.seen.items()))
        meant = seen - self._exempt
        share = 100 * (meant - self._misfits) / meant if meant else 100
        terminalreporter.write_line(
            f"contract: {meant - self._misfits} of {meant} payloads fit ({share:.2f} %), "
            f"{self._exempt} malformed on purpose; {places}"
        )
