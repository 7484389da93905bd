"""What was said in the units of a run, kept in its folder."""

from pathlib import Path

from assistant_gateway.recording.recording import compressed
from assistant_gateway.wording.spoken import counted
from evaluator.options import KeepAudio
from evaluator.results.kept_sound import KeptSound, drop, file_of, keep
from evaluator.run.units import Played

UNIT_MB = 1.7  # of a unit of the included tasks, as measured with `voice:rules`


async def kept_sound(folder: Path, played: Played, which: KeepAudio) -> KeptSound | None:
    """The file of an attempt, if its sound is to be kept; raises `InfraProblem`."""
    file = file_of(played.unit.task.task_id, played.unit.trial)
    wanted = which == "all" or (which == "failed" and played.score.outcome != "success")
    if played.recording is None or not wanted:
        drop(folder, file)
        return None
    samples = played.recording.stereo()
    return keep(folder, file, await compressed(samples), samples)


def size_ahead(which: KeepAudio, units: int) -> str:
    """How much will be kept, for people; empty if nothing is."""
    if which == "none":
        return ""
    size = f"about {UNIT_MB * units:.0f} MB in {counted(units, 'unit')}"
    if which == "failed":
        size = f"about {UNIT_MB:g} MB in each unit that fails"
    return f"--keep-audio {which}: {size} (26 kB for each second of conversation)\n"
