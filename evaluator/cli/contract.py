"""`codriver contract`: topics and frames as AsyncAPI and JSON Schema."""

from pathlib import Path
from typing import Annotated

from evaluator.options import Json, Option

Folder = Annotated[
    Path | None,
    Option("Folder to write into instead of printing.", variable="CODRIVER_CONTRACT_OUT"),
]


def asyncapi(out: Folder = None, as_json: Json = False) -> None:
    """Print the contract as an AsyncAPI 3.1 document: all topics and frames with their schemas.

    With --out it is written to asyncapi.yaml.
    """
    from evaluator.contract_document.writing import print_asyncapi

    print_asyncapi(out, as_json=as_json)


def schemas(out: Folder = None, as_json: Json = False) -> None:
    """Print the JSON Schemas of payloads and frames as one JSON object.

    With --out each of its values is a file: bus, and to and from agents and drivers.
    """
    from evaluator.contract_document.writing import print_schemas

    print_schemas(out, as_json=as_json)


def check(
    file: Annotated[
        Path, Option("AsyncAPI document of an earlier codriver.", argument="ASYNCAPI_FILE")
    ],
    as_json: Json = False,
) -> None:
    """Say whether what was built against an earlier document still works.

    Exits with 1 and names what is gone, has another type, or is required now.
    """
    from evaluator.contract_document.writing import check as check_file

    check_file(file, as_json=as_json)
