import io

from rich.console import Console

from assistant_gateway.timing.timeline import wall_ns
from evaluator.commands.replay import Piece, play, script
from evaluator.views.transcript import Line, transcript
from evaluator.views.unit_timeline import conversation
from tests.evaluator.episodes import SECOND, Episode


def plain() -> Console:
    return Console(width=80, force_terminal=False)


def test_what_is_played_is_what_view_shows() -> None:
    episode = Episode().said("driver", "fan to two").call("set_fan_speed", level=2)
    lines = transcript(episode.said("agent", "Fan is at two.").turn().end().record)
    console = plain()
    with console.capture() as captured:
        for thing in conversation(lines):
            console.print(thing)
    assert "".join(piece.text for piece in script(lines, plain())) == captured.get()


def test_speech_comes_word_by_word_and_in_order() -> None:
    lines = [Line(0, "driver", "said", "one two three four", until_ns=4 * SECOND)]
    pieces = list(script(lines, plain()))
    stamps = [piece.at_ns for piece in pieces]
    assert stamps == sorted(stamps)
    assert len(set(stamps)) >= 4
    assert stamps[-1] < 4 * SECOND


def test_nothing_waits_for_a_sentence_to_end() -> None:
    lines = [
        Line(0, "agent", "said", "Right away, one moment", until_ns=9 * SECOND),
        Line(SECOND, "agent", "call", "x()", detail={"tool": "x", "arguments": {}}),
    ]
    stamps = [piece.at_ns for piece in script(lines, plain())]
    assert max(stamps) == SECOND
    assert stamps == sorted(stamps)


async def test_speed_divides_the_time_and_zero_does_not_wait() -> None:
    pieces = [Piece(0, "a"), Piece(2 * SECOND, "b")]
    for speed, least_s in ((40.0, 0.05), (0.0, 0.0)):
        out, began_ns = io.StringIO(), wall_ns()
        await play(pieces, speed, out)
        took_s = (wall_ns() - began_ns) / SECOND
        assert out.getvalue() == "ab"
        assert least_s <= took_s < 1
