"""Named profiles that ship as one YAML file, and any others from files of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from vehicle_bus.data_folder import quick_yaml
from vehicle_bus.validation_problem import first_problem

Profile = TypeVar("Profile", bound=BaseModel)


class BadProfile(ValueError):
    """There is no such profile; the text says which there are or what is wrong with the file."""


@dataclass(frozen=True)
class Profiles(Generic[Profile]):
    """Profiles of one kind; a file is read once, so that a run does not change on its way.

    `renamed` maps names that stored runs and scripts may still hold to those of today.
    """

    kind: type[Profile]
    file: Path
    renamed: Mapping[str, str] = field(default_factory=dict)
    _own: dict[str, Profile] = field(default_factory=dict, repr=False)

    @cached_property
    def shipped(self) -> Mapping[str, Profile]:
        """Those that ship, in the order of their file."""
        read = quick_yaml(self.file)
        adapter = TypeAdapter(self.kind)
        return {name: adapter.validate_python(fields) for name, fields in read.items()}

    def current(self, name: str) -> str:
        """The name of today."""
        return self.renamed.get(name, name)

    def named(self, name: str) -> Profile:
        """A shipped profile by name, or the one in a YAML file; raises `BadProfile`."""
        name = self.current(name)
        if name in self.shipped:
            return self.shipped[name]
        if Path(name).suffix not in (".yaml", ".yml"):
            known = ", ".join(self.shipped)
            raise BadProfile(f"expected one of {known}, or a .yaml file, not {name!r}")
        if name not in self._own:
            self._own[name] = self._read(Path(name))
        return self._own[name]

    def own(self, name: str) -> Mapping[str, Profile]:
        """What a name stands for, by that name, unless it ships and everybody knows it."""
        return {} if self.current(name) in self.shipped else {name: self.named(name)}

    def _read(self, file: Path) -> Profile:
        fields = _fields(file)
        try:
            return self.kind.model_validate(fields)
        except ValidationError as error:
            raise BadProfile(f"{file}: {first_problem(error)}") from error


def _fields(file: Path) -> dict[str, Any]:
    try:
        fields = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadProfile(f"{file} cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise BadProfile(f"{file} is no YAML: it is nested too deep") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadProfile(f"{file} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict):
        raise BadProfile(f"{file}: expected the fields of one profile, `source` among them")
    return fields
