"""`codriver run` and `demo`: choose tasks, play what is missing, store, sum up, print."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from assistant_gateway.budgets import BudgetProfile
from assistant_gateway.latency import LATENCY_PROFILES, latency_profile
from assistant_gateway.patience import OnHardLimit
from assistant_gateway.profiles import BadProfile
from assistant_gateway.protocol import Pace
from assistant_gateway.server import Tokens
from assistant_gateway.speech import SPEECH_PROFILES, speech_profile
from assistant_gateway.timeline import SECOND, wall_ns
from evaluator.agent_process import agent_process
from evaluator.agents import (
    EXTERNAL,
    FROM_RUN,
    WITH_MODEL,
    WITH_OPTIONS,
    WITH_URL,
    AgentChoice,
    answers_at,
    named,
)
from evaluator.bill import costs
from evaluator.case import template as judge_template
from evaluator.digest import digest
from evaluator.drivers import BY_MODEL, SCRIPTED
from evaluator.fault_sets import NONE, fault_set
from evaluator.instructions import TEXT
from evaluator.manifest import Manifest, checksum, new_manifest
from evaluator.models import AGENT_TIMEOUT_S, OFF, ModelOptions, Role
from evaluator.printing import print_json, print_rich
from evaluator.problems import GateFailed, InfraProblem, UsageProblem
from evaluator.progress import progress
from evaluator.replayed import Recording
from evaluator.rescoring import judge_and_score
from evaluator.resuming import resume_command
from evaluator.run import Bench, Played, RunSettings, Unit, bench, play_all
from evaluator.run_async import check_uvloop, run_async
from evaluator.scores import Profile, Score
from evaluator.selection import SPLITS, TASK_TYPES, Selection, Share, load
from evaluator.store import RunStore, UnitResult, open_store
from evaluator.summary import summary
from evaluator.table import headline, table
from evaluator.task import Task
from evaluator.totals import totals_table
from evaluator.worlds import world_checksum
from user_sim.briefing import prompts as driver_prompts
from vehicle_bus.broker.address import external
from vehicle_bus.broker.mosquitto import find_mosquitto
from vehicle_bus.bus import BusError
from vehicle_bus.world import World


@dataclass(frozen=True, slots=True)
class Campaign:
    """A run as asked for on the command line."""

    agent: str = "reference"
    user: str = "scripted"
    tasks_from: Path | None = None
    world: Path | None = None
    task_type: str = "all"
    task_split: str = "all"
    task_ids: tuple[str, ...] = ()
    num_tasks: int = -1
    shares: Mapping[str, Share] = field(default_factory=dict)
    num_trials: int = 1
    max_concurrency: int = 8
    pace: str = "fast"
    latency_profile: str = "zero"
    speech_profile: str = "typical"
    budget_profile: str = "default"
    on_hard_limit: str = "record"
    motion: bool = False
    motion_hz: int = 1
    faults: str = NONE
    profile: str = "codriver"
    broker: str = "auto"
    seed: int = 10
    max_steps: int = 40
    agent_wait_s: float = 60.0
    agent_timeout_s: float = AGENT_TIMEOUT_S
    agent_command: str = ""
    gateway_port: int = 0
    agent_token: str | None = field(default=None, repr=False)
    uvloop: bool = False
    signals: str = "changes"
    keep_retained: bool = False
    out: Path | None = None
    resume: bool = False
    gate: bool = True
    judge: str = OFF
    models: ModelOptions = field(default_factory=ModelOptions)

    def check(self) -> None:
        """Raises `UsageProblem` for values no run can have."""
        kind = self.agent_kind
        if self.user_model is None:
            _one_of("--user", self.user, [SCRIPTED, "llm:MODEL"])
        _one_of("--pace", self.pace, get_args(Pace))
        _is_profile("--latency-profile", self.latency_profile, latency_profile)
        _is_profile("--speech-profile", self.speech_profile, speech_profile)
        _one_of("--budget-profile", self.budget_profile, get_args(BudgetProfile))
        _one_of("--on-hard-limit", self.on_hard_limit, get_args(OnHardLimit))
        fault_set(self.faults)
        _one_of("--profile", self.profile, get_args(Profile))
        _one_of("--task-type", self.task_type, TASK_TYPES)
        _one_of("--task-split", self.task_split, SPLITS)
        _one_of("--signals", self.signals, ["changes", "all"])
        if self.pace == "virtual" and not AgentChoice(kind).in_process:
            raise UsageProblem(
                f"--pace virtual needs an agent that keeps lockstep, and {kind} may not; "
                "use --pace fast or live"
            )
        if self.pace == "virtual" and self.user_model is not None:
            raise UsageProblem(
                f"--pace virtual needs a driver that keeps lockstep, and {self.user} cannot; "
                "use --pace fast or live"
            )
        if self.models.agent_options.fields and kind not in WITH_OPTIONS:
            raise UsageProblem(
                "--reasoning-effort, --temperature and --extra-body are for --agent openai:MODEL, "
                f"not for {self.agent}"
            )
        if kind in WITH_URL:
            self.agent_choice()
            if find_spec("a2a") is None:
                raise UsageProblem(
                    f"--agent {kind}:URL needs an extra: pip install 'codriver[a2a]'"
                )
        if self.uvloop:
            check_uvloop()
        if self.resume and self.out is None:
            raise UsageProblem("--resume needs --out, the folder of the run to finish")

    def settings(self, run_id: str) -> RunSettings:
        url = self.broker if "://" in self.broker else None
        if url is None:
            _one_of("--broker", self.broker, ["auto", "embedded", "mosquitto", "mqtt://HOST:PORT"])
        else:
            _readable(url)
        return RunSettings(
            run_id=run_id,
            agent=self.agent_choice(),
            user=self.user,
            user_model=self.models.choice("user", self.user_model) if self.user_model else None,
            prices=self.models.price_list(),
            pace=self.pace,  # type: ignore[arg-type]
            latency_profile=self.latency_profile,
            speech_profile=self.speech_profile,
            budget_profile=self.budget_profile,  # type: ignore[arg-type]
            on_hard_limit=self.on_hard_limit,  # type: ignore[arg-type]
            motion=self.motion,
            motion_hz=self.motion_hz,
            faults=fault_set(self.faults),
            profile=self.profile,  # type: ignore[arg-type]
            seed=self.seed,
            max_concurrency=self.max_concurrency,
            max_steps=self.max_steps,
            agent_wait_s=self.agent_wait_s,
            broker_url=url,
            broker_kind="auto" if url else self.broker,  # type: ignore[arg-type]
            signals=self.signals,  # type: ignore[arg-type]
            keep_retained=self.keep_retained,
            gateway_port=self.gateway_port,
            tokens=Tokens(agent=self.agent_token) if self.agent_token else Tokens(),
        )

    @property
    def agent_kind(self) -> str:
        """Which sort of agent was named; raises `UsageProblem`."""
        try:
            return named(self.agent)[0]
        except ValueError as error:
            raise UsageProblem(f"--agent is one of {error}, not {self.agent!r}") from error

    def agent_choice(self) -> AgentChoice:
        """The agent and how it or its model is reached; raises `UsageProblem`."""
        return self.models.agent(self.agent, self.agent_timeout_s)

    @property
    def models_at(self) -> dict[str, str]:
        """Where the models of this run are, by role, without anything secret."""
        asked: dict[Role, str | None] = {
            "agent": self.agent.partition(":")[2] if self.agent_kind in WITH_MODEL else None,
            "user": self.user_model,
            "judge": None if self.judge == OFF else self.judge,
        }
        return {
            role: self.models.choice(role, name).access.place
            for role, name in asked.items()
            if name is not None
        }

    @property
    def user_model(self) -> str | None:
        """The model that plays the driver, if one does."""
        _, by_model, name = self.user.partition(BY_MODEL)
        return name if by_model and name else None

    @property
    def selection(self) -> Selection:
        return Selection(
            self.tasks_from,
            self.task_type,
            self.task_split,
            self.task_ids,
            self.num_tasks,
            self.shares,
        )


def _one_of(option: str, given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        raise UsageProblem(f"{option} is one of {', '.join(allowed)}, not {given!r}")


def _is_profile(option: str, given: str, named: Callable[[str], object]) -> None:
    try:
        named(given)
    except BadProfile as error:
        raise UsageProblem(f"{option}: {error}") from error


def _readable(broker_url: str) -> None:
    try:
        external(broker_url)
    except BusError as error:
        raise UsageProblem(f"--broker: {error}") from error


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its folder, its summary as in `run --json`, and the units behind it."""

    folder: Path
    manifest: Manifest
    units: list[UnitResult]
    figures: dict[str, Any]


def conduct(campaign: Campaign, *, as_json: bool) -> None:
    """Run and print; exits with 3 if units could not be played to the end."""
    outcome = run_to_end(campaign, quiet=False)
    if as_json:
        print_json(outcome.figures)
    else:
        _print(outcome)
    if outcome.figures["infra_error"]:
        raise InfraProblem(
            f"{outcome.figures['infra_error']} units could not be played; "
            f"finish with {resume_command(sys.argv[1:], outcome.folder)}"
        )
    if campaign.gate and not outcome.figures["harness"]["trusted"]:
        raise GateFailed(
            f"the bench itself was late in {outcome.figures['harness']['excluded']} turns, more "
            "than 2 %, so its latencies are not to be trusted; play fewer sessions at a time "
            "(--max-concurrency), or on a quieter machine"
        )


def run_to_end(campaign: Campaign, *, quiet: bool) -> Outcome:
    """Play the campaign; raises `Problem`. An interrupt leaves what was stored."""
    campaign.check()
    run_id = f"r{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid() % 10_000:04d}"
    folder = campaign.out or Path("runs") / run_id
    try:
        return run_async(_play(campaign, run_id, folder, quiet), uvloop=campaign.uvloop)
    except KeyboardInterrupt:
        advice = "" if quiet else f"; go on with {resume_command(sys.argv[1:], folder)}"
        sys.stderr.write(f"\ninterrupted{advice}\n")
        sys.exit(130)


async def _play(campaign: Campaign, run_id: str, folder: Path, quiet: bool) -> Outcome:
    tasks, unsupported, world = load(campaign.selection, campaign.world)
    settings = campaign.settings(run_id)
    judging = campaign.models.judging(campaign.judge, campaign.max_concurrency, quiet=quiet)
    if settings.agent.kind in FROM_RUN:
        trials = range(campaign.num_trials)
        planned = [(task.task_id, trial) for trial in trials for task in tasks]
        await Recording.named(settings.agent.target).check(planned)
    manifest = _manifest(campaign, run_id, tasks, unsupported)
    started_ns = wall_ns()
    async with open_store(folder, manifest=manifest, resume=campaign.resume) as store:
        settings = replace(settings, run_id=store.manifest.run_id)
        finished = await store.finished_units()
        missing = [
            unit
            for trial in range(campaign.num_trials)
            for unit in (Unit(task, trial) for task in tasks)
            if (unit.task.task_id, trial) not in finished
        ]
        if missing:
            async with _agent_started(campaign, settings, folder):
                await _play_missing(settings, world, store, missing, quiet)
        # A resumed run took longer than this process lived; the stamps of its units tell how long.
        wall_s = None if finished else (wall_ns() - started_ns) / SECOND
        judged = await judge_and_score(
            store, {task.task_id: task for task in tasks}, world, judging
        )
        units = await store.units()
        figures = summary(store.manifest, units, wall_s=wall_s, out=str(folder), judged=judged)
        return Outcome(folder, store.manifest, units, figures)


def _agent_started(
    campaign: Campaign, settings: RunSettings, folder: Path
) -> AbstractAsyncContextManager[None]:
    """The agent's own command, if one was named, runs and the agent answers."""
    if not campaign.agent_command:
        return nullcontext()
    ready = partial(answers_at, settings.agent)
    return agent_process(campaign.agent_command, folder, ready, settings.agent_wait_s)


async def _play_missing(
    settings: RunSettings, world: World, store: RunStore, missing: list[Unit], quiet: bool
) -> None:
    already = store.manifest.planned - len(missing)
    async with bench(settings, world) as up:
        if settings.agent.kind in EXTERNAL:
            _invite(up)
        with progress(store.manifest.planned, already=already, quiet=quiet) as shown:

            async def keep(played: Played) -> None:
                result = unit_result(played)
                await store.save(result, played.record)
                if played.last:
                    shown.advance(_line(result))

            await play_all(up, missing, keep)


def unit_result(played: Played) -> UnitResult:
    task = played.unit.task
    return UnitResult(
        task_id=task.task_id,
        trial=played.unit.trial,
        attempt=played.attempt,
        task_type=task.task_type,
        script=played.script,
        **task.facts,
        score=played.score,
        digest=digest(played.record) if played.record.gap is None else None,
        started_at=played.started_at,
        finished_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        usage=dict(played.bill),
        cost=costs(played.bill),
    )


def _line(result: UnitResult) -> str:
    score: Score = result.score
    trial = f" trial {result.trial}" if result.trial else ""
    reward = "no reward" if score.reward_coded is None else f"reward {score.reward_coded:g}"
    why = "" if score.outcome == "success" else f", {score.outcome}: {score.reason}"
    return f"{result.task_id}{trial}: {reward}{why}"


def _manifest(
    campaign: Campaign, run_id: str, tasks: list[Task], unsupported: list[str]
) -> Manifest:
    compat = {task.car.compat for task in tasks}
    return new_manifest(
        run_id=run_id,
        tasks=tasks,
        num_trials=campaign.num_trials,
        seed=campaign.seed,
        agent=campaign.agent,
        agent_options=campaign.models.agent_options.fields,
        user=campaign.user,
        pace=campaign.pace,
        latency_profile=campaign.latency_profile,
        conditions=_conditions(campaign),
        profile=campaign.profile,
        compat="/".join(sorted(compat)),
        max_steps=campaign.max_steps,
        unsupported=unsupported,
        world=world_checksum(campaign.tasks_from, campaign.world),
        broker=_broker(campaign),
        client="aiomqtt" if "://" in campaign.broker else "codec",
        prompts=_prompts(campaign),
        options={
            "tasks_from": str(campaign.tasks_from or "shipped"),
            "world": str(campaign.world) if campaign.world else None,
            "max_concurrency": campaign.max_concurrency,
            "agent_timeout_s": campaign.agent_timeout_s
            if campaign.agent_kind in WITH_URL
            else None,
            "judge": campaign.judge,
            "models_at": campaign.models_at,
        },
    )


def _conditions(campaign: Campaign) -> dict[str, Any]:
    """Those of the sessions; a profile of one's own is more than its name."""
    latency, speech = campaign.latency_profile, campaign.speech_profile
    own = {**LATENCY_PROFILES.own(latency), **SPEECH_PROFILES.own(speech)}
    files = {name: checksum(profile.model_dump(mode="json")) for name, profile in own.items()}
    return {
        "speech_profile": speech,
        "budget_profile": campaign.budget_profile,
        "on_hard_limit": campaign.on_hard_limit,
        "motion": campaign.motion,
        "faults": [fault.model_dump(mode="json") for fault in fault_set(campaign.faults)],
        **({"own_profiles": files} if files else {}),
    }


def _broker(campaign: Campaign) -> str:
    """The kind of broker; never its address, which may hold a password."""
    if "://" in campaign.broker:
        return "external"
    if campaign.broker == "auto":
        return "mosquitto" if find_mosquitto() else "embedded"
    return campaign.broker


def _prompts(campaign: Campaign) -> dict[str, str]:
    """Every text a model is told in this run; the manifest keeps their checksums."""
    prompts = {"instructions": TEXT}
    if campaign.user_model is not None:
        prompts |= {f"driver/{name}": text for name, text in driver_prompts().items()}
    if campaign.judge != OFF:
        prompts["judge"] = judge_template()
    return prompts


def _invite(up: Bench) -> None:
    sys.stderr.write(
        f"waiting {up.settings.agent_wait_s:g} s for an agent at {up.gateway.url}/agent\n"
        f"with 'Authorization: Bearer {up.gateway.tokens.agent}', for example\n"
        f"  CODRIVER_TOKEN={up.gateway.tokens.agent} python examples/ws_agent.py "
        f"{up.gateway.url}\n"
    )


def _print(outcome: Outcome) -> None:
    unsupported = len(outcome.figures["unsupported"])
    more = f"{unsupported} tasks need tools this car does not have yet; --json names them"
    print_rich(
        table(outcome.manifest, outcome.units),
        "",
        totals_table(outcome.figures),
        headline(outcome.figures),
        *outcome.figures["notes"],
        *((more,) if unsupported else ()),
        f"stored in {outcome.folder}; look into it with: codriver view {outcome.folder}",
    )
