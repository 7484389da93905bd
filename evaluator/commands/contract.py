"""`codriver contract`: the contract as documents, and whether an earlier one still holds."""

import sys
from pathlib import Path
from typing import Any

import yaml

from assistant_gateway.wording.spoken import counted
from evaluator.contract_document.asyncapi import document
from evaluator.contract_document.changes import breaking_changes
from evaluator.contract_document.files import ASYNCAPI_FILE, asyncapi_yaml, schema_files
from evaluator.contract_document.schemas import bundles
from evaluator.problems import GateFailed, UsageProblem
from evaluator.views.printing import print_json, print_rich


def print_asyncapi(out: Path | None, *, as_json: bool) -> None:
    """Write `asyncapi.yaml` into a folder, or print it; raises `UsageProblem`."""
    if out is not None:
        _write(out, {ASYNCAPI_FILE: asyncapi_yaml().encode()}, as_json=as_json)
    elif as_json:
        print_json(document())
    else:
        sys.stdout.write(asyncapi_yaml())


def print_schemas(out: Path | None, *, as_json: bool) -> None:
    """Write the schema documents into a folder, or print all of them; raises `UsageProblem`."""
    if out is not None:
        _write(out, schema_files(), as_json=as_json)
    else:
        print_json(bundles())


def _write(folder: Path, files: dict[str, bytes], *, as_json: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise UsageProblem(f"cannot write into {folder}: {error.strerror}") from error
    paths = [str(folder / name) for name in files]
    if as_json:
        print_json({"files": paths})
    else:
        print_rich("\n".join(paths))


def check(file: Path, *, as_json: bool) -> None:
    """Say what of an earlier AsyncAPI document no longer holds; raises `GateFailed` if any."""
    changes = breaking_changes(_read(file), document())
    if as_json:
        print_json({"file": str(file), "breaking": changes})
    elif not changes:
        print_rich(f"all of {file} still holds")
    else:
        print_rich("\n".join(changes))
    if changes:
        raise GateFailed(f"{file}: {counted(len(changes), 'breaking change')}")


def _read(file: Path) -> dict[str, Any]:
    try:
        earlier = yaml.safe_load(file.read_text(encoding="utf-8"))
        found: dict[str, Any] = dict(earlier)
        parts = (found["channels"], found["operations"], found["components"]["messages"])
        if not all(isinstance(part, dict) for part in (*parts, found["components"]["schemas"])):
            raise TypeError
    except OSError as error:
        raise UsageProblem(f"cannot read {file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise UsageProblem(
            f"{file} is no AsyncAPI document of codriver; `codriver contract asyncapi` makes one"
        ) from error
    return found
