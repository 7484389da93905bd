import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.commands.world.files import build_own, import_public, info
from evaluator.problems import InfraProblem, Problem, UsageProblem
from evaluator.task.selection import load_world
from evaluator.task.worlds import own_world, own_world_file, world_checksum, world_file
from tests.evaluator.command_line import codriver
from vehicle_bus.world.cache import built_world_path, imported_world_path

MUNICH = {"id": "loc_mun_1", "name": "Munich", "position": {"longitude": 11.6, "latitude": 48.1}}
LINZ = {"id": "loc_lin_2", "name": "Linz", "position": {"longitude": 14.3, "latitude": 48.3}}
ROUTE: dict[str, Any] = {
    "route_id": "rll_mun_lin_3",
    "start_id": "loc_mun_1",
    "destination_id": "loc_lin_2",
    "name_via": "A8",
    "distance_km": 260.5,
    "duration_hours": 2,
    "duration_minutes": 50,
    "road_types": ["highway"],
    "includes_toll": False,
    "alias": ["fastest", "first", "shortest"],
}
Printed = Callable[[], dict[str, Any]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """The one JSON object on stdout."""

    def read() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return read


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A partial world of two cities and a route, and a cache that holds our own world alone."""
    own = own_world_file()
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("CODRIVER_CACHE", str(cache))
    built_world_path().symlink_to(own)
    world = tmp_path / "world"
    world.mkdir()
    for name in ("weather", "contacts", "calendars"):
        (world / f"{name}.jsonl").write_text("")
    write(world / "locations.jsonl", MUNICH, LINZ)
    write(world / "routes.jsonl", {"route_id": ROUTE["route_id"], "route": ROUTE})
    return world


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_info_tells_what_our_own_world_holds(printed: Printed) -> None:
    info(None, 1, as_json=True)
    fields = printed()
    assert fields["path"] == str(own_world_file())
    assert (fields["origin"], fields["seed"], fields["format"]) == ("built", 1, 1)
    assert fields["counts"]["pois"] == sum(fields["pois_by_category"].values()) >= 130_000
    assert fields["counts"]["routes"] >= 1_700_000
    assert fields["size_mb"] <= 200
    assert len(fields["checksum"]) == 32


def test_a_world_that_is_there_is_not_built_again(printed: Printed) -> None:
    build_own(1, force=False, as_json=True)
    fields = printed()
    assert (fields["built"], fields["took_s"]) == (False, None)


def test_people_read_about_a_world_too(capsys: pytest.CaptureFixture[str]) -> None:
    info(None, 1, as_json=False)
    text = capsys.readouterr().out
    assert "48 locations" in text
    assert "built, seed 1, format 1" in text


def test_the_command_line_knows_worlds(tmp_path: Path) -> None:
    done = codriver("world", "info", "--json", "--seed", "1", folder=tmp_path)
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout)["seed"] == 1


def test_an_import_is_used_instead_of_its_folder(folder: Path, printed: Printed) -> None:
    assert world_file(folder) is None
    assert load_world(None, folder).routes("loc_mun_1", "loc_lin_2") == [ROUTE]
    import_public(folder, None, as_json=True)
    fields = printed()
    assert (fields["origin"], fields["seed"]) == ("imported", None)
    assert fields["source"] == str(folder)
    assert (fields["counts"]["locations"], fields["counts"]["routes"]) == (2, 1)
    world = load_world(None, folder)
    assert world_file(folder) == imported_world_path(folder)
    assert world.routes("loc_mun_1", "loc_lin_2") == [ROUTE]
    info(folder, 1, as_json=True)
    assert printed() == {key: value for key, value in fields.items() if key != "took_s"}


def test_an_import_of_a_folder_that_changed_is_not_used(folder: Path) -> None:
    import_public(folder, None, as_json=True)
    write(folder / "locations.jsonl", MUNICH)
    assert world_file(folder) is None
    world = load_world(None, folder)
    assert len(world.locations()) == 1


def test_a_run_notes_what_its_world_holds(folder: Path, printed: Printed) -> None:
    info(None, 1, as_json=True)
    assert world_checksum(None, None) == printed()["checksum"]
    before = world_checksum(folder.parent, None)
    assert before == world_checksum(None, folder)
    write(folder / "locations.jsonl", MUNICH)
    assert world_checksum(None, folder) != before


def test_a_world_file_can_lie_anywhere(folder: Path, printed: Printed) -> None:
    out = folder.parent / "elsewhere" / "two.sqlite"
    import_public(folder, out, as_json=True)
    assert printed()["path"] == str(out)
    world = load_world(None, out)
    assert [row["name"] for row in world.locations()] == ["Munich", "Linz"]


def test_a_complete_world_is_imported_by_itself(folder: Path) -> None:
    (folder / "routes.jsonl").unlink()
    write(folder / "routes_location_location.jsonl", ROUTE)
    world = load_world(None, folder)
    assert world.route(ROUTE["route_id"]) == ROUTE
    assert world_file(folder) == imported_world_path(folder)


def test_later_rows_replace_earlier_ones(folder: Path, printed: Printed) -> None:
    def poi(name: str, location_id: str) -> dict[str, Any]:
        return {
            "id": "poi_bak_1",
            "name": name,
            "category": "bakery",
            "position": {"longitude": 11.6, "latitude": 48.1},
            "opening_hours": "06:00h - 12:00h",
            "phone_number": "+49 1",
            "corresponding_location_id": location_id,
        }

    write(folder / "pois.jsonl", poi("Old", "loc_mun_1"), poi("New", "loc_lin_2"))
    import_public(folder, None, as_json=True)
    assert printed()["counts"]["pois"] == 1
    world = load_world(None, folder)
    assert world.pois_at("loc_mun_1", "bakery") == []
    assert [row["name"] for row in world.pois_at("loc_lin_2", "bakery")] == ["New"]


def test_a_broken_folder_is_named_and_nothing_is_imported(folder: Path) -> None:
    (folder / "contacts.jsonl").write_text("{")
    with pytest.raises(UsageProblem, match=r"contacts\.jsonl:1"):
        import_public(folder, None, as_json=True)
    assert list((folder.parent / "cache").iterdir()) == [built_world_path()]
    write(folder / "contacts.jsonl")
    write(folder / "routes.jsonl", {"route_id": "rll_mun_lin_3"})
    with pytest.raises(UsageProblem, match="a row lacks 'start_id'"):
        import_public(folder, None, as_json=True)


@pytest.mark.parametrize("name", ["nowhere", "text"])
def test_what_is_no_world_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("no world")
    with pytest.raises(UsageProblem, match="neither a world file nor a folder"):
        load_world(None, tmp_path / name)
    with pytest.raises(UsageProblem, match="is no folder"):
        import_public(tmp_path / name, None, as_json=False)


def test_a_damaged_world_is_noticed(folder: Path) -> None:
    out = folder.parent / "two.sqlite"
    import_public(folder, out, as_json=True)
    connection = sqlite3.connect(out)
    with connection:
        connection.execute("DELETE FROM route")
    connection.close()
    with pytest.raises(Problem, match="damaged"):
        info(out, 1, as_json=True)


def test_a_cache_that_cannot_be_written_is_reported_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CODRIVER_CACHE", str(tmp_path / "file"))
    with pytest.raises(InfraProblem, match="CODRIVER_CACHE names another folder"):
        own_world()


def test_own_tasks_play_in_the_built_world() -> None:
    assert len(load_world(None, None).locations()) == 48
    assert os.environ["CODRIVER_CACHE"] in str(own_world_file())
