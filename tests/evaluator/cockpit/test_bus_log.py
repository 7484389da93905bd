"""The bus view: what flies by, filtered, with what a slow page has lost."""

from evaluator.cockpit.bus_log import REMEMBERED, UNREAD, BusLog
from evaluator.record.record import Entry
from vehicle_bus.contract import Topics

MS = 1_000_000


def log(*rests: str) -> BusLog:
    """A log of messages that come one millisecond after the other."""
    made = BusLog(Topics())
    for number, rest in enumerate(rests):
        made.put("a", "car-1", Entry(rest, b'{"value": %d}' % number, (7 + number) * MS))
    return made


async def test_a_page_begins_with_the_last_messages_and_goes_on() -> None:
    bus = log("status", "command/set_fan_speed")
    with bus.page() as page:
        first = await page.batch()
        assert first["entries"] == [
            {
                "t_ms": 0.0,
                "topic": "codriver/v1/car-1/status",
                "payload": '{"value": 0}',
                "retained": True,
                "lane": "a",
                "moves": False,
            },
            {
                "t_ms": 1.0,
                "topic": "codriver/v1/car-1/command/set_fan_speed",
                "payload": '{"value": 1}',
                "retained": False,
                "lane": "a",
                "moves": False,
            },
        ]
        bus.put("b", "car-2", Entry("reply/x", b"\xff", 9 * MS))
        [later] = (await page.batch())["entries"]
        assert (later["lane"], later["payload"], later["t_ms"]) == (
            "b",
            "\N{REPLACEMENT CHARACTER}",
            2.0,
        )


async def test_position_reports_are_marked_and_crowd_out_nothing_else() -> None:
    speed = "signal/Vehicle/Speed"
    bus = log("command/set_fan_speed", *[speed] * (2 * REMEMBERED))
    with bus.page() as page:
        entries = (await page.batch())["entries"]
    assert [entry["moves"] for entry in entries] == [False, *[True] * REMEMBERED]


async def test_a_filter_wants_each_of_its_words_in_topic_or_payload() -> None:
    with log("command/set_fan_speed", "command/open_trunk", "reply/x").page() as page:
        page.filter("COMMAND  value trunk")
        [only] = (await page.batch())["entries"]
    assert only["topic"].endswith("open_trunk")


async def test_a_page_that_cannot_keep_up_loses_the_oldest_and_is_told_how_many() -> None:
    bus = log()
    with bus.page() as page:
        for number in range(UNREAD + 3):
            bus.put("a", "car-1", Entry(f"event/{number}", b"{}", MS))
        message = await page.batch()
        bus.put("a", "car-1", Entry("event/last", b"{}", MS))
        after = await page.batch()
    assert (message["dropped"], after["dropped"]) == (3, 0)
    assert message["entries"][0]["topic"].endswith("event/3")
