from hypothesis import given
from hypothesis import strategies as st

from vehicle_bus.world.build.chance import Chance


@given(st.integers(), st.integers(0, 50), st.integers(0, 50))
def test_draws_stay_within_their_bounds(seed: int, lowest: int, more: int) -> None:
    chance = Chance(seed, "bounds")
    assert lowest <= chance.whole(lowest, lowest + more) <= lowest + more
    assert lowest <= chance.between(lowest, lowest + more) <= lowest + more
    assert chance.weighted({"never": 0, "always": 1}) == "always"
    drawn = chance.some_of(range(more + 1), more)
    assert len(set(drawn)) == more


def test_draws_are_the_same_in_every_python() -> None:
    chance = Chance(1, "pinned")
    assert [chance.whole(1, 100) for _ in range(6)] == [26, 1, 63, 97, 42, 19]
