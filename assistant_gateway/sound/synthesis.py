"""A program of its own that speaks one text: text on stdin, a sound on stdout.

    python -m assistant_gateway.sound.synthesis espeak LIBRARY DATA VOICE WORDS_PER_MINUTE PITCH
    python -m assistant_gateway.sound.synthesis command SAMPLE_RATE COMMAND
    python -m assistant_gateway.sound.synthesis version LIBRARY DATA

eSpeak NG is under the GPL and is loaded by this process only. It speaks a sentence a second time
in other samples, so each process speaks one text. Nothing heavy is imported: this is started often.
"""

import ctypes
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from assistant_gateway.sound.gate import Interval, audible
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.pcm import BadSound, Samples, from_bytes, from_wav
from assistant_gateway.sound.resampling import resampled
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.speech_band import SPEECH_DBFS, speech_dbfs
from assistant_gateway.sound.word_times import EventKind, SynthesisEvent, spread, words_from_events

PROBLEM = 2  # exit code
SECOND = 1_000_000_000
SHORTEST_S = 0.05  # of what a command may say; a word takes at least twice as long
EXPECTED = "WAV or raw PCM16"
# Constants of espeak-ng's speak_lib.h.
SYNCHRONOUS, PHONEME_EVENTS, DONT_EXIT = 2, 0x0001, 0x8000
UTF8, RATE_PARAMETER, PITCH_PARAMETER = 1, 1, 3
LIST_TERMINATED, WORD, PHONEME = 0, 1, 7
PAUSE = b"_"  # what names of phonemes begin with that are none


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("phoneme", ctypes.c_char * 8),
    )


_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


def loaded(library: str, data: str) -> tuple[ctypes.CDLL, int]:
    """The library, ready to speak, and the rate of its samples."""
    espeak = ctypes.CDLL(library)
    options = PHONEME_EVENTS | DONT_EXIT
    rate: int = espeak.espeak_Initialize(SYNCHRONOUS, 0, data.encode() or None, options)
    if rate <= 0:
        raise OSError(f"{library} found none of its data")
    if hasattr(espeak, "espeak_ng_SetRandSeed"):  # since 1.52, which else takes the time of day
        espeak.espeak_ng_SetRandSeed(ctypes.c_long(1))
    return espeak, rate


def version(library: str, data: str) -> str:
    espeak, _ = loaded(library, data)
    espeak.espeak_Info.restype = ctypes.c_char_p
    info: bytes = espeak.espeak_Info(None)
    return info.decode().split()[0]


def by_espeak(
    text: str, library: str, data: str, voice: str, words_per_minute: int, pitch: int
) -> Sound:
    espeak, rate = loaded(library, data)
    parts: list[bytes] = []
    events: list[SynthesisEvent] = []

    def receive(samples: Any, count: int, found: Any) -> int:
        parts.append(ctypes.string_at(samples, 2 * count) if samples else b"")
        events.extend(_events(found, rate))
        return 0

    callback = _Callback(receive)
    espeak.espeak_SetSynthCallback(callback)
    if espeak.espeak_SetVoiceByName(voice.encode()):
        raise BadSound(f"espeak-ng has no voice {voice!r}; `espeak-ng --voices` lists them")
    espeak.espeak_SetParameter(RATE_PARAMETER, words_per_minute, 0)
    espeak.espeak_SetParameter(PITCH_PARAMETER, pitch, 0)
    spoken = text.encode() + b"\0"
    if espeak.espeak_Synth(spoken, len(spoken), 0, 1, 0, UTF8, None, None):
        raise BadSound("espeak-ng cannot speak this text")
    samples = from_bytes(b"".join(parts))
    words = words_from_events(text, events, len(samples) * SECOND // rate)
    return Sound(_as_loud_as_all(resampled(samples, rate)), words)


def _events(found: Any, rate: int) -> Iterator[SynthesisEvent]:
    """Those of a list of the library that are about words and sounds."""
    number = 0
    while (event := found[number]).type != LIST_TERMINATED:
        number += 1
        if event.type in (WORD, PHONEME):
            yield SynthesisEvent(
                _kind(event), event.text_position - 1, event.sample * SECOND // rate
            )


def _kind(event: _Event) -> EventKind:
    if event.type == WORD:
        return "word"
    return "pause" if event.phoneme.startswith(PAUSE) else "sound"


def by_command(text: str, rate: int, command: str) -> Sound:
    """What a command says: WAV, or PCM16 at this rate. The times of its words are estimates."""
    done = subprocess.run(
        shlex.split(command), input=text.encode(), capture_output=True, check=False
    )
    if done.returncode:
        last_line = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        said = last_line or "it printed no reason"
        raise BadSound(f"`{command}` ended with code {done.returncode}: {said}")
    samples = _printed(done.stdout, rate, command)
    made = _as_loud_as_all(samples)
    heard = audible(made)
    if not heard:
        raise BadSound(f"`{command}` said nothing that can be heard")
    return Sound(made, tuple(spread(text.split(), Interval(heard[0].begins_ns, heard[-1].ends_ns))))


def _printed(output: bytes, rate: int, command: str) -> Samples:
    """The samples that a command printed; raises `BadSound` for what can be no speech."""
    if output.startswith(b"RIFF"):
        try:
            samples, rate = from_wav(output)
        except BadSound as error:
            raise BadSound(
                f"`{command}` printed a WAV file that cannot be read: {error}"
            ) from error
    else:
        if not output:
            raise BadSound(f"`{command}` printed nothing; expected {EXPECTED}")
        if _is_text(output):
            raise BadSound(f"`{command}` printed text; expected {EXPECTED}")
        if len(output) % 2:
            raise BadSound(f"`{command}` printed an odd number of bytes; expected {EXPECTED}")
        samples = from_bytes(output)
    if len(samples) < SHORTEST_S * rate:
        ms = 1000 * len(samples) // rate
        raise BadSound(f"`{command}` printed {ms} ms of sound, too short for speech")
    return resampled(samples, rate)


def _is_text(output: bytes) -> bool:
    """Samples have bytes that no text has: zeros, or those that are no UTF-8."""
    try:
        return all(each.isprintable() or each.isspace() for each in output.decode())
    except UnicodeDecodeError:
        return False


def _as_loud_as_all(samples: Samples) -> Samples:
    return mixed([(samples, SPEECH_DBFS - speech_dbfs(samples))]) if any(samples) else samples


def main(arguments: Sequence[str]) -> None:
    """Print a sound or a version; what is wrong outside our code is a line, and exit code 2."""
    try:
        match arguments:
            case ["version", library, data]:
                sys.stdout.write(version(library, data))
            case ["espeak", library, data, voice, words_per_minute, pitch]:
                text = sys.stdin.buffer.read().decode()
                sound = by_espeak(text, library, data, voice, int(words_per_minute), int(pitch))
                sys.stdout.buffer.write(sound.to_bytes())
            case ["command", rate, command]:
                sound = by_command(sys.stdin.buffer.read().decode(), int(rate), command)
                sys.stdout.buffer.write(sound.to_bytes())
    except (BadSound, OSError) as error:
        sys.stderr.write(str(error))
        sys.exit(PROBLEM)


if __name__ == "__main__":
    main(sys.argv[1:])
