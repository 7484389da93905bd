"""Who says "my" on another seat than the driver's means that seat."""

import re

from assistant_gateway.protocol import SEATS, Zone

OTHERS = {name: zone for zone, name in SEATS.items() if zone != "driver"}
SPEAKER = re.compile(rf"^\[({'|'.join(OTHERS)})\]\s*")
OWN: dict[Zone, str] = {
    "passenger": "the passenger's",
    "driver_rear": "the rear left",
    "passenger_rear": "the rear right",
}
MINE: dict[Zone, str] = {
    "passenger": "the passenger's seat",
    "driver_rear": "the rear left one",
    "passenger_rear": "the rear right one",
}


def as_the_driver_says_it(text: str) -> str:
    """`[front passenger] Heat my seat` is `Heat the passenger's seat`."""
    found = SPEAKER.match(text)
    if found is None:
        return text
    zone, said = OTHERS[found[1]], text[found.end() :]
    said = re.sub(r"\b[Mm]y(?: own)?\b", OWN[zone], said)
    return re.sub(r"\b(?:mine|me)\b", MINE[zone], said)
