"""Whether the assistant spoke the language of its task."""

from collections import defaultdict

from assistant_gateway.wording.language import other_language
from evaluator.record.episode import Episode
from evaluator.scoring.components import KEPT, Component

SHOWN = 120  # letters


def in_english(episode: Episode) -> Component:
    """No turn was in another language; short turns and names are never held against it."""
    turns: dict[int, list[str]] = defaultdict(list)
    for said in episode.spoken:
        turns[said.turn].append(said.text)
    found = tuple(
        f'turn {turn} is not English but {language}: "{text[:SHOWN]}"'
        for turn, text in ((turn, " ".join(parts)) for turn, parts in turns.items())
        if (language := other_language(text))
    )
    return Component(0.0, found[0], found) if found else KEPT
