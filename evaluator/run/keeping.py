"""What is kept of a unit: its result, its record, and what was said in it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from assistant_gateway.recording.recording import compressed
from evaluator.options import KeepAudio
from evaluator.record.digest import digest
from evaluator.record.stored_form import encode_record
from evaluator.reference.difficulty import facts_of
from evaluator.results.kept_sound import KeptSound, described, drop, file_of, write
from evaluator.results.store import RunStore, UnitResult
from evaluator.run.costs import costs
from evaluator.run.units import Played

UNIT_MB = "0.1 to 5 MB"  # least and most of 24 included tasks, measured with `voice:rules`


@dataclass(frozen=True, slots=True)
class PackedUnit:
    """An attempt as it is stored; what is heavy is bytes already, so any process can pack it.

    `lease` is that of the unit it belongs to, `sound` is FLAC, and `last` says that it stands.
    """

    result: UnitResult
    record: bytes
    sound: bytes | None
    last: bool
    lease: int


async def packed(played: Played, which: KeepAudio) -> PackedUnit:
    """An attempt with its sound, if that is to be kept."""
    kept, sound = await _sound(played, which)
    return PackedUnit(
        unit_result(played, kept),
        encode_record(played.record),
        sound,
        played.last,
        played.unit.lease,
    )


async def keep(store: RunStore, unit: PackedUnit) -> None:
    """Store an attempt; when this returns it is on disk. Raises `InfraProblem`."""
    if unit.result.sound is None or unit.sound is None:  # of an attempt played again nothing stays
        drop(store.folder, file_of(unit.result.task_id, unit.result.trial))
    else:
        write(store.folder, unit.result.sound, unit.sound)
    await store.save(unit.result, unit.record)


def unit_result(played: Played, sound: KeptSound | None = None) -> UnitResult:
    task = played.unit.task
    return UnitResult(
        task_id=task.task_id,
        trial=played.unit.trial,
        attempt=played.attempt,
        task_type=task.task_type,
        script=played.script,
        words=played.words,
        driver=played.driver,
        **facts_of(task),
        score=played.score,
        digest=digest(played.record) if played.record.gap is None else None,
        started_at=played.started_at,
        finished_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        usage=dict(played.spent),
        cost=costs(played.spent),
        sound=sound,
    )


async def _sound(played: Played, which: KeepAudio) -> tuple[KeptSound | None, bytes | None]:
    wanted = which == "all" or (which == "failed" and played.score.outcome != "success")
    if played.recording is None or not wanted:
        return None, None
    samples = played.recording.stereo()
    content = await compressed(samples)
    file = file_of(played.unit.task.task_id, played.unit.trial)
    return described(file, content, samples), content


def size_ahead(which: KeepAudio, units: int) -> str:
    """How much may be kept, for people; empty if nothing is."""
    if which == "none":
        return ""
    where = "each unit" if which == "all" else "each unit that fails"
    what = f"{UNIT_MB} in {where} of {units}"
    return f"--keep-audio {which}: {what} (26 kB for each second in which somebody speaks)\n"
