import pytest

from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.models.reachable import reach
from tests.conftest import free_port


async def test_an_address_where_nobody_listens_is_named() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ModelUnusable, match=f"nobody answers at {url}"):
        await reach(Access(url, "k"), {})


async def test_a_port_that_is_none_is_reported() -> None:
    with pytest.raises(ModelUnusable, match="names no port"):
        await reach(Access("http://127.0.0.1:abc/v1", "k"), {})


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "http_proxy"])
async def test_what_lies_behind_a_proxy_is_left_to_the_client(name: str) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    await reach(Access(url, "k"), {name: "http://proxy.example:3128"})
