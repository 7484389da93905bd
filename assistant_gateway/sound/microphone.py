"""What the microphone of the car hears: the driver, noise, and what the loudspeaker plays."""

from dataclasses import dataclass, field

from assistant_gateway.protocol import Zone
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.noise import Noise
from assistant_gateway.sound.pcm import RATE, Samples, silence
from assistant_gateway.sound.track import Track

CROSS_TALK_DB = -15.0  # somebody on another seat, in the microphone of the driver


def heard_from(zone: Zone) -> float:
    """How much softer than the driver somebody on this seat is, in dB."""
    return 0.0 if zone == "driver" else CROSS_TALK_DB


@dataclass(frozen=True, slots=True)
class Echo:
    """How much of the loudspeaker comes back, and how late."""

    gain_db: float
    delay_ms: int = 40

    @property
    def delay(self) -> int:
        return RATE * self.delay_ms // 1000


@dataclass(frozen=True, slots=True)
class Microphone:
    """It never falls silent where there is noise, and is asked for one frame after the other."""

    echo: Echo | None = None
    driver: Track = field(default_factory=Track)
    loudspeaker: Track = field(default_factory=Track)

    def frame(self, begin: int, count: int, noise: Noise | None = None) -> Samples:
        """These samples of the session, with the noise of the car as it is now."""
        heard = []
        if self.driver.plays(begin, count):
            heard.append((self.driver.part(begin, count), 0.0))
        if self.echo is not None and self.loudspeaker.plays(begin - self.echo.delay, count):
            late = self.loudspeaker.part(begin - self.echo.delay, count)
            heard.append((late, self.echo.gain_db))
        if noise is not None:
            heard.append((noise.samples(begin, count), 0.0))
        match heard:
            case []:
                return silence(count)
            case [(samples, 0.0)]:
                return samples
        return mixed(heard)

    def forget(self, before: int) -> None:
        """What ended before is not asked for any more."""
        self.driver.forget(before)
        self.loudspeaker.forget(before - (self.echo.delay if self.echo else 0))
