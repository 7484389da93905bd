"""What the microphone of the car sends to an agent that listens, and how well it hears the driver.

It never falls silent: after each `frame_ms` of the session the samples of that time are sent.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assistant_gateway.protocol import Body, InputAudioAppend, UserInterject, UserSpeechStart, Zone
from assistant_gateway.sound.audio_capability import AudioInput
from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.microphone import Microphone, heard_from
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.noise import Noise
from assistant_gateway.sound.pcm import RATE, Samples
from assistant_gateway.sound.speech_band import SPEECH_DBFS
from assistant_gateway.sound.utterances import DriverSound
from assistant_gateway.sound.wire_format import Encoder
from assistant_gateway.timing.timeline import MS, SECOND


class FrameEnds(NamedTuple):
    """The time of a frame of the microphone is over; counted from 1."""

    number: int


class Uplink:
    """The microphone of one session."""

    def __init__(self, sound: DriverSound) -> None:
        self._state: Mapping[str, Any] = {}
        self._speed_kmh = 0.0
        self._cabin = Cabin()
        self._sound = sound
        self._microphone = Microphone(sound.echo)
        self._input = AudioInput()
        self._encoder = Encoder(self._input)
        self._heard: dict[str, dict[str, Any]] = {}  # by text, how it was heard

    def encode_as(self, wanted: AudioInput) -> None:
        """In this format, from the first frame on."""
        self._input, self._encoder = wanted, Encoder(wanted)

    def car_is(
        self, state: Mapping[str, Any] | None = None, speed_kmh: float | None = None
    ) -> None:
        """The car has another state or speed, and so another noise in it."""
        self._state = self._state if state is None else state
        self._speed_kmh = self._speed_kmh if speed_kmh is None else speed_kmh
        self._cabin = Cabin.of_state(self._state, self._speed_kmh)

    async def prepare(self, body: Body) -> None:
        """Speak what the driver is going to say, before it is known when."""
        if isinstance(body, UserSpeechStart | UserInterject) and body.planned_words:
            await self._sound.utterances.prepare(" ".join(body.planned_words), body.zone)

    def speaks(self, words: Sequence[str], begins_ns: int) -> None:
        """The driver says something that was prepared."""
        text = " ".join(words)
        utterance = self._sound.utterances.of(text)
        samples, begin = utterance.sound.samples, begins_ns * RATE // SECOND
        if (level_db := heard_from(utterance.zone)) < 0:
            samples = mixed([(samples, level_db)])
        self._microphone.driver.add(samples, begin)
        if self._sound.listener is not None:
            self._sound.listener.hear("driver", samples, begin)
        self._heard[text] = {
            "driver_sha256": utterance.sha256,
            "snr_db": self.snr_db(utterance.zone),
        }

    def agent_plays(self, samples: Samples, begins_ns: int) -> None:
        """It is heard from then on, and comes back where there is an echo."""
        begin = begins_ns * RATE // SECOND
        if self._sound.echo is not None:
            self._microphone.loudspeaker.add(samples, begin)
        if self._sound.listener is not None:
            self._sound.listener.hear("agent", samples, begin)

    def agent_is_cut(self, at_ns: int) -> None:
        self._microphone.loudspeaker.cut(at_ns * RATE // SECOND)
        if self._sound.listener is not None:
            self._sound.listener.stop(at_ns * RATE // SECOND)

    def snr_db(self, zone: Zone = "driver") -> float | None:
        """How much louder than the noise somebody on a seat would be now; None without noise."""
        noise = self._noise()
        return round(SPEECH_DBFS + heard_from(zone) - noise.dbfs, 1) if noise else None

    def heard(self, text: str) -> dict[str, Any] | None:
        """How well an utterance was heard, and which samples it has."""
        return self._heard.get(text)

    def ends_ns(self, frame: FrameEnds) -> int:
        return frame.number * self._input.frame_ms * MS

    def frame(self, ended: FrameEnds) -> InputAudioAppend:
        count = RATE * self._input.frame_ms // 1000
        begin = (ended.number - 1) * count
        if self._sound.person is not None:
            self._microphone.driver.add(self._sound.person.take(count), begin)
        samples = self._microphone.frame(begin, count, self._noise())
        self._microphone.forget(begin)
        audio = b64encode(self._encoder.add(samples)).decode("ascii")
        return InputAudioAppend(audio=audio, now_ns=self.ends_ns(ended))

    def _noise(self) -> Noise | None:
        return self._sound.noise(self._cabin)
