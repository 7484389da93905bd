"""Scripts that complete `codriver` in a shell: everything is in them, nothing is asked later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from assistant_gateway import protocol
from assistant_gateway.agents.agent import IN_PROCESS
from assistant_gateway.timing.budgets import BUDGET_PROFILES
from assistant_gateway.timing.latency import LATENCY_PROFILES
from assistant_gateway.timing.speech import SPEECH_PROFILES
from evaluator.allowed_values import KINDS
from evaluator.commands.export import FORMATS
from evaluator.options import KeepAudio, SpeechKind
from evaluator.scoring.scores import Profile
from evaluator.task.fault_sets import NONE, shipped_sets
from evaluator.task.selection import SPLITS, TASK_TYPES

FILES = "files"
# Values that can be listed; those with a colon, such as openai:MODEL, cannot be completed in bash.
VALUES: Mapping[str, Sequence[str]] = {
    "--agent": (*sorted(IN_PROCESS), "wizard", "ws"),
    "--broker": tuple(KINDS),
    "--budget-profile": tuple(BUDGET_PROFILES.shipped),
    "--faults": (NONE, *shipped_sets()),
    "--format": FORMATS,
    "--keep-audio": get_args(KeepAudio),
    "--latency-profile": tuple(LATENCY_PROFILES.shipped),
    "--pace": get_args(protocol.Pace),
    "--profile": get_args(Profile),
    "--speech": get_args(SpeechKind),
    "--speech-profile": tuple(SPEECH_PROFILES.shipped),
    "--task-split": SPLITS,
    "--task-type": TASK_TYPES,
    "--user": ("scripted", "human"),
}


@dataclass(frozen=True, slots=True)
class OptionWord:
    """An option with the first sentence of its help; `takes` values, files, or nothing at all."""

    name: str
    help: str
    takes: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class CommandWord:
    """A command or a group of them, called by its `path`; `after` are the words that may follow."""

    path: str
    help: str
    options: tuple[OptionWord, ...]
    after: tuple[str, ...] = ()


def command_words(root: Any, context: Any) -> list[CommandWord]:
    """All commands and groups; the first is `codriver` itself."""
    return list(_words(root, context, ""))


def _words(command: Any, context: Any, path: str) -> Iterator[CommandWord]:
    below = getattr(command, "commands", {})
    options = tuple(
        OptionWord(each.opts[0], _sentence(each.help), _takes(each))
        for each in command.get_params(context)
        if each.param_type_name == "option"
    )
    yield CommandWord(path, _sentence(command.help), options, tuple(below))
    for name, each in below.items():
        yield from _words(each, context, f"{path} {name}".strip())


def _takes(option: Any) -> Sequence[str] | None:
    if option.is_flag:
        return None
    if option.type_descriptor.annotation in (Path, list[Path]):
        return (FILES,)
    return VALUES.get(option.opts[0], ())


def _sentence(text: str | None) -> str:
    """The first sentence, without what a shell would read as its own."""
    first = (text or "").split("\n\n")[0].split(". ")[0].split("; ")[0]
    return " ".join(first.split()).rstrip(".").translate(str.maketrans("", "", "'\"`$\\[]"))


# --- bash

BASH = """\
# Completes codriver in bash; written by `codriver completion bash`.
_codriver() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command="" word words=""
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$command/$word" in
            %(steps)s) command="${command:+$command }$word" ;;
        esac
    done
    case "$before" in
%(values)s
    esac
    case "$command" in
%(words)s
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _codriver codriver
"""


def bash(commands: Sequence[CommandWord]) -> str:
    values = {each.name: each.takes for command in commands for each in command.options}
    cases = [
        f'        {name}) [ "$current" = = ] || '
        f'{{ COMPREPLY=($(compgen -W "{" ".join(takes)}" -- "$current")); return; }} ;;'
        for name, takes in sorted(values.items())
        if takes and FILES not in takes
    ]
    others = sorted(name for name, takes in values.items() if takes is not None)
    cases.append(f"        {'|'.join(others)}) return ;;")
    words = [
        f'        "{command.path}") words="{" ".join(_after(command))}" ;;' for command in commands
    ]
    return BASH % {"steps": _steps(commands), "values": "\n".join(cases), "words": "\n".join(words)}


def _after(command: CommandWord) -> list[str]:
    return [*command.after, *(each.name for each in command.options)]


def _steps(commands: Sequence[CommandWord]) -> str:
    """Patterns of a command so far and the word that makes another one of it."""
    return "|".join(f'"{each.path}/{name}"' for each in commands for name in each.after)


# --- zsh

ZSH = """\
#compdef codriver
# Completes codriver in zsh; written by `codriver completion zsh`.
_codriver() {
    local command="" word before=${words[CURRENT-1]}
    local -a found
    for word in ${words[2,CURRENT-1]}; do
        case "$command/$word" in
            %(steps)s) command="${command:+$command }$word" ;;
        esac
    done
    case "$before" in
%(values)s
    esac
    case "$command" in
%(words)s
    esac
    case "$command" in
        %(groups)s) _describe codriver found ;;
        *) if [[ $PREFIX == -* ]]; then _describe codriver found; else _files; fi ;;
    esac
}
if [ "$funcstack[1]" = _codriver ]; then _codriver "$@"; else compdef _codriver codriver; fi
"""


def zsh(commands: Sequence[CommandWord]) -> str:
    values = {each.name: each.takes for command in commands for each in command.options}
    cases = []
    for name, takes in sorted(values.items()):
        if takes and FILES in takes:
            cases.append(f"        {name}) _files; return ;;")
        elif takes:
            cases.append(f"        {name}) compadd -- {' '.join(takes)}; return ;;")
    words = []
    for command in commands:
        below = {each.path: each.help for each in commands}
        listed = [
            *(f"'{name}:{below[f'{command.path} {name}'.strip()]}'" for name in command.after),
            *(f"'{each.name}:{each.help.replace(':', ' -')}'" for each in command.options),
        ]
        words.append(f'        "{command.path}") found=({" ".join(listed)}) ;;')
    return ZSH % {
        "steps": _steps(commands),
        "values": "\n".join(cases),
        "words": "\n".join(words),
        "groups": "|".join(f'"{each.path}"' for each in commands if each.after),
    }


# --- fish


def fish(commands: Sequence[CommandWord]) -> str:
    lines = ["# Completes codriver in fish; written by `codriver completion fish`."]
    helps = {each.path: each.help for each in commands}
    for command in commands:
        here = _fish_condition(command)
        for name in command.after:
            text = helps[f"{command.path} {name}".strip()]
            lines.append(f"complete -c codriver -f -n '{here}' -a {name} -d '{text}'")
        for option in command.options:
            line = f"complete -c codriver -n '{here}' -l {option.name[2:]}"
            if option.takes and FILES in option.takes:
                line += " -r -F"
            elif option.takes:
                line += f" -x -a '{' '.join(option.takes)}'"
            elif option.takes is not None:
                line += " -x"
            lines.append(f"{line} -d '{option.help}'")
    return "\n".join([*lines, ""])


def _fish_condition(command: CommandWord) -> str:
    if not command.path:
        return "__fish_use_subcommand"
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.path.split())
    if command.after:
        seen += f"; and not __fish_seen_subcommand_from {' '.join(command.after)}"
    return seen


SCRIPTS: Mapping[str, Callable[[Sequence[CommandWord]], str]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
