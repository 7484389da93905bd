from pathlib import Path

import pytest

from assistant_gateway.timing.latency import LATENCY_PROFILES
from assistant_gateway.timing.profiles import BadProfile, Profiles
from assistant_gateway.timing.speech import SPEECH_PROFILES, SpeechProfile


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fast", "expected one of typical, on_device, slow_cloud, constant, or a .yaml file"),
        ("nowhere.yaml", "nowhere.yaml cannot be read: No such file or directory"),
    ],
)
def test_an_unknown_profile_is_answered_with_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(BadProfile, match=message):
        SPEECH_PROFILES.named(name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "mine.yaml: expected the fields of one profile"),
        (b"- 1", "mine.yaml: expected the fields of one profile"),
        (b"\xff\xfe", "mine.yaml is no YAML"),
        (b"a: : [", "mine.yaml is no YAML"),
        (b"[" * 5000, "mine.yaml is no YAML: it is nested too deep"),
        (b"source: me\ndriver_wpm: .inf", "mine.yaml: driver_wpm: Input should be"),
        (b"source: me\ndriver_wpm: quick", "mine.yaml: driver_wpm: Input should be a valid number"),
        (b"source: me\nshift_ms: 3", "mine.yaml: shift_ms: Extra inputs are not permitted"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported_in_one_line(
    content: bytes, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    with pytest.raises(BadProfile, match=message) as caught:
        SPEECH_PROFILES.named(str(file))
    assert "\n" not in str(caught.value)


def test_a_profile_can_be_had_by_the_name_it_once_had() -> None:
    assert LATENCY_PROFILES.named("groq_like") is LATENCY_PROFILES.named("lpu_fast")
    assert LATENCY_PROFILES.own("groq_like") == {}
    with pytest.raises(BadProfile, match="expected one of zero, lpu_fast, cloud_fast"):
        LATENCY_PROFILES.named("slow")


def test_a_file_that_changes_during_a_run_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("source: me\nshift_ms: 3\n")
    before = LATENCY_PROFILES.named(str(file))
    file.unlink()
    assert LATENCY_PROFILES.named(str(file)) is before


def test_only_a_profile_of_ones_own_is_more_than_its_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("source: me\ndriver_wpm: 100\n")
    own = SpeechProfile(source="me", driver_wpm=100)
    profiles = Profiles(SpeechProfile, SPEECH_PROFILES.file)
    assert profiles.own("typical") == {}
    assert profiles.own(str(file)) == {str(file): own}
