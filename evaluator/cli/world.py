"""`codriver world`: build and import worlds, and look things up in them."""

from pathlib import Path
from typing import Annotated

from evaluator.options import Json, Option, World

WorldSeed = Annotated[
    int,
    Option(
        "Random seed of the world; own tasks need the world of seed 1.",
        flags=("--world-seed", "--seed"),
    ),
]


def build_world(
    seed: WorldSeed = 1,
    force: Annotated[
        bool, Option("Build it even if it exists.", variable="CODRIVER_WORLD_BUILD_FORCE")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build our own world into the cache folder; a run does so by itself when it needs it."""
    from evaluator.commands.world.files import build_own

    build_own(seed, force=force, as_json=as_json)


def world_info(world: World = None, seed: WorldSeed = 1, as_json: Json = False) -> None:
    """Print the contents of a world, and their checksum: the same on every machine."""
    from evaluator.commands.world.files import info

    info(world, seed, as_json=as_json)


def import_world(
    folder: Annotated[
        Path, Option("Folder of the public format, such as mock_data.", argument="DIR")
    ],
    out: Annotated[
        Path | None,
        Option(
            "World file to write; default: kept in the cache for --world DIR.",
            flags=("--world-out", "--out"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read the public benchmark's world, complete or partial, into one file for --world."""
    from evaluator.commands.world.files import import_public

    import_public(folder, out, as_json=as_json)


def world_places(
    city: Annotated[str, Option("Name or id of a city.", argument="CITY")],
    category: Annotated[
        str | None, Option("Category of places: bakery, charging_stations, …; default: all.")
    ] = None,
    world: World = None,
    as_json: Json = False,
) -> None:
    """List the places of a city with their ids, opening hours and plugs."""
    from evaluator.commands.world.lookup import show_places

    show_places(city, category, world, as_json=as_json)


def world_routes(
    start: Annotated[str, Option("A city, or the id of a place.", argument="FROM")],
    destination: Annotated[str, Option("A city, or the id of a place.", argument="TO")],
    world: World = None,
    as_json: Json = False,
) -> None:
    """List the routes between two places with their ids, lengths and tolls."""
    from evaluator.commands.world.lookup import show_routes

    show_routes(start, destination, world, as_json=as_json)
