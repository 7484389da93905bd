import pytest

from assistant_gateway.agents.agent import IN_PROCESS, AgentMessage, Call
from assistant_gateway.agents.baselines import SENTENCES, BaselineAgent
from assistant_gateway.agents.reference import GOODBYE, Aside, Look, ReferenceAgent, Say
from assistant_gateway.agents.rules.agent import RulesAgent

LOOK = Call("get_climate_settings")
FAN = Call("set_fan_speed", {"level": 2})
FINE = '{"status": "SUCCESS", "result": {"level": 2}}'
REFUSED = '{"status": "FAILURE", "errors": {"SET_FAN_SPEED_001": "SetFanSpeed_001: no"}}'
FAULTY = '{"status": "FAILURE", "errors": {"NOT_AVAILABLE": "please try again"}}'
LOST = "the car did not answer set_fan_speed within 5 s"


def test_reference_makes_one_call_per_message_and_then_speaks() -> None:
    agent = ReferenceAgent((LOOK, FAN, Say("I've set the fan to level 2.")))
    assert agent.on_heard("Fan on two.") == AgentMessage(calls=(LOOK,))
    assert agent.on_results(((LOOK, FINE),)) == AgentMessage(calls=(FAN,))
    assert agent.on_results(((FAN, FINE),)) == AgentMessage("I've set the fan to level 2.")


def test_reference_goes_on_after_its_question_is_answered() -> None:
    agent = ReferenceAgent((Say("Which level?"), FAN))
    assert agent.on_heard("The fan, please.") == AgentMessage("Which level?")
    assert agent.on_heard("Two.") == AgentMessage(calls=(FAN,))


def test_an_aside_is_spoken_beside_the_next_call() -> None:
    agent = ReferenceAgent((Aside("Let me check."), LOOK, FAN))
    assert agent.on_heard("Fan on two.") == AgentMessage("Let me check.", (LOOK,))
    assert agent.on_results(((LOOK, FINE),)) == AgentMessage(calls=(FAN,))


@pytest.mark.parametrize("spoilt", [REFUSED, ""])
def test_reference_tries_a_refused_call_once_more_and_only_once(spoilt: str) -> None:
    agent = ReferenceAgent((FAN, Say("Done with that.")))
    agent.on_heard("Fan on two.")
    assert agent.on_results(((FAN, spoilt),)) == AgentMessage(calls=(FAN,))
    assert agent.on_results(((FAN, spoilt),)) == AgentMessage("Done with that.")


@pytest.mark.parametrize("spoilt", [LOST, FAULTY])
def test_reference_tries_three_times_and_then_admits_that_it_did_not_work(spoilt: str) -> None:
    agent = ReferenceAgent((FAN, LOOK, Say("The fan is on two."), FAN), "no {}".format)
    agent.on_heard("Fan on two.")
    for _ in range(2):
        assert agent.on_results(((FAN, spoilt),)) == AgentMessage(calls=(FAN,))
    assert agent.on_results(((FAN, spoilt),)) == AgentMessage("no set_fan_speed")
    assert agent.on_heard("Try again.") == AgentMessage(calls=(FAN,))


def test_reference_takes_a_refusal_to_do_a_thing_twice_for_done() -> None:
    agent = ReferenceAgent((FAN, Say("Done with that.")))
    agent.on_heard("Fan on two.")
    assert agent.on_results(((FAN, LOST),)) == AgentMessage(calls=(FAN,))
    assert agent.on_results(((FAN, REFUSED),)) == AgentMessage("Done with that.")


def test_reference_sends_no_mail_twice() -> None:
    mail = Call("send_email", {"email_addresses": ["ann@postbox.example"]})
    agent = ReferenceAgent((mail, Say("Sent.")), doubt="maybe {}".format)
    agent.on_heard("Mail Ann.")
    lost = "the car did not answer send_email within 5 s"
    assert agent.on_results(((mail, lost),)) == AgentMessage("maybe send_email")


def test_reference_looks_again_when_an_answer_cannot_be() -> None:
    look = Look("get_climate_settings", {}, answer=FINE)
    agent = ReferenceAgent((look, Say("The fan is on two.")))
    agent.on_heard("How fast is the fan?")
    wrong = FINE.replace("2", "5")
    assert agent.on_results(((look, wrong),)) == AgentMessage(calls=(look,))
    assert agent.on_results(((look, wrong),)) == AgentMessage("The fan is on two.")


def test_every_call_may_be_tried_again() -> None:
    agent = ReferenceAgent((LOOK, FAN))
    agent.on_heard("Fan on two.")
    assert agent.on_results(((LOOK, LOST),)) == AgentMessage(calls=(LOOK,))
    assert agent.on_results(((LOOK, FINE),)) == AgentMessage(calls=(FAN,))
    assert agent.on_results(((FAN, LOST),)) == AgentMessage(calls=(FAN,))


def test_a_bare_number_is_an_answer_too() -> None:
    agent = ReferenceAgent((Call("calculate_math"), Say("Four.")))
    agent.on_heard("Two and two?")
    assert agent.on_results(((Call("calculate_math"), "4.0"),)) == AgentMessage("Four.")


def test_reference_takes_its_leave_when_the_plan_is_over() -> None:
    agent = ReferenceAgent((Say("Hello."),))
    agent.on_heard("Hi.")
    assert agent.on_heard("And now?") == agent.on_heard("And?") == AgentMessage(GOODBYE)


def test_null_hands_over_at_once_without_a_word() -> None:
    assert BaselineAgent("null").on_heard("Open the trunk.") == AgentMessage()


def test_claims_says_it_is_done_and_calls_nothing() -> None:
    message = BaselineAgent("claims").on_heard("Open the trunk.")
    assert message.text == "It's done."
    assert message.calls == ()


def test_agents_have_the_names_used_on_the_command_line() -> None:
    baselines = {BaselineAgent(name).name for name in SENTENCES}
    assert {ReferenceAgent(()).name, RulesAgent().name} | baselines == IN_PROCESS
