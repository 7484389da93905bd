"""Where this car behaves like the public benchmark although a better behaviour is known.

Tools ask `"Q51" in car.compat`. Ids, decisions and reasons of all quirks: docs/compatibility.md;
here stand only those whose behaviour differs by profile.
"""

from vehicle_bus.car.state import Compat

QUIRKS: dict[Compat, frozenset[str]] = {
    "codriver": frozenset(),
    "car-bench": frozenset(
        {
            "Q03",  # some failures of searches and of adding a waypoint carry no status
            "Q10",  # the trunk door remembers the command, not whether it is open
            "Q12",  # RIGHT_REAR is behind the driver
            "Q13",  # a temperature of 5 °C or 50 °C is a bad argument, not a tool error
            "Q18",  # an empty new navigation is active, without waypoints
            "Q19",  # an unknown first route is a bad argument, a malformed later one is unknown
            "Q22",  # the start counts as a stop on the way, and a new stop must be neither end
            "Q23",  # the ends of a trip are looked for among the stops that can be deleted
            "Q24",  # no destination may be the start
            "Q25",  # of several waypoints at one place the first is meant
            "Q29",  # a route may take 1 hour and 60 minutes
            "Q31",  # filters that make no sense are tolerated where they do not matter
            "Q34",  # nothing is found of a category that does not exist
            "Q35",  # two wrong letters are forgiven in the shortest name
            "Q36",  # no weather at places along a route
            "Q40",  # negative minutes and kilometres can be converted
            "Q42",  # charging counts as done one percent early
            "Q43",  # charging up to 0 percent is charging up to 80
            "Q44",  # more than 100 percent can be charged
            "Q46",  # charging where no plugs are is a bad argument, not a tool error
            "Q48",  # more than 100 percent can be driven away
            "Q51",  # no weather before 06:00, and never a next slot
            "Q52",  # fractions and texts are times of a forecast, and so are minutes over 59
            "Q55",  # a search for contacts tells their names in lower case
            "Q57",  # an e-mail goes out to the addresses before the first unknown one
            "Q59",  # every month has thirty days
            "Q67",  # minutes of charging are not 10.0
            "Q68",  # a tool that does not exist is answered in plain text
            "Q69",  # what stands for a truth value counts as one; some values are never looked at
        }
    ),
}
