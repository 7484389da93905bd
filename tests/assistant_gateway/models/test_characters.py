import orjson
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.models.characters import Joint, whole_characters

ANYTHING = st.text(alphabet=st.characters())  # half characters among them


@given(ANYTHING)
def test_whatever_a_server_says_can_be_sent_on(text: str) -> None:
    assert orjson.loads(orjson.dumps(whole_characters(text))) == whole_characters(text)


@given(st.text())
def test_whole_characters_stay_as_they_are(text: str) -> None:
    assert whole_characters(text) == text


@given(st.text(), st.lists(st.integers(min_value=1, max_value=3)))
def test_pieces_make_the_text_wherever_it_was_cut(text: str, lengths: list[int]) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    joint, said, at = Joint(), "", 0
    for length in [*lengths, len(units)]:
        piece = units[at : at + 2 * length].decode("utf-16-le", "surrogatepass")
        said += joint.add(piece)
        at += 2 * length
    assert said == text
