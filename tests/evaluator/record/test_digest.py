import random

from hypothesis import given
from hypothesis import strategies as st

from evaluator.record.digest import canonical_lines, digest
from evaluator.record.record import Entry, Record
from tests.evaluator.episodes import Episode
from vehicle_bus.contract import CarStatus, Command, Control, encode


def played(vin: str = "car-1", sid: str = "s-1") -> Episode:
    episode = Episode(vin=vin, sid=sid).said("driver", f"start {vin}, please")
    return episode.call("set_fan_speed", level=2).turn().end()


def with_more(record: Record, *more: Entry) -> Record:
    return Record(record.vin, (*more, *record.entries))


def test_two_equal_episodes_have_one_digest_under_any_name() -> None:
    names = [("car-1", "s-1"), ("run7-base_3-0", "run7-base_3-0"), ("x", "1")]
    assert len({digest(played(vin, sid).record) for vin, sid in names}) == 1


def test_wall_stamps_and_measured_times_are_outside() -> None:
    record = played().record
    stamped = [entry.fields for entry in record.entries]
    assert all("mono_ns" in fields for fields in stamped)
    assert not any(b"mono_ns" in line or b"took_ns" in line for line in canonical_lines(record))
    late = Episode().call("set_fan_speed", level=2).turn(late_ms=80.0).end()
    prompt = Episode().call("set_fan_speed", level=2).turn(late_ms=0.0).end()
    assert digest(late.record) == digest(prompt.record)


@given(st.integers())
def test_the_order_of_arrival_is_outside(seed: int) -> None:
    record = played().record
    entries = list(record.entries)
    random.Random(seed).shuffle(entries)
    assert digest(Record(record.vin, tuple(entries))) == digest(record)


def test_what_comes_after_the_fence_is_outside() -> None:
    record = played().record
    offline = encode(CarStatus(src="car", seq=99, n=99, online=False))
    verdict = encode(Control(src="evaluator", seq=1, n=1, word="x"))
    unnumbered = encode(Command(call_id="x"))
    more = with_more(
        record,
        Entry("status", offline),
        Entry("session/s-1/verdict", verdict),
        Entry("command/think", unnumbered),
    )
    assert digest(more) == digest(record)


def test_any_difference_in_what_happened_shows() -> None:
    base = digest(played().record)
    others = [
        Episode().said("driver", "start car-1, please").call("set_fan_speed", level=3).turn().end(),
        Episode().said("driver", "stop car-1, please").call("set_fan_speed", level=2).turn().end(),
        Episode().call("set_fan_speed", level=2).turn().end(),
        played(vin="car-12").said("driver", "more"),
    ]
    digests = {digest(other.record) for other in others[:3]}
    assert len(digests) == 3
    assert base not in digests


def test_a_lost_message_shows() -> None:
    record = played().record
    for index in range(len(record.entries)):
        rest = (*record.entries[:index], *record.entries[index + 1 :])
        assert digest(Record(record.vin, rest)) != digest(record)


def test_a_vin_is_renamed_where_it_stands_alone() -> None:
    episode = Episode(vin="car-1").said("driver", "car-1 and car-12").end()
    frame = next(line for line in canonical_lines(episode.record) if b"/frame " in line)
    assert b"VIN and car-12" in frame
