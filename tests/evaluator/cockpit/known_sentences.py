"""A recogniser that knows a few sentences by how loud they are when: WAV on stdin, text on stdout.

Its arguments are WAV files and what is said in each. What it hears must be one of them.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from assistant_gateway.sound.pcm import Samples, dbfs, from_wav

HOP_S = 0.02
AUDIBLE_DBFS = -45.0
LEAST_ALIKE = 0.8


def loudness(samples: Samples, rate: int) -> list[float]:
    """Per hop, from the first to the last audible one."""
    hop = round(rate * HOP_S)
    levels = [dbfs(samples[start : start + hop]) for start in range(0, len(samples), hop)]
    heard = [number for number, level in enumerate(levels) if level > AUDIBLE_DBFS]
    return [max(level, -60.0) for level in levels[heard[0] : heard[-1] + 1]] if heard else []


def alike(one: Sequence[float], other: Sequence[float]) -> float:
    """The correlation of two sounds of about the same length; -1 for others."""
    if not one or abs(len(one) - len(other)) > 8:
        return -1.0
    return max(correlation(one[by:], other) for by in range(4))


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    count = min(len(one), len(other))
    parts = [each[:count] for each in (one, other)]
    means = [sum(part) / count for part in parts]
    a, b = ([value - mean for value in part] for part, mean in zip(parts, means, strict=True))
    size = (sum(x * x for x in a) * sum(x * x for x in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else -1.0


def main(arguments: Sequence[str]) -> None:
    heard = loudness(*from_wav(sys.stdin.buffer.read()))
    known = {
        text: loudness(*from_wav(Path(file).read_bytes()))
        for file, text in zip(arguments[::2], arguments[1::2], strict=True)
    }
    scores = {text: alike(heard, sound) for text, sound in known.items()}
    best = max(scores, key=scores.__getitem__)
    sys.stderr.write(f"{len(heard)} hops, {scores}\n")
    if scores[best] >= LEAST_ALIKE:
        sys.stdout.write(best)


if __name__ == "__main__":
    main(sys.argv[1:])
