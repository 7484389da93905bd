"""What a person says right now, until the microphone of the car asks for it."""

from assistant_gateway.sound.pcm import RATE, Samples, silence

MOST = 2 * RATE


class LiveInput:
    """The newest samples of a person; of those that nobody asks for the oldest are lost."""

    def __init__(self) -> None:
        self._waiting = silence(0)

    def add(self, samples: Samples) -> None:
        self._waiting = (self._waiting + samples)[-MOST:]

    def take(self, count: int) -> Samples:
        """At most so many."""
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken
