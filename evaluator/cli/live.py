"""What runs until it is stopped: `serve`, `agent`, `vehicle`, `bridge` and others; and `say`."""

from evaluator.options import (
    AgentOptions,
    BridgeOptions,
    Json,
    MockOptions,
    SayOptions,
    ServeOptions,
    TalkOptions,
    VehicleOptions,
)


def serve(options: ServeOptions) -> None:
    """Show a car and its assistant on a page, and talk to it there."""
    from evaluator.cockpit.serve import serve
    from evaluator.commands.persons import in_terminal

    serve(options, in_terminal(options))


def play(options: TalkOptions) -> None:
    """Drive in the terminal: you type, the assistant answers.

    /help lists commands, Ctrl-D ends it.
    """
    from evaluator.live.settings import talk_setup
    from evaluator.terminal.play import play

    play(*talk_setup(options))


def agent(options: AgentOptions) -> None:
    """Connect an agent to a remote gateway.

    It serves until the gateway closes.
    """
    from evaluator.commands.agent import serve

    serve(options)


def vehicle(options: VehicleOptions, as_json: Json = False) -> None:
    """Put one car on a broker, open to any MQTT client.

    It stays until it is stopped.
    """
    from evaluator.commands.vehicle import serve

    serve(options, as_json=as_json)


def bridge(options: BridgeOptions) -> None:
    """Show a car on a broker to another vehicle stack: a databroker of Eclipse KUKSA.

    It runs until it is stopped.
    """
    from evaluator.commands.vehicle import bridge

    bridge(options)


def mock_llm(options: MockOptions) -> None:
    """Serve an OpenAI-compatible API without a model.

    Answers come from a script or from rules; no key, no network.
    """
    from evaluator.commands.mock_llm import serve

    serve(options)


def say(options: SayOptions, as_json: Json = False) -> None:
    """Speak a text as the driver would, with the noise of a car around it.

    The same command writes the same samples wherever the same synthesiser is.
    """
    from evaluator.commands.say import say

    say(options, as_json=as_json)
