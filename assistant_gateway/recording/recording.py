"""What both sides of a session said, kept on one axis that begins with the session."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass, field

from assistant_gateway.recording.flac import interleaved
from assistant_gateway.sound.pcm import Samples, to_bytes
from assistant_gateway.sound.track import Track
from assistant_gateway.sound.utterances import Speaker

PROGRAM = (sys.executable, "-P", "-m", "assistant_gateway.recording.flac")


@dataclass(frozen=True, slots=True)
class Recording:
    """Each voice as it was spoken, without noise; of the agent what was played."""

    driver: Track = field(default_factory=Track)
    agent: Track = field(default_factory=Track)

    def hear(self, who: Speaker, samples: Samples, begin: int) -> None:
        (self.driver if who == "driver" else self.agent).add(samples, begin)

    def stop(self, at: int) -> None:
        self.agent.cut(at)

    def stereo(self) -> Samples:
        """Interleaved: the driver is on the left, the agent on the right."""
        return interleaved(*(track.part(0, track.ends) for track in (self.driver, self.agent)))


async def compressed(both: Samples) -> bytes:
    """As FLAC; made in a process of its own, so that nobody's time is measured wrong."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, stdin=PIPE, stdout=PIPE, start_new_session=True
    )
    try:
        output, _ = await process.communicate(to_bytes(both))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError("the program that compresses sound broke down")
    return output
