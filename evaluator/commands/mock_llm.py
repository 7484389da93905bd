"""`codriver mock-llm`: a model server without a model, until it is interrupted."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from assistant_gateway.mock_llm.pacing import Timing, fixed_timing
from assistant_gateway.mock_llm.player import AssistantPlayer, Impersonator
from assistant_gateway.mock_llm.script import Player, ScriptError, read_script
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.timing.latency import latency_profile
from evaluator.option_values import profile_of
from evaluator.problems import UsageProblem
from evaluator.run_async import check_uvloop, run_async

RULES = "rules"


@dataclass(frozen=True, slots=True)
class MockOptions:
    """Who plays the model and how fast, as said on the command line."""

    script: Path | None = None
    agent: str | None = None
    latency_profile: str = "zero"
    first_token_ms: float | None = None
    seed: int = 10
    host: str = "127.0.0.1"
    port: int = 0
    uvloop: bool = False

    def player(self) -> Impersonator:
        """A script or an assistant, exactly one; raises `UsageProblem`."""
        if (self.script is None) == (self.agent is None):
            raise UsageProblem("give either --script FILE or --agent rules")
        if self.script is not None:
            try:
                return Player(read_script(self.script))
            except ScriptError as error:
                raise UsageProblem(f"--script: {error}") from error
        if self.agent != RULES:
            raise UsageProblem(f"--agent is {RULES}, not {self.agent!r}")
        from assistant_gateway.agents.rules.respond import respond

        return AssistantPlayer(RULES, respond)

    def timing(self) -> Timing:
        """Raises `UsageProblem`."""
        if self.first_token_ms is not None:
            if self.latency_profile != "zero":
                raise UsageProblem("give either --latency-profile or --first-token-ms")
            return fixed_timing(self.first_token_ms)
        profile = profile_of("--latency-profile", self.latency_profile, latency_profile)
        return Timing(profile, self.seed)


def serve(options: MockOptions) -> None:
    """The base URL on stdout, once clients can connect; raises `UsageProblem`."""
    player, timing = options.player(), options.timing()
    if options.uvloop:
        check_uvloop()
    try:
        run_async(_serve(player, timing, options), uvloop=options.uvloop)
    except KeyboardInterrupt:
        return


async def _serve(player: Impersonator, timing: Timing, options: MockOptions) -> None:
    async with mock_llm(player, timing=timing, host=options.host, port=options.port) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
