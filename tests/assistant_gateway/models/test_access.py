from assistant_gateway.models.access import Access


def test_a_key_is_neither_shown_nor_printed() -> None:
    reached = Access("http://127.0.0.1/v1", "sk-canary-1")
    assert "canary" not in repr(reached)
    assert reached.hide("refused sk-canary-1, twice") == "refused [key], twice"


def test_a_placeholder_leaves_words_alone() -> None:
    text = "get_exterior_lights_status"
    assert [Access(None, key).hide(text) for key in ("x", "EMPTY", "no-key")] == [text] * 3
