"""What the driver is known to like, read like something the driver says."""

from assistant_gateway.agents.rules.dialogue import Dialogue, Steps
from assistant_gateway.agents.rules.language.details import Details, choice, details
from assistant_gateway.agents.rules.language.plain import plain
from assistant_gateway.agents.rules.wishes.things import mentions

CABIN = ("vehicle_settings", ("climate_control", "vehicle_settings"))


def liked(dialogue: Dialogue, category: str, kinds: tuple[str, ...]) -> Steps[list[str]]:
    """Stored sentences of one category; none where the car does not tell them."""
    if not dialogue.offered.has("get_user_preferences", "preference_categories"):
        return []
    result = yield from dialogue.look_if_offered(
        "get_user_preferences", preference_categories={category: dict.fromkeys(kinds, True)}
    )
    stored = result.get(category)
    found = [stored.get(kind) for kind in kinds] if isinstance(stored, dict) else []
    return [
        plain(sentence)
        for kind in found
        if isinstance(kind, list)
        for sentence in kind
        if isinstance(sentence, str)
    ]


def liked_details(dialogue: Dialogue, thing: str) -> Steps[Details | None]:
    """How far or how strong the driver likes something of the cabin."""
    for sentence in (yield from liked(dialogue, *CABIN)):
        if _is_about(thing, sentence):
            found = details(sentence)
            if found.amount is not None or found.strength:
                return found
    return None


def liked_choice(dialogue: Dialogue, thing: str) -> Steps[str | None]:
    """Which colour, direction or mode the driver likes."""
    for sentence in (yield from liked(dialogue, *CABIN)):
        if _is_about(thing, sentence):
            found = choice(thing, sentence)
            if found:
                return found
    return None


# Stored sentences name things more loosely than commands do.
_LOOSELY = {
    "ambient": ("light", "colo"),
    "airflow": ("air",),
    "circulation": ("air",),
    "temperature": ("climate", "warm", "degrees"),
    "wheel_heating": ("wheel",),
    "charge_limit": ("charg",),
}


def _is_about(thing: str, sentence: str) -> bool:
    said = sentence.lower()
    return thing in mentions(sentence) or any(word in said for word in _LOOSELY.get(thing, ()))
