from user_sim.wishes.wanted_values import spoken_names


def test_names_are_said_as_they_are_written_and_not_in_alphabetical_order() -> None:
    people = ("Valentina Iglesias", "Mira Lindqvist")
    assert spoken_names(people, {"iglesias", "lindqvist", "mira", "valentina"}) == [*people]


def test_of_a_name_only_the_known_words_are_said() -> None:
    assert spoken_names(("Il Pane di Fontanavera", "Brno"), {"brno"}) == ["Brno"]
    assert spoken_names(("Il Pane",), {"il", "pane"}) == ["Il Pane"]


def test_a_first_name_of_somebody_else_is_not_said_beside_the_whole_name() -> None:
    people = ("Mira Lindqvist", "Mira Olsen")
    assert spoken_names(people, {"mira", "lindqvist"}) == ["Mira Lindqvist"]
