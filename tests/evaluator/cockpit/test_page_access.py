"""Who gets in: a token, a name of this machine, the page itself."""

import socket
from urllib.parse import urlsplit

import pytest
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect as dial
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from evaluator.cockpit.access import Access, reachable_name
from tests.evaluator.cockpit.served import page_socket, served

LOCAL, OPEN = Access("secret"), Access("secret", "0.0.0.0")


def asked(query: str = "", **headers: str) -> HTTPConnection:
    return HTTPConnection(
        {"type": "http", "query_string": query.encode(), "headers": Headers(headers).raw}
    )


@pytest.mark.parametrize("query", ["", "token=", "token=Secret", "token=secret2", "other=secret"])
def test_a_wrong_token_is_none(query: str) -> None:
    assert not OPEN.has_token(asked(query))
    assert OPEN.has_token(asked(f"{query}&token=secret"))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8080", "localhost:80", "LOCALHOST"])
def test_loopback_is_known_everywhere(host: str) -> None:
    assert LOCAL.knows(host)
    assert OPEN.knows(host)


@pytest.mark.parametrize("host", [None, "", "evil.example", "127.0.0.1.evil.example", "a:b:c", "["])
def test_a_name_that_somebody_made_lead_here_is_not_known(host: str | None) -> None:
    assert not LOCAL.knows(host)
    assert not OPEN.knows(host)


@pytest.mark.parametrize("host", ["192.168.1.7:8080", "[::1]:8080", socket.gethostname()])
def test_numbers_and_the_name_of_the_machine_are_known_if_others_may_come(host: str) -> None:
    assert OPEN.knows(host)
    assert not LOCAL.knows(host) or host == "localhost"


def test_the_page_is_known_by_its_origin() -> None:
    host = "192.168.1.7:8080"
    assert OPEN.is_own_page(asked(host=host))
    assert OPEN.is_own_page(asked(host=host, origin=f"http://{host}"))
    for origin in ("null", "http://evil.example", f"https://{host}", "http://192.168.1.7:81"):
        assert not OPEN.is_own_page(asked(host=host, origin=origin))


def test_an_address_to_open_is_printed_for_a_page_that_listens_everywhere() -> None:
    assert reachable_name("127.0.0.1") == "127.0.0.1"
    assert reachable_name("::1") == "[::1]"
    assert reachable_name("0.0.0.0") not in ("0.0.0.0", "")


@pytest.mark.parametrize("path", ["feed", "bus", "wizard"])
async def test_every_socket_refuses_other_origins_wrong_tokens_and_foreign_names(path: str) -> None:
    async with served("null", host="0.0.0.0") as page:
        parts = urlsplit(page.url)
        at = f"ws://127.0.0.1:{parts.port}/{path}"
        own = Origin(f"http://127.0.0.1:{parts.port}")
        elsewhere = at.replace("127.0.0.1", "evil.example")
        for address, origin in (
            (f"{at}?token=wrong", own),
            (at, own),
            (f"{at}?{parts.query}", Origin("http://evil.example")),
            (f"{elsewhere}?{parts.query}", Origin(f"http://evil.example:{parts.port}")),
        ):
            with pytest.raises(InvalidStatus) as refused:
                async with dial(address, origin=origin, host="127.0.0.1", proxy=None):
                    pass
            assert refused.value.response.status_code in (400, 403)
        async with dial(f"{at}?{parts.query}", origin=own, proxy=None) as admitted:
            assert await admitted.recv()


async def test_a_page_that_others_may_open_has_a_token_in_its_address() -> None:
    async with served("null", host="0.0.0.0") as page, page_socket(page) as driver:
        assert len(urlsplit(page.url).query) > len("token=") + 12
        assert driver.hello["state"] == "ready"
