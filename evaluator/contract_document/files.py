"""The contract as the files that `codriver contract` writes."""

from typing import Any

import orjson
import yaml

from evaluator.contract_document.asyncapi import document
from evaluator.contract_document.schemas import bundles

ASYNCAPI_FILE = "asyncapi.yaml"
INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def asyncapi_yaml() -> str:
    """The AsyncAPI document as its file has it."""
    return yaml.dump(document(), Dumper=_Readable, sort_keys=False, allow_unicode=True, width=100)


class _Readable(yaml.SafeDumper):
    """Texts of several lines stay as they are, and nothing is an alias of something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Readable.add_representer(str, _text)


def schema_files() -> dict[str, bytes]:
    """The JSON Schema documents by file name."""
    return {
        f"{name}.schema.json": orjson.dumps(schema, option=INDENTED)
        for name, schema in bundles().items()
    }
