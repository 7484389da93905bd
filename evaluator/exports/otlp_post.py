"""Traces of a run sent to a collector: OTLP over HTTP, as JSON, a request per unit."""

from urllib.parse import urlsplit

import orjson

from assistant_gateway.models.access import may_hold_secret
from evaluator.exports.otlp import export_request
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.stored_run.run import StoredRun

PATH = "/v1/traces"
TIMEOUT_S = 30.0
SHOWN = 200


class CollectorProblem(InfraProblem):
    """The collector cannot be reached, or does not take the traces."""

    kind = "collector"


def post_otlp(run: StoredRun, url: str, headers: tuple[str, ...]) -> dict[str, int]:
    """Send all units; counts spans. Raises `UsageProblem` or `CollectorProblem`."""
    import httpx2

    address, fields = traces_url(url), _fields(headers)
    units = spans = 0
    with httpx2.Client(timeout=TIMEOUT_S, headers=fields) as client:
        for units, unit in enumerate(run, 1):
            request, number = export_request(run, unit)
            spans += number
            try:
                answer = client.post(address, content=orjson.dumps(request))
            except httpx2.HTTPError as error:
                why = str(error) or type(error).__name__
                raise CollectorProblem(f"no collector answers at {address}: {why}") from error
            if not answer.is_success:
                said = f"{answer.status_code} {answer.text[:SHOWN]}".strip()
                raise CollectorProblem(f"{address} took {units - 1} units and refused one: {said}")
    return {"units": units, "spans": spans}


def traces_url(url: str) -> str:
    """The address with the usual path, unless another is named; raises `UsageProblem`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageProblem("--to is no address; expected one such as http://127.0.0.1:4318")
    if may_hold_secret(url):
        raise UsageProblem(
            "--to carries a password or a query, and the address is printed; name host and path "
            "alone, and put the key into --header"
        )
    return url if parts.path.strip("/") else f"{url.rstrip('/')}{PATH}"


def _fields(headers: tuple[str, ...]) -> dict[str, str]:
    fields = {"Content-Type": "application/json"}
    for header in headers:
        name, mark, value = header.partition(":")
        if not mark or not name.strip():
            raise UsageProblem("a --header is no header; expected 'Name: value'")
        fields[name.strip()] = value.strip()
    return fields
