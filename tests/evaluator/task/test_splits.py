"""Every city and person of our world belongs to one split, and so does every included task."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from evaluator.task.splits import splits
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from tests.evaluator.runs import TASKS

WORLD = own_world()
CITIES = {row["id"]: row["name"] for row in WORLD.locations()}
PEOPLE = {row["id"]: " ".join(row["name"].values()) for row in WORLD.contacts()}
NAMES = [*CITIES.values(), *PEOPLE.values()]
ID = re.compile(r"\b(?:loc|poi|con|cal|r[lp]{2})_\w+")


def named(task: Task) -> set[str]:
    """The cities and people of a task, by id or name; those of its calendar attend a meeting."""
    text = task.model_dump_json(exclude={"task_id", "family", "twin"})
    found = {name for name in NAMES if re.search(rf"\b{name}\b", text)}
    return found.union(*(_of_id(each) for each in ID.findall(text)))


def _of_id(each: str) -> Iterator[str]:
    if (route := WORLD.route(each)) is not None:
        yield from _of_id(route["start_id"])
        yield from _of_id(route["destination_id"])
    elif (poi := WORLD.poi(each)) is not None:
        yield from _of_id(poi.get("corresponding_location_id", ""))
    elif (calendar := WORLD.calendar(each)) is not None:
        for meeting in calendar["meetings"]:
            yield from (PEOPLE[person] for person in meeting["attendees"] if person in PEOPLE)
    elif each in CITIES or each in PEOPLE:
        yield CITIES.get(each) or PEOPLE[each]


def test_each_city_and_person_of_our_world_is_in_one_split() -> None:
    assert Counter(name for split in splits().values() for name in split.people) == Counter(
        PEOPLE.values()
    )
    assert Counter(name for split in splits().values() for name in split.cities) == Counter(
        CITIES.values()
    )


def test_no_family_is_in_two_splits() -> None:
    found: dict[str, set[str | None]] = defaultdict(set)
    for task in TASKS:
        found[task.family].add(task.split)
    assert {family: each for family, each in found.items() if len(each) > 1 or None in each} == {}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_a_task_is_about_cities_and_people_of_its_split(task: Task) -> None:
    assert task.split is not None
    own = splits()[task.split]
    assert named(task) - own.cities - own.people == set()
