"""Checks once, before anything is played, that the address of a model can be connected to."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelUnusable

CONNECT_S = 5.0
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


async def reach(access: Access, environment: Mapping[str, str]) -> None:
    """Return if a connection can be made; raises `ModelUnusable`, which names the address.

    The client's default address and whatever lies behind a proxy are left to the client.
    """
    if access.base_url is None or any(
        value and name.upper() in PROXIES for name, value in environment.items()
    ):
        return
    address = urlsplit(access.base_url)
    if address.hostname is None:
        return
    try:
        port = address.port or PORTS.get(address.scheme, 443)
    except ValueError as error:
        raise ModelUnusable(f"the base URL {access.place} names no port: {error}") from error
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(address.hostname, port)
    except (OSError, TimeoutError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no answer"
        raise ModelUnusable(
            f"nobody answers at {access.place} ({why.lower()}); is the server running, and is "
            "the base URL right?"
        ) from error
    writer.close()
