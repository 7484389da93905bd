"""docs/protocol.md leaves out nothing that travels between the gateway and an agent."""

from pathlib import Path

import pytest

from assistant_gateway.conversation.playout import Playout
from assistant_gateway.conversation.sound_playout import SoundPlayout
from assistant_gateway.conversation.turn import Turn
from assistant_gateway.protocol import FROM_AGENT, TO_AGENT, Body
from assistant_gateway.timing.budgets import DEFAULT_BUDGETS
from assistant_gateway.timing.speech import constant_speech
from tests.assistant_gateway.sound.test_gate import burst

TEXT = (Path(__file__).parents[1] / "docs" / "protocol.md").read_text(encoding="utf-8")
OUR_OWN = {"now_ns", "user_speech_end_ns", "eou_reason"}  # stamps, told for the record


@pytest.mark.parametrize("kind", sorted({**TO_AGENT, **FROM_AGENT}))
def test_every_frame_is_explained(kind: str) -> None:
    assert f"`{kind}" in TEXT


@pytest.mark.parametrize("body", TO_AGENT.values(), ids=lambda body: body.TYPE)
def test_every_field_an_agent_is_sent_is_named(body: type[Body]) -> None:
    assert [name for name in body.model_fields if name not in OUR_OWN and name not in TEXT] == []


@pytest.mark.parametrize("kind", [Playout, SoundPlayout])
def test_every_latency_is_explained(kind: type[Playout]) -> None:
    playout = kind(constant_speech())
    if isinstance(playout, SoundPlayout):
        playout.play(burst(100), 0)
    turn = Turn(1, "A", playout, DEFAULT_BUDGETS)
    turn.spoken_over = [(0, 1)]
    turn.barge_stop_ns = turn.agent_stop_ns = 0
    assert [name for name in turn.spans(0) if f"`{name}`" not in TEXT] == []
