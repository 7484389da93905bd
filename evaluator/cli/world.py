"""`codriver world`: build and import worlds, and look things up in them."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import Json, WorldFrom

WorldSeed = Annotated[
    int,
    typer.Option(
        "--world-seed",
        "--seed",
        envvar="CODRIVER_WORLD_SEED",
        help="Another seed makes another world; own tasks play in the one of seed 1.",
    ),
]


def build_world(
    seed: WorldSeed = 1,
    force: Annotated[
        bool,
        typer.Option(
            "--force/--no-force",
            envvar="CODRIVER_WORLD_BUILD_FORCE",
            help="Build it even if it is there.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Build our own world into the cache folder; a run does so by itself when it needs it."""
    from evaluator.commands.world import build_own

    build_own(seed, force=force, as_json=json_)


def world_info(world: WorldFrom = None, seed: WorldSeed = 1, json_: Json = False) -> None:
    """Say what a world holds, and the checksum of its content: the same on every machine."""
    from evaluator.commands.world import info

    info(world, seed, as_json=json_)


def import_world(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the public format.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--world-out",
            "--out",
            envvar="CODRIVER_WORLD_OUT",
            help="World file; default: kept in the cache for --world DIR.",
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Read the public benchmark's world, complete or partial, into one file for --world."""
    from evaluator.commands.world import import_public

    import_public(folder, out, as_json=json_)


def world_places(
    city: Annotated[str, typer.Argument(metavar="CITY", help="Its name or id.")],
    category: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_CATEGORY",
            help="Which category: bakery, charging_stations, …; default: all.",
        ),
    ] = None,
    world: WorldFrom = None,
    json_: Json = False,
) -> None:
    """List the places of a city with their ids, opening hours and plugs."""
    from evaluator.commands.world_lookup import show_places

    show_places(city, category, world, as_json=json_)


def world_routes(
    start: Annotated[str, typer.Argument(metavar="FROM", help="A city, or the id of a place.")],
    destination: Annotated[str, typer.Argument(metavar="TO", help="Likewise.")],
    world: WorldFrom = None,
    json_: Json = False,
) -> None:
    """List the routes between two places with their ids, lengths and tolls."""
    from evaluator.commands.world_lookup import show_routes

    show_routes(start, destination, world, as_json=json_)
