"""`codriver contract`: topics and frames as AsyncAPI and JSON Schema."""

from pathlib import Path
from typing import Annotated

from evaluator.options import Json, Option


def asyncapi(
    out: Annotated[
        Path | None,
        Option(
            "Folder to write asyncapi.yaml into, instead of printing it.",
            variable="CODRIVER_CONTRACT_ASYNCAPI_OUT",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the contract as an AsyncAPI 3.1 document: all topics and frames with their schemas."""
    from evaluator.commands.contract import print_asyncapi

    print_asyncapi(out, as_json=as_json)


def schemas(
    out: Annotated[
        Path | None,
        Option(
            "Folder to write the schemas into, a file each, instead of printing them.",
            variable="CODRIVER_CONTRACT_SCHEMAS_OUT",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the JSON Schemas of payloads and frames as one JSON object.

    Its values are documents: the bus, and frames to and from agents and drivers.
    """
    from evaluator.commands.contract import print_schemas

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
    from evaluator.commands.contract import check as check_file

    check_file(file, as_json=as_json)
