from pathlib import Path
from statistics import median

from assistant_gateway.timing.latency import LATENCY_PROFILES, LatencyModel, latency_profile
from assistant_gateway.timing.timeline import MS


def delays_ms(profile: str, seed: str, count: int = 5) -> list[float]:
    model = LatencyModel(latency_profile(profile), seed)
    return [model.first_token_ns() / MS for _ in range(count)]


def test_one_seed_gives_one_series_of_delays() -> None:
    assert delays_ms("cloud_fast", "a") == delays_ms("cloud_fast", "a")
    assert delays_ms("cloud_fast", "a") != delays_ms("cloud_fast", "b")


def test_zero_takes_no_time_and_speaks_at_once() -> None:
    model = LatencyModel(latency_profile("zero"), "a")
    assert model.first_token_ns() == 0
    assert [piece.text for piece in model.pieces("all at once")] == ["all at once"]
    assert model.arguments_ns("{}") == 0


def test_cloud_fast_has_the_median_and_floor_of_its_source() -> None:
    delays = [delay for seed in range(200) for delay in delays_ms("cloud_fast", str(seed), 1)]
    assert 480 < median(delays) < 620
    assert min(delays) > 150


def test_the_pieces_of_a_sentence_are_the_sentence() -> None:
    text = "The windows are closed now, and the fan is at level two, as you wanted it."
    pieces = list(LatencyModel(latency_profile("cloud_fast"), "a").pieces(text))
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.after_ns for piece in pieces] == sorted(piece.after_ns for piece in pieces)
    assert len(pieces) > 1


def test_nine_profiles_ship_and_each_says_where_it_comes_from() -> None:
    assert len(LATENCY_PROFILES.shipped) == 9
    assert all(profile.source for profile in LATENCY_PROFILES.shipped.values())


def test_a_long_prompt_costs_prefill_once() -> None:
    model = LatencyModel(latency_profile("edge_8b_int4"), "a")
    model.reads(4 * 9000)
    first, second = model.first_token_ns() / MS, model.first_token_ns() / MS
    assert first - second > 4000


def test_a_profile_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("source: measured by me\nshift_ms: 100\nsession_sigma: 0\n")
    assert LatencyModel(latency_profile(str(file)), "a").first_token_ns() == 100 * MS
