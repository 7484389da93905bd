"""The plain files a world is made from."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import yaml

import vehicle_bus
from vehicle_bus.data_folder import shipped
from vehicle_bus.world.json_lines import Row, WorldError, rows

WRITTEN = ("locations", "weather", "contacts", "calendars")
TABLES = ("airports", "climate", "countries", "people", "places", "skies", "streets")


@dataclass(frozen=True, slots=True)
class City:
    """A location: its row, and the country whose roads and names it has."""

    row: Row
    country: Row
    airport: str | None

    @property
    def part(self) -> str:
        """The three letters that stand for it in route ids."""
        part: str = self.row["id"][4:7]
        return part

    @property
    def language(self) -> str:
        language: str = self.country["language"]
        return language


@dataclass(frozen=True, slots=True)
class Sources:
    """What was written by hand, row by row, and what the rest is drawn from."""

    cities: tuple[City, ...]
    weather: tuple[Row, ...]
    contacts: tuple[Row, ...]
    calendars: tuple[Row, ...]
    climate: Row
    skies: Row
    places: Row
    streets: dict[str, list[str]]
    people: dict[str, list[str]]


def read_sources(cities: int | None = None) -> Sources:
    """Read `data/`; with `cities` only as many, hand-written ones first and always."""
    written = {name: tuple(rows(_folder("world") / f"{name}.jsonl")) for name in WRITTEN}
    tables = {name: _table(name) for name in TABLES}
    locations = (*written["locations"], *rows(_folder("atlas") / "cities.jsonl"))
    wanted = locations[: max(cities or len(locations), len(written["locations"]))]
    return Sources(
        cities=tuple(
            City(row, tables["countries"][row["iso2"]], tables["airports"].get(row["name"]))
            for row in wanted
        ),
        weather=written["weather"],
        contacts=written["contacts"],
        calendars=written["calendars"],
        climate=tables["climate"],
        skies=tables["skies"],
        places=tables["places"],
        streets=tables["streets"],
        people=tables["people"],
    )


def fingerprint() -> str:
    """Eight letters that change with any file a world is made from, or by."""
    digest = blake2b(digest_size=4)
    for path in _files():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    assert vehicle_bus.__file__ is not None
    yield from sorted(_folder("world").glob("*.jsonl"))
    yield from sorted(_folder("atlas").iterdir())
    yield from sorted(Path(__file__).parent.glob("*.py"))
    yield Path(__file__).parents[1] / "numbering.py"


def _folder(name: str) -> Path:
    assert vehicle_bus.__file__ is not None
    return shipped("data", vehicle_bus.__file__) / name


def _table(name: str) -> Any:
    path = _folder("atlas") / f"{name}.yaml"
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise WorldError(f"{path}: {error}") from error
