"""The `codriver` command. Data on stdout, everything else on stderr.

Exit codes: 0 ok, 1 a gate failed, 2 usage, 3 the bench failed or the run is incomplete, 130
interrupted.
Heavy modules are imported by the command that needs them, so that `--help` is quick.
"""

import errno
import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated, Any

import typer

from evaluator.cli import bench, config, contract, live, run, stored_runs, tasks, world
from evaluator.cli.config_file import defaults
from evaluator.cli.signature import WIDEST_HELP, GroupedCommand, command
from evaluator.printable import LogLine, printable
from evaluator.problems import InfraProblem, Problem, UsageProblem

DEAD_OUTPUT = (errno.ENOSPC, errno.EPIPE)
Commands = Mapping[str, Callable[..., None]]

COMMANDS: Commands = {
    "demo": run.demo,
    "run": run.run,
    "mcp": run.mcp,
    "runs": stored_runs.runs,
    "score": stored_runs.score,
    "merge": stored_runs.merge,
    "view": stored_runs.view,
    "export": stored_runs.export,
    "compare": stored_runs.compare,
    "baseline": stored_runs.baseline,
    "report": stored_runs.report,
    "replay": stored_runs.replay,
    "serve": live.serve,
    "play": live.play,
    "agent": live.agent,
    "vehicle": live.vehicle,
    "bridge": live.bridge,
    "mock-llm": live.mock_llm,
    "say": live.say,
    "conformance": bench.conformance,
    "bench": bench.bench,
    "doctor": bench.doctor,
    "config": config.config,
    "completion": config.completion,
}
TASKS: Commands = {
    "list": tasks.list_tasks,
    "show": tasks.show_task,
    "generate": tasks.generate_tasks,
    "graph": tasks.show_graph,
    "hear": tasks.hear_replies,
    "validate": tasks.validate_tasks,
}
WORLD: Commands = {
    "build": world.build_world,
    "info": world.world_info,
    "import": world.import_world,
    "places": world.world_places,
    "routes": world.world_routes,
}
CONTRACT: Commands = {
    "asyncapi": contract.asyncapi,
    "schemas": contract.schemas,
    "check": contract.check,
}


def group(help_: str, commands: Commands, **more: Any) -> typer.Typer:
    """Commands under one name."""
    made = typer.Typer(help=help_, no_args_is_help=True, **more)
    for name, function in commands.items():
        made.command(name, cls=GroupedCommand)(command(function))
    return made


app = group(
    "A streaming test bench for in-car voice assistants.",
    COMMANDS,
    name="codriver",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": WIDEST_HELP},
)
app.add_typer(group("List, show and check tasks.", TASKS), name="tasks")
app.add_typer(group("Build and import worlds, and look things up in them.", WORLD), name="world")
app.add_typer(group("Topics and frames as AsyncAPI and JSON Schema.", CONTRACT), name="contract")


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"codriver {version('codriver')}\n")
        raise typer.Exit


@app.callback()
def codriver(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """A streaming test bench for in-car voice assistants."""
    if context.invoked_subcommand not in config.WITHOUT_FILE:
        context.default_map = defaults(context.command, context)


def main() -> None:
    """Run the command line; a problem becomes one line and an exit code."""
    if sys.stderr is None:  # closed by the shell
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - till the end
    to_stderr = logging.StreamHandler()
    to_stderr.setFormatter(LogLine("%(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[to_stderr])
    gc.set_threshold(50_000)  # imports make many objects, and hardly any garbage
    try:
        if sys.flags.optimize > 1:
            raise UsageProblem("codriver reads its docstrings: run python without -OO")
        code = app(prog_name="codriver", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except OSError as error:
        if error.errno not in DEAD_OUTPUT:
            raise
        _say_nothing_more()
        print(f"codriver: nothing more can be printed: {error.strerror}", file=sys.stderr)
        sys.exit(InfraProblem.exit_code)
    except Problem as problem:
        print(f"codriver: {printable(str(problem))}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except typer.TyperException as error:
        print(printable(_usage_problem(error)), file=sys.stderr)
        sys.exit(UsageProblem.exit_code)


def _say_nothing_more() -> None:
    """What is still to be printed cannot be, at the end of the program neither."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_problem(error: Any) -> str:
    """What is wrong with the command line; without any arguments the help of the group."""
    text: str = error.format_message().rstrip(".")
    if error.ctx is None or text.startswith("Usage:"):
        return text
    return f"codriver: {text[0].lower()}{text[1:]}; see {error.ctx.command_path} --help"
