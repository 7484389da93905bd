from user_sim.script import Persona


def test_a_public_persona_names_its_manner_in_quotes() -> None:
    text = "You are 48. Your style is 'Commanding: short, imperative sentences.' You drive."
    assert Persona(text=text).manner == "commanding"


def test_a_written_style_is_the_manner() -> None:
    assert Persona(style="brisk and friendly", text="says 'Hello: there'").manner == (
        "brisk and friendly"
    )


def test_a_persona_without_words_has_no_manner() -> None:
    assert Persona().manner is None
