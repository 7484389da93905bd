"""Lossless compression of two voices: FLAC, which browsers and players read as it is.

Of the format only what such recordings need is written, and only that is read: two channels of 16
bits, blocks of 4096 samples that are constant (silence) or predicted from up to three samples
before. `python -m assistant_gateway.recording.flac` compresses PCM16 from stdin.
"""

import hashlib
import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from assistant_gateway.sound.pcm import RATE, BadSound, Samples, from_bytes, to_bytes

BLOCK = 4096
PARTS = 8  # of a block, each with a length of code of its own
MOST_ORDER = 3
MOST_BITS = 14
HEAD = 42  # bytes before the first block
SYNC = 0xFFF8
FORMATS = 0x18  # two channels, 16 bits
CODED_BLOCK, CODED_LAST, CODED_RATE = 0xC, 0x7, 0x7
CONSTANT, PREDICTED = 0, 8
LOW_PRIORITY = 10
NOT_OURS = "it is no FLAC file that codriver has written"


def interleaved(left: Samples, right: Samples) -> Samples:
    """Both channels as WAV and FLAC have them; the shorter one is followed by silence."""
    both = array("h", bytes(4 * max(len(left), len(right))))
    both[0 : 2 * len(left) : 2] = left
    both[1 : 2 * len(right) : 2] = right
    return both


def to_flac(both: Samples) -> bytes:
    """A whole file of interleaved samples."""
    count = len(both) // 2
    channels = both[0::2], both[1::2]
    numbers = RATE << 44 | 1 << 41 | 15 << 36 | count
    size = BLOCK.to_bytes(2) * 2 + bytes(6)
    head = b"fLaC\x80\x00\x00\x22" + size + numbers.to_bytes(8)
    frames = (
        _frame(number, [channel[start : start + BLOCK] for channel in channels])
        for number, start in enumerate(range(0, count, BLOCK))
    )
    return b"".join((head, hashlib.md5(to_bytes(both), usedforsecurity=False).digest(), *frames))


def _frame(number: int, channels: Sequence[Samples]) -> bytes:
    count = len(channels[0])
    whole = count == BLOCK
    sizes = (CODED_BLOCK if whole else CODED_LAST) << 4 | CODED_RATE
    head = SYNC.to_bytes(2) + bytes((sizes, FORMATS)) + _utf8(number)
    head += b"" if whole else (count - 1).to_bytes(2)
    head += bytes((_crc(head, 8, 0x07),))
    bits = "".join(map(_channel, channels))
    bits += "0" * (-len(bits) % 8)
    frame = head + int(bits, 2).to_bytes(len(bits) // 8)
    return frame + _crc(frame, 16, 0x8005).to_bytes(2)


def _channel(samples: Samples) -> str:
    if samples.count(samples[0]) == len(samples):
        return f"{CONSTANT << 1:08b}{samples[0] & 0xFFFF:016b}"
    errors: Sequence[int] = samples
    candidates = [errors]
    for _ in range(min(MOST_ORDER, len(samples) - 1)):
        errors = [after - before for before, after in pairwise(errors)]
        candidates.append(errors)
    order = min(range(len(candidates)), key=lambda each: sum(map(abs, candidates[each])))
    coded = [error << 1 if error >= 0 else ~(error << 1) for error in candidates[order]]
    first = "".join(f"{sample & 0xFFFF:016b}" for sample in samples[:order])
    parts = _parts(len(samples), order)
    return "".join(
        (
            f"{(PREDICTED | order) << 1:08b}{first}00{(len(parts) - 1).bit_length():04b}",
            *(_part(coded[begin:end]) for begin, end in parts),
        )
    )


def _parts(count: int, order: int) -> list[tuple[int, int]]:
    """Where the parts of so many samples begin and end among their errors."""
    parts = 1 if count % PARTS or count // PARTS <= MOST_ORDER else PARTS
    ends = [count // parts * (number + 1) - order for number in range(parts)]
    return list(pairwise((0, *ends)))


def _part(coded: Sequence[int]) -> str:
    """Rice codes: as many zeros as the high bits say, a one, and the low bits."""
    low = min(MOST_BITS, (sum(coded) // max(1, len(coded))).bit_length())
    low = max(0, low - 1)
    codes = _codes(low)
    return f"{low:04b}" + "".join([codes[value] for value in coded])


class _Codes(dict[int, str]):
    def __init__(self, low: int) -> None:
        super().__init__()
        self._low = low

    def __missing__(self, value: int) -> str:
        rest = value & ((1 << self._low) - 1) | 1 << self._low
        self[value] = code = "0" * (value >> self._low) + f"{rest:b}"
        return code


@cache
def _codes(low: int) -> _Codes:
    return _Codes(low)


def _utf8(number: int) -> bytes:
    """The number of a frame, as UTF-8 would write it; also beyond what is text."""
    return chr(number).encode("utf-8", "surrogatepass")


def _crc(content: bytes, width: int, polynomial: int) -> int:
    table, mask, crc = _crc_table(width, polynomial), (1 << width) - 1, 0
    for byte in content:
        crc = (crc << 8 & mask) ^ table[(crc >> (width - 8)) ^ byte]
    return crc


@cache
def _crc_table(width: int, polynomial: int) -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << (width - 8)
        for _ in range(8):
            crc = crc << 1 ^ (polynomial if crc >> (width - 1) & 1 else 0)
            crc &= (1 << width) - 1
        table.append(crc)
    return tuple(table)


def from_flac(content: bytes) -> Samples:
    """The interleaved samples of a file of ours; raises `BadSound` if it is not whole."""
    if content[:8] != b"fLaC\x80\x00\x00\x22" or len(content) < HEAD:
        raise BadSound(NOT_OURS)
    count = int.from_bytes(content[18:26]) & (1 << 36) - 1
    bits = bin(int.from_bytes(b"\x01" + content[HEAD:]))[3:]
    both = array("h")
    try:
        place = 0
        for number, start in enumerate(range(0, count, BLOCK)):
            size = min(BLOCK, count - start)
            place += 8 * (5 + len(_utf8(number)) + (0 if size == BLOCK else 2))
            left, place = _read_channel(bits, place, size)
            right, place = _read_channel(bits, place, size)
            both += interleaved(left, right)
            place += -place % 8 + 16
    except (ValueError, OverflowError) as error:
        raise BadSound(NOT_OURS) from error
    if hashlib.md5(to_bytes(both), usedforsecurity=False).digest() != content[26:HEAD]:
        raise BadSound(NOT_OURS)
    return both


def _read_channel(bits: str, place: int, count: int) -> tuple[Samples, int]:
    def number(width: int) -> int:
        nonlocal place
        place += width
        return int(bits[place - width : place], 2)

    kind = number(8) >> 1
    if kind == CONSTANT:
        return array("h", [_signed(number(16))]) * count, place
    order = kind ^ PREDICTED
    if order > MOST_ORDER:
        raise ValueError(kind)
    first = [_signed(number(16)) for _ in range(order)]
    number(6)
    errors: list[int] = []
    for begin, end in _parts(count, order):
        low = number(4)
        for _ in range(end - begin):
            one = bits.index("1", place)
            ends = one + 1 + low
            value = (one - place) << low | int(bits[one:ends], 2) ^ 1 << low
            errors.append(value >> 1 ^ -(value & 1))
            place = ends
    return array("h", _summed(first, errors)), place


def _summed(first: Sequence[int], errors: Sequence[int]) -> Iterator[int]:
    """The samples whose differences of differences are these, after the first ones."""
    if not first:
        return iter(errors)
    differences = [after - before for before, after in pairwise(first)]
    return _running(first[0], _summed(differences, errors))


def _running(value: int, steps: Iterator[int]) -> Iterator[int]:
    yield value
    for step in steps:
        value += step
        yield value


def _signed(value: int) -> int:
    return value - (value >> 15 << 16)


if __name__ == "__main__":
    os.nice(LOW_PRIORITY)  # others are being measured
    sys.stdout.buffer.write(to_flac(from_bytes(sys.stdin.buffer.read())))
