import asyncio

import pytest

from assistant_gateway.models import permits
from assistant_gateway.models.permits import Permits


async def used(limited: Permits, requests: int, lasts_s: float = 0.01) -> tuple[int, list[float]]:
    """The most requests that were under way together, and when each began."""
    now, most, begun = 0, 0, list[float]()

    async def request() -> None:
        nonlocal now, most
        async with limited.permit():
            begun.append(asyncio.get_running_loop().time())
            now += 1
            most = max(most, now)
            await asyncio.sleep(lasts_s)
            now -= 1

    async with asyncio.TaskGroup() as tasks:
        for _ in range(requests):
            tasks.create_task(request())
    return most, begun


async def test_without_limits_nobody_waits() -> None:
    most, _ = await used(Permits(), 20)
    assert most == 20


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    most, begun = await used(Permits("here", in_flight=3), 20)
    assert (most, len(begun)) == (3, 20)


async def test_no_more_requests_begin_in_a_minute_than_allowed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(permits, "MINUTE_S", 0.3)
    _, begun = await used(Permits("http://here", per_minute=4), 13)
    assert len(begun) == 13
    assert all(later - earlier >= 0.299 for earlier, later in zip(begun, begun[4:], strict=False))
    assert [record.message.split(" wait ")[0] for record in caplog.records] == [
        "requests to http://here"
    ]


async def test_a_request_that_is_given_up_gives_its_permit_back() -> None:
    limited = Permits("here", in_flight=1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), limited.permit():
            await asyncio.sleep(10)
    async with asyncio.timeout(5), limited.permit() as waited_s:
        assert waited_s < 1
