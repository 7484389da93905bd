"""Messages that were cut half-way, and what came of them too late, as others read them."""

from typing import Any

from assistant_gateway.models.spending import Prices
from evaluator.car_bench.exporting import trajectory
from evaluator.record.episode import Episode as Story
from evaluator.record.record import Record
from evaluator.run.costs import agent_usage
from evaluator.views.transcript import transcript
from tests.evaluator.episodes import Episode
from vehicle_bus.contract import Frames


def frame(kind: str, rid: str | None, **data: Any) -> dict[str, Any]:
    return {"type": kind, "t_ns": 0, "rid": rid, "data": data}


def cut_half_way() -> Episode:
    """The rest of the first answer, and its spent, come while the second one is given."""
    episode = Episode().said("driver", "Fan to two.")
    frames = [
        frame("response.text.delta", "r1", delta="I will set the fan"),
        frame("interrupt", None, heard_text="I will"),
    ]
    episode._session("frame", Frames, frames=frames)
    episode.turn(heard="I will", handed_over=False).said("driver", "No, to three.")
    usage = {"input_tokens": 7, "output_tokens": 1}
    frames = [
        frame("ignored", "r1", type="response.text.delta", delta=" to two."),
        frame("ignored", "r1", type="response.done", usage=usage),
        frame("response.text.delta", "r2", delta="Sorry."),
        frame("response.done", "r2"),
    ]
    episode._session("frame", Frames, frames=frames)
    return episode.turn(heard="Sorry.").end()


def record() -> Record:
    return cut_half_way().record


def test_a_cut_message_and_the_next_are_two() -> None:
    played = cut_half_way()
    said = [(each.text, each.turn) for each in Story(played.record, played.task).spoken]
    assert said == [("I will set the fan", 1), ("Sorry.", 2)]


def test_a_transcript_shows_where_a_message_was_cut() -> None:
    said = [line.text for line in transcript(record()) if line.who == "agent"]
    assert sorted(said) == ["I will set the fan …", "Sorry."]


def test_an_export_keeps_the_order_in_which_it_was_said() -> None:
    said = [(each["role"], each["content"]) for each in trajectory(record())]
    assert said[:4] == [
        ("user", "Fan to two."),
        ("assistant", "I will set the fan"),
        ("user", "No, to three."),
        ("assistant", "Sorry."),
    ]


def test_what_came_too_late_was_paid_for_all_the_same() -> None:
    used = agent_usage(record(), Prices())
    assert used is not None
    assert (used.input_tokens, used.output_tokens) == (7, 1)
