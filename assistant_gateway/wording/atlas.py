"""What sentences need to know about places, routes and people: rows by id, None if not known."""

from typing import Protocol

from vehicle_bus.world.world import Row


class Atlas(Protocol):
    """A whole world is one, and so is what an assistant has learned from its tools."""

    def location(self, location_id: str) -> Row | None: ...

    def poi(self, poi_id: str) -> Row | None: ...

    def route(self, route_id: str) -> Row | None: ...

    def contact(self, contact_id: str) -> Row | None: ...

    def contact_with_email(self, email: str) -> Row | None: ...
