from typing import Any

import orjson

from evaluator.cockpit.viewers import UNREAD, Tab, Viewers


def about() -> dict[str, Any]:
    return {"values": {"fan_speed": 2}, "lanes": []}


async def all_for(viewers: Viewers, tab: Tab) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = orjson.loads(await viewers.frame_for(tab))
    return messages


async def test_a_slow_page_loses_the_oldest_messages_and_shows_how_many() -> None:
    viewers = Viewers(about)
    with viewers.tab() as tab:
        for number in range(UNREAD + 10):
            viewers.publish({"kind": "event", "number": number})
        lost, oldest, *_ = await all_for(viewers, tab)
    greeting_and_role = 2
    assert (lost["kind"], lost["count"]) == ("dropped", 10 + greeting_and_role)
    assert lost["values"] == {"fan_speed": 2}
    assert oldest["number"] == 10


async def test_a_page_opened_late_is_told_all_that_lasts() -> None:
    viewers = Viewers(about)
    viewers.publish({"kind": "event", "number": 1})
    viewers.publish({"kind": "changed", "values": {}}, lasting=False)
    for word in ("The ", "fan ", "is on."):
        viewers.publish({"kind": "words", "lane": "a", "message": "r1", "text": word})
    viewers.publish({"kind": "words", "lane": "a", "message": "r2", "text": "Yes."})
    with viewers.tab() as tab:
        hello, *_ = await all_for(viewers, tab)
    assert hello["values"] == {"fan_speed": 2}
    assert [each.get("text") for each in hello["history"]] == [None, "The fan is on.", "Yes."]


async def test_a_new_beginning_greets_every_page_without_what_was_before() -> None:
    viewers = Viewers(about)
    with viewers.tab() as first, viewers.tab() as second:
        viewers.publish({"kind": "event", "number": 1})
        viewers.begin()
        seen = [(await all_for(viewers, tab))[-1] for tab, count in ((first, 5), (second, 4))]
    assert [(hello["kind"], hello["history"]) for hello in seen] == [("hello", [])] * 2
    assert [hello["seat"] for hello in seen] == [
        {"drives": True, "tabs": 2},
        {"drives": False, "tabs": 2},
    ]


async def test_the_wheel_is_taken_and_passed_on_when_a_tab_closes() -> None:
    viewers = Viewers(about)
    with viewers.tab() as first:
        with viewers.tab() as second:
            viewers.take(second)
            assert (viewers.drives(first), viewers.drives(second)) == (False, True)
        assert viewers.drives(first)
