"""The agents, by their names on the command line, and what serves their sockets."""

import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from assistant_gateway.agents.agent import IN_PROCESS, Agent
from assistant_gateway.agents.baselines import SENTENCES, BaselineAgent
from assistant_gateway.agents.chat.request_options import RequestOptions
from assistant_gateway.agents.client import AgentOf, serve_agent
from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.agents.speaking_front import FrontVoice, serve_spoken
from assistant_gateway.agents.wizard import WizardDesk, serve_wizard
from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.models.reachable import reach
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.wording.limits import cannot_tell, could_not
from evaluator.adversaries.courses import COURSES, KINDS, agent_of_course
from evaluator.allowed_values import one_of
from evaluator.problems import UsageProblem
from evaluator.reference.plan import reference_plan
from evaluator.results.manifest import VOICE, WIZARD
from evaluator.run.sound import said_folder, synthesiser_of
from evaluator.task.task import Task
from vehicle_bus.world.world import World

EXTERNAL = frozenset({"ws"})
WITH_MODEL = frozenset({"openai", "realtime", "live"})
WITH_SOUND = frozenset({"realtime"})
ONLY_SOUND = frozenset({"live"})
LISTENING = EXTERNAL | WITH_SOUND | ONLY_SOUND
WITH_OPTIONS = frozenset({"openai"})
WITH_URL = frozenset({"a2a"})
FROM_RUN = frozenset({"replay"})
BY_PERSON = frozenset({WIZARD})
SEATED = frozenset({"mcp"})
WITH_TASK = frozenset({"reference"}) | KINDS

Serve = Callable[[str, str], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent as named on the command line: `KIND` or `KIND:TARGET`.

    `access` is for agents that are reached themselves, `model` for those whose model is.
    Of a `spoken` one, a front makes samples of what it says, behind a silence of `lead_in_ms`.
    `timeout_s` is how long a turn may take before the agent has failed; None is up to the agent.
    Each answer within a turn may take at least `patience_s`. `desk` is where a person plays it,
    `seats` are where its MCP clients sit.
    """

    kind: str
    target: str = ""
    model: ModelChoice | None = None
    options: RequestOptions = field(default_factory=RequestOptions)
    access: Access | None = None
    timeout_s: float | None = None
    patience_s: float | None = None
    desk: WizardDesk | None = field(default=None, compare=False)
    seats: Serve | None = field(default=None, compare=False)
    spoken: bool = False
    lead_in_ms: int = 0
    turn_detection: TurnDetection = "truth"
    backend_model: str = ""

    @property
    def name(self) -> str:
        """As it was named."""
        return f"{VOICE}{self.name_in_text}" if self.spoken else self.name_in_text

    @property
    def name_in_text(self) -> str:
        """The same without the front that speaks for it."""
        return f"{self.kind}:{self.target}" if self.target else self.kind

    @property
    def in_process(self) -> bool:
        """Whether it is pure and keeps lockstep, so that a latency model paces it."""
        return self.kind in IN_PROCESS | FROM_RUN | KINDS

    @property
    def answers_whole(self) -> bool:
        """Whether answers come whole, not word by word."""
        return self.kind in WITH_URL


def is_spoken(agent: str) -> bool:
    """Whether a front speaks for the agent of this name."""
    return agent.startswith(VOICE)


def may_listen(agent: str) -> bool:
    """Whether the agent of this name may hear samples; a front hands on text alone."""
    return named(agent)[0] in LISTENING and not is_spoken(agent)


def named(agent: str) -> tuple[str, str]:
    """Kind and target of an agent's name; raises `UsageProblem` with the known ones.

    Those of an agent that a front speaks for are its own.
    """
    given, agent = agent, agent.removeprefix(VOICE)
    kind, _, target = agent.partition(":")
    if is_spoken(given) and (why := _not_spoken(kind)):
        raise UsageProblem(f"--agent {given!r}: {why}")
    if kind in IN_PROCESS | EXTERNAL | BY_PERSON | SEATED and not target:
        return kind, ""
    if agent in COURSES or (kind in WITH_MODEL | WITH_URL | FROM_RUN and target):
        return kind, target
    if kind in KINDS:
        one_of("--agent", agent, [name for name in COURSES if name.startswith(kind)])
    with_target = [*(f"{kind}:MODEL" for kind in sorted(WITH_MODEL)), "a2a:URL", "replay:RUN"]
    with_target += [*(f"{kind}:COURSE" for kind in sorted(KINDS)), "voice:AGENT"]
    known = ", ".join([*sorted(IN_PROCESS | EXTERNAL | BY_PERSON | SEATED), *with_target])
    raise UsageProblem(f"--agent is one of {known}, not {given!r}")


def _not_spoken(kind: str) -> str:
    """Why no front can speak for agents of this kind; empty if one can."""
    if not kind:
        return "name the agent that it speaks for, such as voice:rules"
    if kind in ONLY_SOUND:
        return f"{kind}:MODEL speaks by itself; leave voice: out"
    if kind in SEATED:
        return f"{kind} is one of text; leave voice: out"
    if kind in EXTERNAL:
        return f"{kind} connects by itself and may send samples of its own; leave voice: out"
    return "an agent has one voice; write voice: once" if f"{kind}:" == VOICE else ""


def with_command(
    layers: Sequence[Mapping[str, Any]], startable: frozenset[str] = EXTERNAL
) -> dict[str, Any]:
    """`agent` and `agent_command` of layers of options, the strongest first.

    A command implies the agent `ws`, and the stronger of a command and an agent that needs none
    wins; raises `UsageProblem` where both stand in one layer.
    """
    rank = {
        name: next((i for i, layer in enumerate(layers) if layer.get(name)), len(layers))
        for name in ("agent", "agent_command")
    }
    found = {name: layers[i][name] for name, i in rank.items() if i < len(layers)}
    if len(found) < 2 or named(found["agent"])[0] in startable:
        return {"agent": "ws", **found} if "agent_command" in found else found
    if rank["agent"] < rank["agent_command"]:
        return {"agent": found["agent"], "agent_command": ""}
    if rank["agent"] > rank["agent_command"]:
        return {"agent": "ws", "agent_command": found["agent_command"]}
    raise UsageProblem(
        f"--agent-command starts an agent of your own, and --agent {found['agent']} needs none; "
        "leave one of them out"
    )


REFERENCE = AgentChoice("reference")
AT_ONCE = "zero"


def check_simulated(agent: str, latency_profile: str) -> None:
    """Raises `UsageProblem` if this agent takes its own time, whatever the profile says."""
    if latency_profile != AT_ONCE and not AgentChoice(named(agent)[0]).in_process:
        raise UsageProblem(
            f"--latency-profile is for agents that ship with codriver; {agent} takes its own time"
        )


@asynccontextmanager
async def served(choice: AgentChoice, agent_of: AgentOf) -> AsyncIterator[Serve]:
    """What takes sessions at a gateway, given its URL and token, until the gateway closes.

    It may be called several times at once, once per socket. `agent_of` gives the in-process
    agent of a session id.
    """
    if choice.model is not None:
        await reach(choice.model.access, os.environ)
    async with _serving(choice, agent_of) as serve:
        if choice.spoken:
            serve = partial(serve_spoken, serve=serve, voice=await _front_voice(choice))
        with without_long_pauses():
            yield serve


@asynccontextmanager
async def _serving(choice: AgentChoice, agent_of: AgentOf) -> AsyncIterator[Serve]:
    match choice.kind:
        case _ if choice.in_process:
            if choice.kind == "rules":
                _look_up_words()
            yield partial(serve_agent, agent_of=agent_of)
        case "openai" if choice.model is not None:
            from assistant_gateway.agents.chat.agent import chat_agents

            async with chat_agents(choice.model, choice.options) as serve:
                yield serve
        case "realtime" if choice.model is not None:
            from assistant_gateway.agents.realtime.serving import serve_realtime

            turns = choice.turn_detection
            yield partial(serve_realtime, model=choice.model, turn_detection=turns)
        case "live" if choice.model is not None:
            from assistant_gateway.agents.live.agent import serve_live

            yield partial(serve_live, model=choice.model, backend=choice.backend_model)
        case "a2a" if choice.access is not None and choice.timeout_s is not None:
            from assistant_gateway.agents.a2a.agent import a2a_agent

            waits = choice.timeout_s, choice.patience_s or 0.0
            async with a2a_agent(choice.access, *waits) as agent:
                yield agent.serve
        case "wizard" if choice.desk is not None:
            yield partial(serve_wizard, desk=choice.desk)
        case "wizard":
            raise UsageProblem("--agent wizard is played with codriver run or codriver serve")
        case "mcp" if choice.seats is not None:
            yield choice.seats
        case "mcp":
            raise UsageProblem("--agent mcp is played with codriver run")
        case _:
            raise ValueError(f"{choice.kind!r} serves itself")


async def _front_voice(choice: AgentChoice) -> FrontVoice:
    return FrontVoice(await synthesiser_of(None), said_folder(), choice.lead_in_ms)


def _look_up_words() -> None:
    """Reading and compiling them takes a tenth of a second, in which nobody should wait already."""
    _rules_agent().on_heard("Hello. Open the trunk.")


async def agents_for(
    choice: AgentChoice, task: Task | None, world: World | None, trial: int = 0, seed: str = ""
) -> Callable[[], Agent]:
    """What makes fresh in-process agents, one per session; raises `UsageProblem`.

    What a course leaves to chance follows from `seed`.
    """
    if choice.kind in FROM_RUN:
        from evaluator.run.replayed_agent import ReplayedRun

        replayed = ReplayedRun.named(choice.target)
        return await replayed.agents(None if task is None else (task.task_id, trial))
    if choice.kind in WITH_TASK and task is None:
        raise UsageProblem(f"{choice.kind} follows the plan of a task, and no task is given")
    name = choice.name_in_text
    if name in COURSES and task is not None and world is not None:
        return partial(agent_of_course, name, task, world, seed)
    return partial(agent_for, choice.kind, task, world)


async def replayed_words(choice: AgentChoice, task_id: str, trial: int) -> dict[str, str] | None:
    """What the driver said in the stored unit that an agent plays again; None for other agents."""
    if choice.kind not in FROM_RUN:
        return None
    from evaluator.run.replayed_agent import ReplayedRun

    return await ReplayedRun.named(choice.target).words((task_id, trial))


async def answers_at(choice: AgentChoice) -> None:
    """Return if an agent answers at its address; raises `NoAgent`."""
    from assistant_gateway.agents.a2a.card import fetch_card, http_client

    assert choice.access is not None
    async with http_client(choice.access) as http:
        await fetch_card(choice.access, http)


def _rules_agent() -> Agent:
    from assistant_gateway.agents.rules.agent import RulesAgent  # it has many patterns to compile

    return RulesAgent()


def agent_for(kind: str, task: Task | None, world: World | None) -> Agent:
    """A fresh agent for one session; `reference` plays a task and knows nothing without one."""
    match kind:
        case "reference" if task is not None and world is not None:
            return ReferenceAgent(reference_plan(task, world), could_not, cannot_tell)
        case _ if kind in SENTENCES:
            return BaselineAgent(kind)
        case "rules":
            return _rules_agent()
    raise ValueError(f"{kind!r} is no agent that ships with the bench")
