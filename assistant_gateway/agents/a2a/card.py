"""Finding an A2A agent: its card, and the address it really has."""

import json
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx
from a2a.client import A2ACardResolver
from a2a.client.errors import A2AClientError
from a2a.types import AgentCard

from assistant_gateway.models.access import NO_KEY, Access
from assistant_gateway.models.errors import one_line
from assistant_gateway.server import NoAgent

CARD_TIMEOUT_S = 10.0
IDLE_CONNECTION_S = 60.0  # longer than a driver speaks: no turn pays for a new connection


def http_client(access: Access) -> httpx.AsyncClient:
    headers = {} if access.key == NO_KEY else {"Authorization": f"Bearer {access.key}"}
    return httpx.AsyncClient(
        headers=headers,
        timeout=httpx.Timeout(None, connect=CARD_TIMEOUT_S),
        limits=httpx.Limits(keepalive_expiry=IDLE_CONNECTION_S),
    )


async def fetch_card(access: Access, http: httpx.AsyncClient) -> AgentCard:
    """What the agent says of itself; raises `NoAgent` with advice."""
    resolver = A2ACardResolver(http, str(access.base_url))
    try:
        return await resolver.get_agent_card(http_kwargs={"timeout": CARD_TIMEOUT_S})
    except A2AClientError as error:
        why = one_line(access.hide(_why(error)))
        raise NoAgent(
            f"no A2A agent answers at {access.place} ({why}); start it first, or name a command "
            "that does in a scenario file (--scenario)"
        ) from error


def _why(error: A2AClientError) -> str:
    match error.__cause__:
        case httpx.HTTPStatusError(response=response, request=request):
            return f"HTTP {response.status_code} for {request.url.path}"
        case json.JSONDecodeError():
            return "what is there is no JSON"
        case cause:
            return str(cause or error) or type(cause).__name__


def reachable(named: str, asked: str) -> str:
    """Where to send messages: cards often name an address that holds inside a container only.

    Unless it is a public one, the host that the card came from is taken instead.
    """
    inside, outside = urlsplit(named), urlsplit(asked)
    if _is_public(inside.hostname or ""):
        return named
    return inside._replace(scheme=outside.scheme, netloc=outside.netloc).geturl()


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host
