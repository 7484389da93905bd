"""How many requests an endpoint gets: one count for all roles whose models are there."""

from dataclasses import dataclass, field, replace

from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.models.permits import Permits
from evaluator.run.agents import AgentChoice


@dataclass(frozen=True, slots=True)
class EndpointLimits:
    """Limits that hold for each endpoint; None is no limit."""

    per_minute: int | None = None
    in_flight: int | None = None
    _permits: dict[str, Permits] = field(default_factory=dict)

    def agent(self, choice: AgentChoice) -> AgentChoice:
        return replace(
            choice,
            model=choice.model and self.model(choice.model),
            access=choice.access and self.access(choice.access),
        )

    def model(self, choice: ModelChoice) -> ModelChoice:
        return replace(choice, access=self.access(choice.access))

    def access(self, access: Access) -> Access:
        place = access.place
        if place not in self._permits:
            self._permits[place] = Permits(place, self.per_minute, self.in_flight)
        return replace(access, permits=self._permits[place])
