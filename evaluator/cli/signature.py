"""How typer reads our commands: options come from annotations, `--help` groups them."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, is_dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any, ForwardRef, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperOption

from evaluator.options import SECTIONS, Option, option_fields, option_of
from evaluator.problems import UsageProblem

LARGEST = 2**53  # every file we write can hold it
MOST_WITHOUT_SECTIONS = 20
WIDEST_NAME = 30
WIDEST_HELP = 200  # columns, where the terminal has them
VARIABLES = (
    "Each option can also be given in the environment: {option} as {variable}. "
    "Where a variable has another name, it is shown."
)


class GroupedCommand(TyperCommand):
    """A command whose `--help` puts many options under headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        parameters = [each for each in self.get_params(ctx) if each.get_help_record(ctx)]
        names = [_name(each, ctx) for each in parameters]
        width = min(max(map(len, names)), WIDEST_NAME)
        rows: dict[str, list[tuple[str, str]]] = {
            title: [] for title in ("Arguments", *SECTIONS, "Options")
        }
        for parameter, name in zip(parameters, names, strict=True):
            _, text = parameter.get_help_record(ctx) or ("", "")
            rows[_section(parameter, len(parameters))].append((name.ljust(width), text))
        for title in filter(rows.get, rows):
            with formatter.section(title):
                formatter.write_dl(rows[title])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        for each in self.get_params(ctx):
            if isinstance(each, TyperOption) and each.envvar and not each.show_envvar:
                formatter.write_paragraph()
                text = VARIABLES.format(option=each.opts[0], variable=each.envvar)
                formatter.write_text(text)
                return


def _section(parameter: Any, parameters: int) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    section: str | None = parameter.rich_help_panel
    return section if section and parameters > MOST_WITHOUT_SECTIONS else "Options"


def _name(parameter: Any, ctx: Any) -> str:
    """As `--help` shows it: a switch that is off by default needs no opposite."""
    name = re.sub(r"<list\[(\w+)\]>|<(\w+) range>", r"<\1\2>", parameter.get_help_record(ctx)[0])
    off = parameter.param_type_name == "option" and parameter.is_flag and not parameter.default
    return name.partition(" / ")[0] if off else name


def command(function: Callable[..., None]) -> Callable[..., None]:
    """The function as typer reads it.

    Of its parameters, those annotated with an `Option` become one, and a dataclass of options is
    spread out into its fields; others are left to typer.
    """
    own = inspect.signature(function).parameters
    bundles = {name: kind for name, each in own.items() if (kind := _bundle(each.annotation))}

    def call(**given: Any) -> None:
        values = {name: _parsed(name, value) for name, value in given.items()}
        made = {
            name: kind(**{option: values.pop(option) for option in option_fields(kind)})
            for name, kind in bundles.items()
        }
        function(**made, **values)

    call.__dict__["__signature__"] = Signature(
        [each for parameter in own.values() for each in _spread(parameter)]
    )
    call.__doc__ = function.__doc__
    return call


def _bundle(annotation: Any) -> type | None:
    """The dataclass of options that a parameter is annotated with."""
    return annotation if isinstance(annotation, type) and is_dataclass(annotation) else None


def _spread(parameter: Parameter) -> Iterator[Parameter]:
    kind = _bundle(parameter.annotation)
    if kind is None:
        yield _typed(parameter.name, parameter.annotation, parameter.default)
        return
    for name, each in option_fields(kind).items():
        yield _typed(name, each.type, Parameter.empty if each.default is MISSING else each.default)


def _typed(name: str, annotation: Any, default: Any) -> Parameter:
    """A parameter as typer reads it; named values (`Literal`s) are checked when all are known."""
    if option := option_of(annotation):
        kind = get_args(annotation)[0]
        if isinstance(kind, ForwardRef) or get_origin(kind) is Literal:
            kind = str
        elif get_origin(kind) is tuple:
            kind, default = list[str], []
        annotation = Annotated[kind, _described(name, option, kind, default)]
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _described(name: str, option: Option, kind: Any, default: Any) -> Any:
    if option.argument:
        return typer.Argument(metavar=option.argument, help=option.help)
    flags = option.flags or (f"--{name.removesuffix('_s').replace('_', '-')}",)
    plain = flags[0].removeprefix("--")
    least, most = option.limits
    return typer.Option(
        *((f"--{plain}/--no-{plain}",) if kind is bool else flags),
        help=option.help,
        envvar=option.variable or f"CODRIVER_{plain.replace('-', '_').upper()}",
        show_envvar=bool(option.variable),
        show_default=kind is not bool or bool(default),
        min=least,
        max=most,
        rich_help_panel=option.section or None,
    )


def _parsed(name: str, value: Any) -> Any:
    """Texts that were given once or often, each perhaps with commas in it, as a tuple.

    Raises `UsageProblem` for a text that is empty, as an unset variable of a shell leaves it.
    """
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, int) and abs(value) > LARGEST:
        raise UsageProblem(f"{flag} is too large a number")
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return value
    parts = tuple(part for each in value for part in each.split(",") if part)
    if value and not parts:
        raise UsageProblem(f"{flag} is empty; give it a value, or leave it out")
    return parts
