"""Where this car behaves like the public benchmark although a better behaviour is known.

Tools ask `"Q51" in car.compat`. Ids, decisions and reasons of all quirks: docs/compatibility.md;
here stand only those whose behaviour differs by profile.
"""

from vehicle_bus.state import Compat

QUIRKS: dict[Compat, frozenset[str]] = {
    "codriver": frozenset(),
    "car-bench": frozenset(
        {
            "Q10",  # the trunk door remembers the command, not whether it is open
            "Q13",  # a temperature of 5 °C or 50 °C is a bad argument, not a tool error
            "Q51",  # no weather before 06:00, and never a next slot
            "Q57",  # an e-mail goes out to the addresses before the first unknown one
            "Q59",  # every month has thirty days
        }
    ),
}
