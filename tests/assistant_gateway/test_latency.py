from statistics import median

from assistant_gateway.latency import PROFILES, LatencyModel
from assistant_gateway.timeline import MS


def delays_ms(profile: str, seed: str, count: int = 5) -> list[float]:
    model = LatencyModel(PROFILES[profile], seed)
    return [model.first_token_ns() / MS for _ in range(count)]


def test_one_seed_gives_one_series_of_delays() -> None:
    assert delays_ms("cloud_fast", "a") == delays_ms("cloud_fast", "a")
    assert delays_ms("cloud_fast", "a") != delays_ms("cloud_fast", "b")


def test_zero_takes_no_time_and_speaks_at_once() -> None:
    model = LatencyModel(PROFILES["zero"], "a")
    assert model.first_token_ns() == 0
    assert [piece.text for piece in model.pieces("all at once")] == ["all at once"]
    assert model.arguments_ns("{}") == 0


def test_cloud_fast_has_the_median_and_floor_of_its_source() -> None:
    delays = [delay for seed in range(200) for delay in delays_ms("cloud_fast", str(seed), 1)]
    assert 480 < median(delays) < 620
    assert min(delays) > 150


def test_the_pieces_of_a_sentence_are_the_sentence() -> None:
    text = "The windows are closed now, and the fan is at level two, as you wanted it."
    pieces = list(LatencyModel(PROFILES["cloud_fast"], "a").pieces(text))
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.after_ns for piece in pieces] == sorted(piece.after_ns for piece in pieces)
    assert len(pieces) > 1
