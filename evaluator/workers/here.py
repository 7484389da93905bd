"""The units of a run are played in this process."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.options import KeepAudio
from evaluator.run.keeping import packed
from evaluator.run.units import Bench, Played, Unit, play_all
from evaluator.workers.crew import Keep


@dataclass(frozen=True, slots=True)
class CrewHere:
    """A bench that is up."""

    up: Bench
    keep_audio: KeepAudio

    async def play(self, units: Sequence[Unit], keep: Keep) -> None:
        async def done(played: Played) -> None:
            await keep(await packed(played, self.keep_audio))

        await play_all(self.up, units, done)
