import json
from pathlib import Path

import pytest
import yaml

from assistant_gateway.wording.language import other_language

HERE = Path(__file__).parent
FOREIGN = [
    (language, reply)
    for language, replies in yaml.safe_load(
        (HERE / "replies_in_other_languages.yaml").read_text(encoding="utf-8")
    ).items()
    for reply in replies
]
ENGLISH = [
    "OK.", "Okay!", "Done.", "Sure.", "Yes.", "No.", "Mhm.", "Hm?", "Alright.", "Hello!", "Sorry?",
    "", "...", "18:30", "22 °C.", "100 %", "A1, D14.", "Bad Ischl.", "Zürich Hauptbahnhof.",
    "Le Fournil de Hautmarais.", "Aux Pains Desrochelles, or Le Fournil de Hautmarais?",
    "Bäckerei Stadelhofer, Am Alten Markt.", "Restaurant zum Goldenen Löwen",
    "Via Am Alten Markt, Brückenstraße and Bahnhofstraße.", "Noor van Dijk.", "Mesón del Asador",
    "To Café de la Gare in Saint-Étienne.", "Fan two, seat one, lights off.", "Level three.",
    "Heading to Málaga via Córdoba.", "El Rincón de la Abuela is open until ten.",
    "Calling Åsa Lindström.", "Voilà, the window is closed.", "Gesundheit! The heating is on.",
    "Bonvalet Søndermose until nine, Gartenkiste Lyngholt until midnight.",
    "The stop in Besançon is gone.", "Déjà vu: the fan is on three again.", "München", "Kraków?",
    "La Rochelle, Le Mans and Les Sables are on the way.", "Fog lights on, low beams on.",
    "Ich bin ein Berliner is what Kennedy said.", "東京 is a long way from here, I'm afraid.",
    "I've e-mailed: Hallo Jonas, ich komme später. Anything else?",
]  # fmt: skip


@pytest.mark.parametrize(("language", "reply"), FOREIGN)
def test_a_reply_in_another_language_is_noticed(language: str, reply: str) -> None:
    assert other_language(reply), language


@pytest.mark.parametrize("reply", ENGLISH)
def test_english_short_words_and_names_are_not(reply: str) -> None:
    assert other_language(reply) is None


def test_most_languages_are_named_rightly() -> None:
    right = [other_language(reply) == language for language, reply in FOREIGN]
    assert sum(right) >= 0.8 * len(right)


def test_no_turn_of_the_corpus_is_taken_for_another_language() -> None:
    corpus = HERE.parents[1] / "user_sim/corpus/assistant_speech/building.jsonl"
    turns = [
        " ".join(sentence["text"] for sentence in json.loads(line)["sentences"])
        for line in corpus.read_text(encoding="utf-8").splitlines()
    ]
    assert len(turns) > 500
    assert [turn for turn in turns if other_language(turn)] == []
