import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehicle_bus.world.numbering import CHOICES, Numbering

KEYS = st.sampled_from(["poi_res", "rll_mun_ber", "rlp_wür_cha", "plg_cha"])
INDEXES = st.integers(0, CHOICES - 1)


@given(KEYS, INDEXES, st.integers(0, 9))
def test_an_id_tells_what_it_was_made_for(key: str, index: int, seed: int) -> None:
    identifier = Numbering(seed).id_of(key, index)
    assert identifier.startswith(f"{key}_")
    assert len(identifier) == len(key) + len("_123456")
    assert identifier[len(key) + 1 :].isdigit()
    assert Numbering(seed).index_of(identifier) == index


@given(KEYS, INDEXES, INDEXES)
def test_no_id_is_given_twice(key: str, one: int, other: int) -> None:
    numbering = Numbering(1)
    assert (numbering.id_of(key, one) == numbering.id_of(key, other)) == (one == other)


def test_another_seed_numbers_otherwise() -> None:
    assert Numbering(1).id_of("poi_res", 0) != Numbering(2).id_of("poi_res", 0)


@pytest.mark.parametrize(
    "text", ["", "poi", "poi_res_", "poi_res_12", "poi_res_01234", "x_1234567"]
)
def test_what_is_no_id_stands_for_nothing(text: str) -> None:
    assert Numbering(1).index_of(text) is None


@given(st.text(max_size=24))
def test_any_text_can_be_asked_about(text: str) -> None:
    index = Numbering(1).index_of(text)
    assert index is None or 0 <= index < CHOICES
