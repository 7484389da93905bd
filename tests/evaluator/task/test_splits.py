"""Every city and person of our world belongs to one split."""

from collections import Counter

from evaluator.task.splits import splits
from evaluator.task.worlds import own_world


def test_each_city_and_person_of_our_world_is_in_one_split() -> None:
    world = own_world()
    names = [" ".join(row["name"].values()) for row in world.contacts()]
    assert Counter(name for split in splits().values() for name in split.people) == Counter(names)
    cities = [row["name"] for row in world.locations()]
    assert Counter(name for split in splits().values() for name in split.cities) == Counter(cities)
