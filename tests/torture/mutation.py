"""Bytes made odd: cut, repeated, overwritten, or with something hostile in the middle."""

from random import Random

HOSTILE = (
    *(b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xed\xa0\x80", b"null", b"NaN", b"1e999", b"-1", b"[]"),
    *(b"9" * 5000, b"[" * 100_000, b"{" * 2000, b'"\\ud800"', b"9007199254740993", b"- &a *a\n"),
)
MOST_CHANGES = 4


def mutated(given: bytes, random: Random) -> bytes:
    """The bytes with one to four changes."""
    changed = given
    for _ in range(random.randint(1, MOST_CHANGES)):
        at = random.randrange(len(changed) + 1)
        to = min(len(changed), at + random.choice((0, 1, 8, 64, 4096)))
        piece = random.choice(
            (b"", random.randbytes(random.randint(1, 16)), random.choice(HOSTILE), given[to:at:-1])
        )
        changed = changed[:at] + piece + changed[to:]
    return changed
