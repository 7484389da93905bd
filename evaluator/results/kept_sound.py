"""The sound of units that was kept: a file each in the run folder, checked before it is used."""

from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant_gateway.recording.flac import from_flac
from assistant_gateway.sound.pcm import RATE, BadSound, Samples, to_wav
from assistant_gateway.wording.spoken import counted
from evaluator.problems import InfraProblem, UsageProblem

FOLDER = "audio"
AGAIN = "play the unit again with --keep-audio"


class KeptSound(BaseModel):
    """What was said in a unit, since its session began: the driver left, the assistant right.

    `file` is in the run folder, `sha256` is of its content.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    file: str
    seconds: float
    size_bytes: int
    sha256: str

    def content(self, folder: Path) -> bytes:
        """The FLAC file; raises `UsageProblem` if it is not there any more, or another one."""
        path = folder / self.file
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UsageProblem(f"{path} cannot be read: {error.strerror}; {AGAIN}") from error
        if sha256(content).hexdigest() != self.sha256:
            raise UsageProblem(f"{path} is damaged, it is not what was kept; {AGAIN}")
        return content

    def wav(self, folder: Path) -> bytes:
        """The same as a WAV file; raises `UsageProblem`."""
        try:
            return to_wav(from_flac(self.content(folder)), channels=2)
        except BadSound as error:
            raise UsageProblem(f"{folder / self.file}: {error}; {AGAIN}") from error


class KeptFigures(BaseModel):
    """How much sound of a run was kept."""

    units: int
    seconds: float
    size_bytes: int

    def __str__(self) -> str:
        units = counted(self.units, "unit")
        return f"{units}, {self.seconds:.0f} s, {self.size_bytes / 1e6:.1f} MB"


def file_of(task_id: str, trial: int) -> str:
    return f"{FOLDER}/{task_id}-{trial}.flac"


def described(file: str, content: bytes, samples: Samples) -> KeptSound:
    """What is noted of a file of the run folder; samples of both sides, interleaved."""
    return KeptSound(
        file=file,
        seconds=round(len(samples) / 2 / RATE, 2),
        size_bytes=len(content),
        sha256=sha256(content).hexdigest(),
    )


def write(folder: Path, sound: KeptSound, content: bytes) -> None:
    """Write a file of the run folder, whole or not at all; raises `InfraProblem`."""
    path = folder / sound.file
    unfinished = path.with_suffix(".part")
    try:
        path.parent.mkdir(exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        raise InfraProblem(f"{path} cannot be written: {error.strerror}; make room") from error


def drop(folder: Path, file: str) -> None:
    """Of an attempt that is played again, nothing stays."""
    (folder / file).unlink(missing_ok=True)
