"""What still comes of a turn that was cut counts for no other."""

import orjson
import pytest

from assistant_gateway.conversation.effects import HandOver, SendCommand, ToAgent, YourTurn
from assistant_gateway.protocol import (
    Body,
    ErrorFrame,
    Interrupt,
    ResponseDone,
    ResponseStart,
    ResponseTextDelta,
    ToolCall,
    UserInterject,
)
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.gateways import VIN, raw, rig
from tests.assistant_gateway.talking import Talk, bodies, turns
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Topics

LONG = "The window on the driver's side is closed now and the heating is on as well."
MEANT = ("No,", "the", "other", "window")
MORE = ResponseTextDelta(delta=" And more.")
SORRY = (ResponseTextDelta(delta="Sorry."), ResponseDone())


def asked_anew(rid: str | None = "old") -> Talk:
    """The driver spoke over a message that is still open, and waits for another answer."""
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=MEANT, after_words=2))
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), rid=rid)
    talk.until_quiet()
    assert len(turns(talk)) == 1
    talk.counted.clear()
    return talk


def silent() -> Talk:
    """The agent said nothing at all, and the driver has not spoken again yet."""
    talk = Talk()
    talk.says("close the window")
    talk.until_quiet(but=HandOver)
    talk.drain()
    return talk


@pytest.mark.parametrize(
    "late", [ResponseStart(), MORE, ToolCall(name="one", arguments={}), ResponseDone()]
)
def test_nothing_late_counts_for_the_next_turn(late: Body) -> None:
    talk = asked_anew()
    effects = talk.agent(late, rid="old", cid="a", after_ns=100 * MS)
    assert not any(isinstance(effect, SendCommand) for effect in effects)
    assert talk.counted == [False]
    assert talk.conversation.owes
    talk.agent(*SORRY, rid="new")
    talk.until_quiet()
    _, second = turns(talk)
    assert (second.heard_agent, second.calls, second.handed_over) == ("Sorry.", 0, True)


def test_the_old_message_may_still_come_while_the_new_one_does() -> None:
    talk = asked_anew()
    talk.agent(SORRY[0], rid="new")
    talk.agent(MORE, rid="old")
    talk.agent(ResponseDone(), rid="old")
    assert talk.conversation.owes
    talk.agent(ResponseDone(), rid="new")
    talk.until_quiet()
    assert talk.counted == [True, False, False, True]
    assert turns(talk)[1].heard_agent == "Sorry."


def test_agent_stop_is_a_span_of_the_next_turn() -> None:
    talk = asked_anew()
    [cut] = [body for body in bodies(talk.effects) if isinstance(body, Interrupt)]
    talk.agent(MORE, rid="old", after_ns=100 * MS)
    last_ns = talk.now_ns
    talk.agent(*SORRY, rid="new")
    talk.until_quiet()
    assert turns(talk)[1].spans["agent_stop"] == last_ns - cut.now_ns


def test_a_message_begun_before_the_agent_is_asked_anew_is_late_as_a_whole() -> None:
    talk = silent()
    [error] = bodies(talk.agent(SORRY[0], rid="old"))
    assert isinstance(error, ErrorFrame)
    assert error.code == "not_your_turn"
    talk.says("hello?")
    assert not talk.agent(MORE, rid="old")
    talk.agent(*SORRY, rid="new")
    talk.until_quiet()
    assert turns(talk)[1].heard_agent == "Sorry."


def test_an_agent_that_is_too_late_learns_it_when_its_message_ends() -> None:
    talk = asked_anew()
    assert not talk.agent(MORE, rid="old")
    [sent] = talk.agent(ResponseDone(), rid="old")
    assert isinstance(sent, ToAgent)
    assert isinstance(sent.body, ErrorFrame)
    assert (sent.body.code, sent.rid) == ("too_late", "old")


@pytest.mark.parametrize("turn", [None, 1])
def test_an_agent_that_says_it_has_stopped_is_neither_corrected_nor_timed(turn: int | None) -> None:
    talk = asked_anew()
    stopped = ResponseDone(status="cancelled", reason="interrupted")
    assert not talk.agent(stopped, rid="old", turn=turn, after_ns=5 * MS)
    assert talk.counted == [False]
    talk.agent(*SORRY, rid="new")
    talk.until_quiet()
    assert "agent_stop" not in turns(talk)[1].spans


def test_a_rid_may_name_another_message_once_the_late_one_has_ended() -> None:
    talk = asked_anew(rid="always")
    talk.agent(MORE, ResponseDone(), rid="always")
    talk.agent(*SORRY, rid="always")
    talk.until_quiet()
    assert turns(talk)[1].heard_agent == "Sorry."


def test_giving_a_message_up_that_had_not_begun_is_no_mistake() -> None:
    assert not silent().agent(ResponseDone(status="cancelled"), rid="never begun")


def test_without_a_rid_everything_is_late_until_the_agent_is_asked_anew() -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=MEANT, after_words=2))
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), rid=None)
    talk.until_quiet(but=YourTurn)
    talk.drain()
    assert not talk.agent(MORE, rid=None)
    talk.until_quiet()
    talk.agent(*SORRY, rid=None)
    talk.until_quiet()
    assert turns(talk)[1].heard_agent == "Sorry."


async def test_a_record_keeps_what_came_too_late_apart_from_the_conversation() -> None:
    async with (
        rig() as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "frame")) as batches,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="slow")
        await user.until("session.opened")
        words = ["No,", "the", "other", "window"]
        await user.send("user.interject", utt="2", planned_words=words, after_words=2)
        await user.send("user.speech.start", utt="1", planned_words=["close", "it"])
        await agent.until("input.transcript.final")
        await agent.send("response.text.delta", rid="old", delta=LONG)
        await agent.until("interrupt")
        await agent.until("input.transcript.final")
        await agent.send("response.text.delta", rid="old", delta=" And more.")
        await agent.send("response.done", rid="old", usage={"input_tokens": 7})
        assert (await agent.until("error"))["data"]["code"] == "too_late"
        await agent.send("response.text.delta", rid="new", delta="Sorry.")
        await agent.send("response.done", rid="new")
        assert (await user.until("agent.speech.end"))["data"]["reason"] == "interrupted"
        assert (await user.until("agent.speech.end"))["data"]["heard_text"] == "Sorry."
        await user.send("user.control", word="STOP")
        await rigged.result()
        frames = []
        async for batch in batches:
            frames += orjson.loads(batch.payload)["frames"]
            if frames[-1]["type"] == "session.end":
                break
    said = [(each["rid"], each["data"]["delta"]) for each in frames if "delta" in each["data"]]
    ignored = [(each["way"], each["data"]["type"]) for each in frames if each["type"] == "ignored"]
    assert said == [("old", LONG), ("old", " And more."), ("new", "Sorry.")]
    assert ignored == [("ignored", "response.text.delta"), ("ignored", "response.done")]


def test_the_first_frame_of_an_old_answer_is_known_by_its_turn() -> None:
    talk = silent()
    talk.says("Hello?")
    talk.agent(MORE, ResponseDone(), rid="unseen", turn=1)
    assert talk.counted[-2:] == [False, False]
    assert talk.conversation.owes
    talk.agent(*SORRY, rid="new", turn=2)
    talk.until_quiet()
    assert turns(talk)[-1].heard_agent == "Sorry."


def test_a_message_given_up_before_its_first_word_is_no_answer_to_the_next_turn() -> None:
    talk = silent()
    talk.says("Hello?")
    talk.agent(ResponseDone(status="cancelled", reason="interrupted"), rid="unseen")
    assert talk.counted[-1:] == [False]
    assert talk.conversation.owes


def test_what_names_a_turn_that_ended_well_is_no_answer_to_the_next_one_either() -> None:
    talk = Talk()
    for said in ("close the window", "and the roof"):
        talk.says(said)
        answered = len(turns(talk))
        if answered:
            talk.agent(MORE, ResponseDone(), rid="stray", turn=1)
            assert talk.counted[-2:] == [False, False]
        talk.agent(*SORRY, turn=answered + 1)
        talk.until_quiet()
    assert [turn.heard_agent for turn in turns(talk)] == ["Sorry.", "Sorry."]
    assert "agent_stop" not in turns(talk)[1].spans


def test_agent_stop_is_measured_only_after_a_cut_turn() -> None:
    talk = asked_anew()
    talk.agent(*SORRY, rid="new", turn=2)
    talk.until_quiet()
    talk.says("thank you")
    talk.agent(MORE, rid="unseen", turn=2)
    talk.agent(*SORRY, rid="newer", turn=3)
    talk.until_quiet()
    assert "agent_stop" not in turns(talk)[2].spans


async def test_a_simulated_agent_is_not_blamed_in_a_turn_for_what_came_of_another() -> None:
    async with (
        rig(simulated=True) as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "turn")) as finished,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="late")
        await user.until("session.opened")
        for turn in (1, 2):
            await user.send("user.speech.start", utt=str(turn), planned_words=["close", "it"])
            await agent.until("input.transcript.final")
            stray = {"type": "response.text.delta", "turn": turn - 1, "ts": {"due_ns": 0}}
            await agent.socket.send(orjson.dumps({**stray, "data": {"delta": "Yes."}}).decode())
            await agent.send("response.text.delta", rid=f"r{turn}", delta="Done.")
            await agent.send("response.done", rid=f"r{turn}")
            said = await user.until("agent.speech.end")
            assert said["data"]["heard_text"] == "Done."
        await user.send("user.control", word="STOP")
        await rigged.result()
        sent = [orjson.loads((await anext(finished)).payload) for _ in (1, 2)]
    assert not any("agent_ms" in each["harness"] for each in sent)
