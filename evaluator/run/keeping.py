"""What was said in the units of a run, kept in its folder."""

from pathlib import Path

from assistant_gateway.recording.recording import compressed
from evaluator.options import KeepAudio
from evaluator.results.kept_sound import KeptSound, drop, file_of, keep
from evaluator.run.units import Played

UNIT_MB = "0.1 to 5 MB"  # least and most of 24 included tasks, measured with `voice:rules`


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
    """How much may be kept, for people; empty if nothing is."""
    if which == "none":
        return ""
    where = "each unit" if which == "all" else "each unit that fails"
    what = f"{UNIT_MB} in {where} of {units}"
    return f"--keep-audio {which}: {what} (26 kB for each second in which somebody speaks)\n"
