"""`codriver mock-llm`: a scripted model server until it is interrupted."""

import asyncio
import sys
from pathlib import Path

from assistant_gateway.mock_llm.script import MockScript, ScriptError, read_script
from assistant_gateway.mock_llm.server import mock_llm
from evaluator.problems import UsageProblem
from evaluator.run_async import run_async


def serve(file: Path, host: str, port: int) -> None:
    """The base URL on stdout, once clients can connect; raises `UsageProblem` for a bad script."""
    try:
        script = read_script(file)
    except ScriptError as error:
        raise UsageProblem(f"--script: {error}") from error
    try:
        run_async(_serve(script, host, port))
    except KeyboardInterrupt:
        return


async def _serve(script: MockScript, host: str, port: int) -> None:
    async with mock_llm(script, host=host, port=port) as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
