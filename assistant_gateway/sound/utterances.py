"""What one driver says, as sound: a text is spoken before it is known when its words are heard."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from assistant_gateway.protocol import Zone
from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.live_input import LiveInput
from assistant_gateway.sound.microphone import Echo
from assistant_gateway.sound.noise import Noise
from assistant_gateway.sound.pcm import BadSound, Samples, to_bytes
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.voice import Synthesiser, Voice, spoken


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text that was spoken; `sha256` is that of its samples."""

    sound: Sound
    sha256: str
    zone: Zone = "driver"


class Utterances:
    """Those of one driver, and of others with their `voices`.

    `prepare` may take a while, all else is at hand.
    """

    def __init__(
        self,
        voice: Voice,
        synthesiser: Synthesiser,
        folder: Path,
        voices: Mapping[Zone, Voice] | None = None,
    ) -> None:
        self._voices = {**(voices or {}), "driver": voice}
        self._synthesiser = synthesiser
        self._folder = folder
        self._known: dict[str, Utterance | BadSound] = {}

    async def prepare(self, text: str, zone: Zone = "driver") -> None:
        """Speak a text; why it cannot be spoken is told by `of`."""
        if text not in self._known:
            try:
                voice = self._voices.get(zone, self._voices["driver"])
                sound = await spoken(text, voice, self._synthesiser, self._folder)
                digest = sha256(to_bytes(sound.samples)).hexdigest()
                self._known[text] = Utterance(sound, digest, zone)
            except BadSound as error:
                self._known[text] = error

    def of(self, text: str) -> Utterance:
        """The sound of a text that was prepared; raises `BadSound`."""
        match self._known.get(text):
            case Utterance() as utterance:
                return utterance
            case BadSound() as error:
                raise error
        raise BadSound(f"{text!r} was not spoken before it was needed")

    def words_end_ns(self, text: str) -> tuple[int, ...]:
        """When each word has been said, in ns after the first sample; empty if none is spoken."""
        return tuple(word.ends_ns for word in self.of(text).sound.words)

    def silent_ns(self, text: str) -> int:
        """How long it is silent before the first word."""
        words = self.of(text).sound.words
        return words[0].begins_ns if words else 0


Speaker = Literal["driver", "agent"]


class Listener(Protocol):
    """Gets both voices of a session as soon as it is known when they are heard."""

    def hear(self, who: Speaker, samples: Samples, begin: int) -> None:
        """Of the session, from this sample on, or after what is being played already."""

    def stop(self, at: int) -> None:
        """From this sample on, nothing that was to be heard of the agent is."""


@dataclass(frozen=True, slots=True)
class DriverSound:
    """How a driver is heard in a session: voice, noise of the car as it is, echo, and by whom.

    A `person` may speak besides.
    """

    utterances: Utterances
    noise: Callable[[Cabin], Noise | None]
    echo: Echo | None = None
    listener: Listener | None = None
    person: LiveInput | None = None
