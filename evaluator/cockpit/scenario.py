"""What is played in the cockpit: what can be chosen, what is, and the settings that follow."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from assistant_gateway.agents.agent import IN_PROCESS
from assistant_gateway.timing.budgets import BUDGET_PROFILES
from assistant_gateway.timing.latency import LATENCY_PROFILES
from assistant_gateway.timing.speech import SPEECH_PROFILES
from evaluator.adversaries.courses import COURSES
from evaluator.allowed_values import check_command
from evaluator.live import CarRequest, LiveSettings
from evaluator.live.settings import car_request, talk_settings
from evaluator.options import ServeOptions
from evaluator.problems import UsageProblem
from evaluator.record.record import State
from evaluator.results.manifest import WIZARD
from evaluator.run.sound import check_snr
from evaluator.scoring.conversation_end import words_offered
from evaluator.task.fault_sets import NONE, shipped_sets
from evaluator.views.captions import FAULTS, caption
from vehicle_bus.car.fault import Fault
from vehicle_bus.world.world import World

PACES = ("live", "fast")
LANES = ("a", "b")
SPOKEN_RULES = "voice:rules"
DEMO_TASK = "base_kids_and_windows"  # the first to choose; `rules` solves it, and the car drives


class Chosen(BaseModel):
    """What is played: options of `serve` that a page may choose as well, under the same names."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True)

    task: str | None
    agent: str
    agent_b: str | None
    latency_profile: str
    speech_profile: str
    budget_profile: str
    pace: str
    faults: str
    motion: bool


@dataclass(frozen=True, slots=True)
class LiveScenario:
    """The options, with the bench of each assistant and the car it is in."""

    options: ServeOptions
    benches: tuple[LiveSettings, ...]
    request: CarRequest

    @property
    def chosen(self) -> Chosen:
        return Chosen.model_validate(self.options)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(settings.agent.name for settings in self.benches)

    @property
    def control_words(self) -> list[str]:
        """With which the driver may end the task; none in free driving."""
        task = self.request.task
        return sorted(words_offered(task.task_type)) if task else []

    @property
    def armed(self) -> list[str]:
        """The faults that wait for their moment, from the command line and the task."""
        task = self.request.task
        faults = (*(task.car.faults if task else ()), *self.benches[0].faults)
        return [_what_waits(fault) for fault in faults]


def _what_waits(fault: Fault) -> str:
    kind = caption(FAULTS, fault.kind)
    return kind if fault.tool == ".*" else f"{kind} ({fault.tool})"


def scenario(options: ServeOptions, world: World, start: State | None = None) -> LiveScenario:
    """What options ask for, with these values at the start; raises `UsageProblem`."""
    if options.pace not in PACES:
        raise UsageProblem(f"--pace is one of {', '.join(PACES)}, not {options.pace!r}")
    if options.speech == "audio" and options.pace != "live":
        raise UsageProblem("--speech audio takes the time that it takes; leave --pace out")
    if options.speech == "text":
        for name in ("noise", "voice_command", "recogniser_command"):
            if getattr(options, name) != getattr(ServeOptions, name):
                raise UsageProblem(f"--{name.replace('_', '-')} is heard: add --speech audio")
    if options.snr != ServeOptions.snr:
        check_snr(options.noise)
    if options.sample_rate != ServeOptions.sample_rate and options.voice_command is None:
        raise UsageProblem("--sample-rate is that of --voice-command: add one")
    if options.recogniser_command is not None:
        check_command("--recogniser-command", options.recogniser_command)
    asked = car_request(options, world)
    request = replace(asked, start=asked.start | (start or {}))
    agents = [options.agent, *([options.agent_b] if options.agent_b else [])]
    if agents.count(WIZARD) > 1:
        raise UsageProblem("the wizard is one person, who plays one assistant; choose another one")
    first, *others = (talk_settings(replace(options, agent=agent)) for agent in agents)
    benches = (first, *(replace(other, gateway_port=0) for other in others))
    _ = request.setup  # refuses wrong start values before anything is played
    return LiveScenario(options, benches, request)


def choices(options: ServeOptions) -> dict[str, list[str]]:
    """The values that a page may choose besides a task, by field of `Chosen`.

    They are those that ship and those given on the command line: a page can name no file and no
    address.
    """
    heard = options.speech == "audio"
    shipped: dict[str, tuple[str, ...]] = {
        "agent": (*((SPOKEN_RULES,) if heard else ()), *sorted(IN_PROCESS), WIZARD, *COURSES),
        "latency_profile": tuple(LATENCY_PROFILES.shipped),
        "speech_profile": tuple(SPEECH_PROFILES.shipped),
        "budget_profile": tuple(BUDGET_PROFILES.shipped),
        "pace": PACES[:1] if heard else PACES,
        "faults": (NONE, *shipped_sets()),
    }
    given: dict[str, tuple[str | None, ...]] = {name: (getattr(options, name),) for name in shipped}
    given["agent"] = (options.agent, options.agent_b)
    return {
        name: list(dict.fromkeys([*values, *filter(None, given[name])]))
        for name, values in shipped.items()
    }


def chosen_options(
    options: ServeOptions, given: dict[str, Any], allowed: dict[str, list[str]]
) -> ServeOptions:
    """Options with other choices; raises `UsageProblem` for one that is not allowed."""
    for name, value in given.items():
        known = allowed.get("agent" if name == "agent_b" else name)
        if known is not None and value is not None and value not in known:
            raise UsageProblem(f"{name} is one of {', '.join(known)}, not {value!r}")
    return replace(options, **given)
