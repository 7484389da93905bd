from evaluator.record.record import Entry, Record
from evaluator.views.transcript import transcript
from tests.evaluator.episodes import Episode


def test_an_episode_reads_like_a_conversation() -> None:
    episode = Episode().said("driver", "fan to two").call("set_fan_speed", level=2)
    episode.said("agent", "Fan is at two.").turn().end()
    lines = [(line.who, line.what, line.text) for line in transcript(episode.record)]
    assert lines[0] == ("driver", "said", "fan to two")
    assert ("agent", "call", "set_fan_speed(level=2)") in lines
    assert ("car", "state", "fan_speed=2") in lines
    assert ("agent", "said", "Fan is at two.") in lines
    assert lines[-2:] == [("driver", "control", "STOP ()"), ("bench", "end", "STOP")]
    times = [line.t_ns for line in transcript(episode.record)]
    assert times == sorted(times)


def test_what_nobody_can_read_is_still_shown() -> None:
    record = Record("car-1", (*Episode().record.entries, Entry("command/think", b"\xff\xff")))
    assert ("unreadable", "command/think (2 bytes)") in [
        (line.what, line.text) for line in transcript(record)
    ]


def test_a_call_the_car_never_answered_says_so() -> None:
    record = Episode().call("set_fan_speed", level=2, answered=False).record
    assert [line.text for line in transcript(record)] == ["set_fan_speed(level=2)", "none"]
