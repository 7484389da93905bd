"""What a session learns from its car while it tells it the time."""

from dataclasses import replace
from typing import Any

from assistant_gateway.conversation.effects import SendCommand
from assistant_gateway.protocol import ToolCall, VehicleEvent
from assistant_gateway.session.arrivals import Arrival, CarNews, Inbox
from assistant_gateway.session.bus_outbox import BusOutbox
from assistant_gateway.session.car_link import CarLink
from assistant_gateway.session.measurement_error import TurnProbe
from assistant_gateway.timing.timeline import SECOND
from tests.assistant_gateway.talking import PLAN, Talk
from vehicle_bus.contract import TIME, CarEvent, Topics


def occurred(kind: str, t_ns: int = 0, **detail: Any) -> Arrival:
    event = CarEvent(src="car", seq=1, n=1, t_ns=t_ns, mono_ns=0, detail=detail)
    return Arrival("car", CarNews(kind, event), 0, 1)


async def test_an_answer_lost_meanwhile_is_no_news_for_the_agent_and_its_effect_counts() -> None:
    talk = Talk()
    talk.says("close it")
    [run] = talk.agent(ToolCall(name="one", arguments={}), cid="a")
    assert isinstance(run, SendCommand)
    outbox = BusOutbox(Topics(), "v", "s", "gateway", PLAN.batch_ns)
    car = CarLink(
        replace(PLAN, pace="fast"), outbox, talk.conversation, TurnProbe(), changes_by_itself=True
    )
    car.command(run.call, 0, 0)
    car.tells_events = True
    inbox = Inbox()
    lost: dict[str, Any] = {
        "call_id": "c1",
        "answered": False,
        "revision_before": 0,
        "revision_after": 1,
    }
    for arrival in (
        occurred("fault", **lost),
        occurred("knob", by="passenger"),
        occurred(TIME, 2 * SECOND),
    ):
        inbox.put_nowait(arrival)
    news = await car.catch_up(2 * SECOND, inbox)
    assert [each.body for each in news] == [
        VehicleEvent(kind="knob", detail={"by": "passenger"}, now_ns=2 * SECOND)
    ]
    assert not car.owes
    assert talk.conversation.floor.turn.effect_ns == 2 * SECOND
