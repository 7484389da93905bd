"""`codriver.toml`: defaults of options, below what the environment and the command line say.

Each table is a command, each key an option without its dashes; keys above all tables are for every
command that has the option.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from evaluator.problems import UsageProblem
from evaluator.secret_options import HIDDEN, may_be_secret

FILE = Path("codriver.toml")
NAMED_BY = "CODRIVER_CONFIG"
NO_DEFAULTS = ("help", "version")


@dataclass(frozen=True, slots=True)
class ConfiguredOption:
    """An option that is not left at its default, and where its value comes from."""

    command: str
    option: str
    value: Any
    source: str


def config_file() -> Path | None:
    """The file in force: the one named in the environment, else that of this folder."""
    named = os.environ.get(NAMED_BY)
    if named:
        return Path(named)
    return FILE if FILE.is_file() else None


def defaults(root: Any, context: Any) -> dict[str, Any] | None:
    """What the file says, as typer takes defaults: by command and parameter.

    Raises `UsageProblem` with the name of the key, or of the nearest one there is.
    """
    file = config_file()
    return None if file is None else _Reading(file, context).defaults(root)


def settings(root: Any, context: Any) -> Iterator[ConfiguredOption]:
    """Every option of every command that environment or file set, as the command would see it."""
    given = defaults(root, context) or {}
    for path, command in commands(root):
        from_file: Any = given
        for name in path:
            from_file = from_file.get(name, {})
        for option in options(command).values():
            name = option.opts[0]
            if (text := os.environ.get(option.envvar)) if option.envvar else None:
                yield ConfiguredOption(" ".join(path), name, _shown(name, text), option.envvar)
            elif option.name in from_file:
                value = _shown(name, from_file[option.name])
                yield ConfiguredOption(" ".join(path), name, value, str(config_file()))


def commands(root: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command with the words that call it, groups left out."""
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def options(command: Any) -> dict[str, Any]:
    """Its parameters that may have a default in the file, by key."""
    return {
        each.opts[0].removeprefix("--"): each
        for each in command.params
        if each.param_type_name == "option" and each.name not in NO_DEFAULTS
    }


def _shown(option: str, value: Any) -> Any:
    return HIDDEN if may_be_secret(option, value) else value


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file that is read; the context is needed to check values."""

    file: Path
    context: Any

    def defaults(self, root: Any) -> dict[str, Any]:
        made: dict[str, Any] = {}
        content = self._content()
        tables = {key: value for key, value in content.items() if isinstance(value, dict)}
        self._check_keys(content.keys() - tables.keys(), _all_keys(root), "")
        for path, command in commands(root):
            known = options(command)
            place = made
            for name in path[:-1]:
                place = place.setdefault(name, {})
            common = {key: content[key] for key in known if key in content and key not in tables}
            own = self._table(tables, path, known)
            place[path[-1]] = {
                known[key].name: self._value(key, known[key], value)
                for key, value in {**common, **own}.items()
            }
        self._check_tables(root, tables, "")
        return made

    def _content(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.file.read_text(encoding="utf-8"))
        except OSError as error:
            raise self._problem(f"cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise self._problem(f"is no TOML: {error}") from error

    def _table(
        self, tables: Mapping[str, Any], path: tuple[str, ...], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        found: Any = tables
        for name in path:
            found = found.get(name, {}) if isinstance(found, dict) else {}
        if not isinstance(found, dict):
            raise self._problem(
                f"{path[-1]} is a command: write its options below [{'.'.join(path)}]"
            )
        self._check_keys(found.keys(), known, f"[{'.'.join(path)}] ")
        return found

    def _check_keys(self, keys: Any, known: Any, where: str) -> None:
        for key in sorted(keys - set(known)):
            raise self._problem(f"{where}there is no option {key}{_nearest(key, known)}")

    def _check_tables(self, group: Any, tables: Mapping[str, Any], where: str) -> None:
        """Every table is a command or a group of commands."""
        for name in tables:
            command = group.commands.get(name)
            if command is None:
                near = _nearest(name, group.commands)
                raise self._problem(f"there is no command {where}{name}{near}")
            if hasattr(command, "commands"):
                self._check_tables(command, tables[name], f"{where}{name} ")

    def _value(self, key: str, option: Any, value: Any) -> Any:
        """The value as the option reads it; a list where it may be given often."""
        if option.is_flag:
            if not isinstance(value, bool):
                raise self._problem(f"{key} is true or false, not {value!r}")
            return value
        many = value if isinstance(value, list) else [value]
        if isinstance(value, list) and not option.multiple:
            raise self._problem(f"{key} takes one value, not a list")
        if any(isinstance(each, dict | list | bool) for each in many):
            raise self._problem(f"{key} takes texts and numbers, not {value!r}")
        texts = [str(each) for each in many]
        read = texts if option.multiple else texts[0]
        try:
            option.process_value(self.context, read)
        except typer.TyperException as error:
            raise self._problem(f"{key}: {error.message.rstrip('.')}") from error
        return read

    def _problem(self, why: str) -> UsageProblem:
        return UsageProblem(f"{self.file}: {why}")


def _all_keys(root: Any) -> set[str]:
    return {key for _, command in commands(root) for key in options(command)}


def _nearest(key: str, known: Any) -> str:
    near = get_close_matches(key.replace("_", "-"), list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
