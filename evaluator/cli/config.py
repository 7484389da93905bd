"""How the command line itself is set up: `config` and `completion`."""

from typing import Annotated

import typer

from evaluator.options import Json, Option
from evaluator.problems import UsageProblem

WITHOUT_FILE = ("config", "completion")  # they have to work beside a file that does not


def config(
    context: typer.Context,
    command: Annotated[
        str | None, Option("Only this command, such as run.", argument="[COMMAND]")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show which options are not at their defaults, and whether environment or file says so.

    The command line wins over the environment, that over codriver.toml. Exits with 2 if the file
    cannot be used.
    """
    from evaluator.cli.config_file import commands, config_file, settings
    from evaluator.views.printing import print_json, print_rows

    root = context.find_root()
    found = list(settings(root.command, root))
    if command is not None:
        known = [" ".join(path) for path, _ in commands(root.command)]
        if command not in known:
            raise UsageProblem(f"there is no command {command!r}; see codriver --help")
        found = [each for each in found if each.command == command]
    file = config_file()
    if as_json:
        print_json({"file": None if file is None else str(file), "settings": found})
        return
    rows: dict[tuple[str, str, str], list[str]] = {}
    for each in found:
        rows.setdefault((each.option, str(each.value), each.source), []).append(each.command)
    print_rows(
        ("option", "value", "from", "commands"),
        [[*key, ", ".join(where)] for key, where in rows.items()],
        "no codriver.toml in this folder" if file is None else f"read: {file}",
    )


def completion(
    context: typer.Context,
    shell: Annotated[str, Option("bash, zsh or fish.", argument="SHELL")],
) -> None:
    """Print a script that completes commands, options and their values in a shell.

    bash: eval "$(codriver completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc, after
    compinit; fish: codriver completion fish >~/.config/fish/completions/codriver.fish.
    """
    import sys

    from evaluator.allowed_values import one_of
    from evaluator.cli.completion import SCRIPTS, command_words

    one_of("SHELL", shell, list(SCRIPTS))
    root = context.find_root()
    sys.stdout.write(SCRIPTS[shell](command_words(root.command, root)))
