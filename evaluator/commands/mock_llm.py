"""`codriver mock-llm`: a model server without a model, until it is interrupted."""

import asyncio
import sys

from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.pacing import Timing, fixed_timing
from assistant_gateway.mock_llm.player import AssistantPlayer, Impersonator
from assistant_gateway.mock_llm.script import Player, ScriptError, read_script
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.sound.voice import NoSynthesiser, espeak
from assistant_gateway.timing.latency import latency_profile
from evaluator.allowed_values import profile_of
from evaluator.event_loop import check_uvloop, run_until_interrupted
from evaluator.options import MockOptions
from evaluator.problems import UsageProblem
from evaluator.run.sound import said_folder

RULES = "rules"


def serve(options: MockOptions) -> None:
    """Print the base URL once clients can connect, and serve; raises `UsageProblem`."""
    answers, timing = player(options), timing_of(options)
    if options.uvloop:
        check_uvloop()
    run_until_interrupted(_serve(answers, timing, options), uvloop=options.uvloop)


def player(options: MockOptions) -> Impersonator:
    """A script or an assistant, exactly one; raises `UsageProblem`."""
    if (options.script is None) == (options.agent is None):
        raise UsageProblem("give either --script FILE or --agent rules")
    if options.script is not None:
        try:
            return Player(read_script(options.script))
        except ScriptError as error:
            raise UsageProblem(f"--script: {error}") from error
    if options.agent != RULES:
        raise UsageProblem(f"--agent is {RULES}, not {options.agent!r}")
    from assistant_gateway.agents.rules.agent import respond

    return AssistantPlayer(RULES, respond)


def timing_of(options: MockOptions) -> Timing:
    """How fast answers come; raises `UsageProblem`."""
    if options.first_token_ms is not None:
        if options.latency_profile != MockOptions.latency_profile:
            raise UsageProblem("give either --latency-profile or --first-token-ms")
        return fixed_timing(options.first_token_ms)
    profile = profile_of("--latency-profile", options.latency_profile, latency_profile)
    return Timing(profile, options.seed)


async def voice_of_model(options: MockOptions) -> FrontVoice | None:
    """What speaks for the model; None where nothing here can speak."""
    try:
        return FrontVoice(await espeak(), said_folder(), options.lead_in_ms)
    except NoSynthesiser as error:
        if options.lead_in_ms:
            raise UsageProblem(f"--lead-in-ms: {error}") from error
        sys.stderr.write(f"in text only: {error}\n")
        return None


async def _serve(player: Impersonator, timing: Timing, options: MockOptions) -> None:
    voice, host, port = await voice_of_model(options), options.host, options.port
    async with mock_llm(player, timing=timing, voice=voice, host=host, port=port) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
