import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.record.record import Entry, Record, missing_numbers, without_duplicates
from evaluator.record.stored_form import BlobError, decode_record, encode_record
from tests.evaluator.episodes import Episode
from vehicle_bus.contract import Command, encode


def played() -> Episode:
    episode = Episode()
    episode.said("driver", "lights and fan").call("set_fog_lights", on=True)
    episode.call("set_fan_speed", level=3).said("agent", "Done.").turn()
    return episode.end()


def shuffled(record: Record, seed: int) -> Record:
    entries = list(record.entries)
    random.Random(seed).shuffle(entries)
    return Record(record.vin, tuple(entries))


def test_states_are_found_by_revision() -> None:
    record = played().record
    assert sorted(record.states) == [0, 1, 2]
    assert record.initial_state == record.state_at(0)
    assert record.final_state == record.state_at(2) == record.state_at(99)
    assert record.states[1]["fog_lights"] is True
    assert record.states[2]["fan_speed"] == 3


def test_a_call_knows_its_reply_and_the_states_around_it() -> None:
    first, second = played().record.calls
    assert (first.tool, first.arguments, first.succeeded) == ("set_fog_lights", {"on": True}, True)
    assert (first.revision_before, first.revision_after) == (0, 1)
    assert (second.revision_before, second.revision_after) == (1, 2)


def test_a_call_without_a_reply_comes_last() -> None:
    episode = Episode().call("set_fan_speed", level=1, answered=False)
    episode.call("set_fog_lights", on=True)
    assert [call.tool for call in episode.record.calls] == ["set_fog_lights", "set_fan_speed"]
    assert episode.record.calls[1].reply is None


@given(st.integers())
def test_the_order_of_arrival_changes_nothing(seed: int) -> None:
    record = played().record
    mixed = shuffled(record, seed)
    assert mixed.calls == record.calls
    assert mixed.turns == record.turns
    assert mixed.frames == record.frames
    assert mixed.final_state == record.final_state
    assert mixed.fenced() == record.fenced()


def test_a_complete_record_has_no_gap() -> None:
    record = played().record
    assert record.missing() == {}
    assert record.gap is None


def test_what_end_announced_and_is_not_there_is_a_gap() -> None:
    entries = [e for e in played().record.entries if (e.src, e.seq) not in {("car", 3), ("car", 4)}]
    record = Record("car-1", tuple(entries))
    assert record.missing() == {"car": (3, 4)}
    assert record.gap == "2 of 6 messages of car are missing, first 3"


def test_without_an_end_a_record_is_incomplete() -> None:
    record = Episode().record
    assert record.missing() == {}
    assert record.gap == "the end of the session was never recorded"


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 20)),
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.integers(1, 25))),
)
def test_missing_is_what_was_announced_minus_what_is_here(
    counts: dict[str, int], here: dict[str, set[int]]
) -> None:
    missing = missing_numbers(counts, here)
    for src, last in counts.items():
        announced = set(range(1, last + 1))
        assert set(missing.get(src, ())) == announced - here.get(src, set())


def test_a_message_delivered_twice_is_kept_once() -> None:
    record = played().record
    assert tuple(without_duplicates(record.entries * 2)) == record.entries


def test_unnumbered_messages_are_kept_and_never_a_gap() -> None:
    stray = Entry("command/set_fan_speed", encode(Command(call_id="x")))
    entries = tuple(without_duplicates((*played().record.entries, stray, stray)))
    assert entries.count(stray) == 2
    assert Record("car-1", entries).gap is None


def test_nobody_pushes_a_message_out_by_taking_its_number_first() -> None:
    record = played().record
    turn = next(entry for entry in record.entries if entry.kind == "turn")
    forged = encode(Command(src="gateway", seq=turn.seq, call_id="x"))
    entries = without_duplicates((Entry("command/think", forged), *record.entries))
    assert Record("car-1", tuple(entries)).turns == record.turns


@pytest.mark.parametrize("garbage", [b"\xff\xfe", b"[1]", b"{}", b'{"seq": "9", "call_id": 4}'])
def test_garbage_is_kept_and_spoils_nothing(garbage: bytes) -> None:
    record = played().record
    entries = (Entry("command/think", garbage), Entry("session/s-1/turn", garbage), *record.entries)
    spoilt = Record("car-1", entries)
    assert spoilt.calls == record.calls
    assert spoilt.turns == record.turns
    assert spoilt.gap is None


@given(st.lists(st.tuples(st.text(), st.binary(), st.integers(0, 2**60))))
def test_a_record_survives_being_packed(messages: list[tuple[str, bytes, int]]) -> None:
    record = Record("a vin", tuple(Entry(*message) for message in messages))
    assert decode_record(encode_record(record)) == record


def test_tool_declarations_do_not_blow_up_a_blob() -> None:
    record = played().record
    raw = sum(len(entry.payload) for entry in record.entries)
    assert raw > 20_000
    assert len(encode_record(record)) < raw / 3


@pytest.mark.parametrize(
    "blob", [b"", b"codriver-record-9\nx", encode_record(Episode().record)[:-9]]
)
def test_a_damaged_blob_says_so(blob: bytes) -> None:
    with pytest.raises(BlobError):
        decode_record(blob)
