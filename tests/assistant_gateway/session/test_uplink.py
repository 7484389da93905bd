"""An agent that listens hears the driver and the car all the time; the times of words are known."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from assistant_gateway.protocol import UserSpeechStart
from assistant_gateway.session.uplink import FrameEnds, Uplink
from assistant_gateway.sound.audio_capability import AudioInput
from assistant_gateway.sound.pcm import RATE, Samples, dbfs, from_bytes, from_mulaw, silence
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.gateways import VIN, Raw, Rig, raw, rig
from tests.assistant_gateway.heard_drivers import LASTS_MS, driver_sound, sound_of

TEXT = "Open the window, please."
PCM16 = {"encoding": "pcm16", "rate": RATE}


async def opened(agent: Raw, user: Raw, **capabilities: Any) -> dict[str, Any]:
    """The session has begun; returns what the agent was offered."""
    await user.send("session.open", scenario_id=VIN)
    start = await agent.until("session.start")
    await agent.send("session.ready", name="ear", capabilities=capabilities)
    await user.until("session.opened")
    return dict(start["data"])


async def until_your_turn(agent: Raw) -> list[dict[str, Any]]:
    frames = [await agent.frame()]
    while frames[-1]["type"] != "input.transcript.final":
        frames.append(await agent.frame())
    return frames


def samples_of(frames: list[dict[str, Any]]) -> Samples:
    made = silence(0)
    for frame in frames:
        made += from_bytes(b64decode(frame["data"]["audio"]))
    return made


@pytest.mark.parametrize("frame_ms", [100, 20])
async def test_a_listener_hears_all_samples_of_the_driver_at_their_time(
    tmp_path: Path, frame_ms: int
) -> None:
    heard = driver_sound(tmp_path, TEXT)
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    async with (
        rig(pace="live", sound=heard, speech=speech) as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        start = await opened(agent, user, audio={"input": {"frame_ms": frame_ms}})
        assert PCM16 in start["audio"]["formats"]
        await user.send("user.speech.start", utt="1", planned_words=TEXT.split(), after_ms=50)
        frames = await until_your_turn(agent)
    audio = [frame for frame in frames if frame["type"] == "input.audio.append"]
    ends_ms = [frame["data"]["now_ns"] / MS for frame in audio]
    assert ends_ms == [frame_ms * number for number in range(1, len(audio) + 1)]
    samples, voice = samples_of(audio), sound_of(TEXT).samples[: RATE * LASTS_MS // 1000]
    began = next(at for at, sample in enumerate(samples) if sample)
    assert samples[began : began + len(voice)] == voice
    ended_ns = frames[-1]["data"]["user_speech_end_ns"]
    assert ended_ns / MS == pytest.approx(began * 1000 / RATE + LASTS_MS, abs=1)


async def test_an_agent_that_reads_is_sent_no_samples_but_waits_as_long(tmp_path: Path) -> None:
    heard = driver_sound(tmp_path, TEXT)
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    async with (
        rig(pace="fast", sound=heard, speech=speech) as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await opened(agent, user)
        await user.send("user.speech.start", utt="1", planned_words=TEXT.split())
        frames = await until_your_turn(agent)
    assert {frame["type"] for frame in frames}.isdisjoint({"input.audio.append"})
    final = frames[-1]["data"]
    began = next(frame for frame in frames if frame["type"] == "input.speech_started")
    assert began is not None
    assert final["now_ns"] - final["user_speech_end_ns"] == 300 * MS


async def refused(rigged: Rig, capabilities: dict[str, Any], *words: str) -> str | None:
    async with raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="ear", capabilities=capabilities)
        if words:
            await user.until("session.opened")
            await user.send("user.speech.start", utt="1", planned_words=words)
        return (await rigged.result()).infra


@pytest.mark.malformed("an unknown encoding")
async def test_a_format_that_nobody_speaks_ends_the_session(tmp_path: Path) -> None:
    async with rig(pace="live", sound=driver_sound(tmp_path)) as rigged:
        why = await refused(rigged, {"audio": {"input": {"encoding": "opus"}}})
    assert why is not None
    assert "'ear' cannot be heard" in why
    assert "encoding" in why


async def test_what_cannot_be_spoken_ends_the_session_with_the_reason(tmp_path: Path) -> None:
    heard = driver_sound(tmp_path)
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    async with rig(pace="live", sound=heard, speech=speech) as rigged:
        why = await refused(rigged, {}, "Hello.")
    assert why == "--voice-command: `false` ended with code 1: it printed no reason"


async def spoken(folder: Path, *, noisy: bool) -> Uplink:
    uplink = Uplink(driver_sound(folder, TEXT, noisy=noisy))
    await uplink.prepare(UserSpeechStart(utt="1", planned_words=tuple(TEXT.split())))
    return uplink


async def test_the_microphone_never_falls_silent_in_a_car(tmp_path: Path) -> None:
    uplink = await spoken(tmp_path, noisy=True)
    quiet = [uplink.frame(FrameEnds(number)).audio for number in (1, 2)]
    uplink.car_is(speed_kmh=120)
    fast = uplink.frame(FrameEnds(3)).audio
    assert quiet[0] != quiet[1]
    levels = [dbfs(from_bytes(b64decode(audio))) for audio in (*quiet, fast)]
    assert levels[2] > max(levels[:2]) + 20 > -60


async def test_a_closed_window_lets_the_driver_be_heard_better(tmp_path: Path) -> None:
    uplink, words = await spoken(tmp_path, noisy=True), TEXT.split()

    def snr_db(window: int) -> float:
        uplink.car_is({"window_driver_position": window, "fan_speed": 0}, 100)
        uplink.speaks(words, 0)
        heard = uplink.heard(TEXT)
        assert heard is not None
        return float(heard["snr_db"])

    assert snr_db(0) > 15 > 10 > snr_db(50) > snr_db(100)


async def test_who_sits_on_another_seat_is_softer_and_less_clear(tmp_path: Path) -> None:
    uplink = Uplink(driver_sound(tmp_path, TEXT, noisy=True))
    said = UserSpeechStart(utt="1", planned_words=tuple(TEXT.split()), zone="passenger")
    await uplink.prepare(said)
    uplink.speaks(TEXT.split(), 0)
    heard = uplink.heard(TEXT)
    assert heard is not None
    assert heard["snr_db"] == uplink.snr_db("passenger")
    assert heard["snr_db"] == pytest.approx((uplink.snr_db() or 0) - 15)
    middle = from_bytes(b64decode([uplink.frame(FrameEnds(n)).audio for n in range(1, 5)][3]))
    assert dbfs(middle) == pytest.approx(dbfs(sound_of(TEXT).samples[7200:9600]) - 15, abs=1)


async def test_telephony_is_an_eighth_of_the_samples_in_one_byte_each(tmp_path: Path) -> None:
    uplink = await spoken(tmp_path, noisy=False)
    uplink.encode_as(AudioInput(encoding="mulaw", rate=8000))
    uplink.speaks(TEXT.split(), 0)
    frames = [b64decode(uplink.frame(FrameEnds(number)).audio) for number in range(1, 8)]
    assert sum(map(len, frames)) == pytest.approx(8000 * 0.7, abs=50)
    assert dbfs(from_mulaw(frames[3])) > -30
