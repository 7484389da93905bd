"""`codriver run` and `demo`: choose tasks, play what is missing, store, sum up, print."""

import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from rich.text import Text

from assistant_gateway.timing.timeline import SECOND, wall_ns
from assistant_gateway.wording.spoken import counted
from evaluator.commands.persons import Persons, persons
from evaluator.commands.resuming import resume_command
from evaluator.commands.score import judge_and_score
from evaluator.event_loop import run_async
from evaluator.exports.junit import write_cases
from evaluator.options import MOST_SESSIONS, SESSIONS_PER_CORE, RunOptions
from evaluator.problems import GateFailed, InfraProblem, Problem, UsageProblem
from evaluator.progress import progress
from evaluator.results.kept_sound import FOLDER
from evaluator.results.manifest import Invocation, Manifest
from evaluator.results.rows.sample import ShownUnits, read_run
from evaluator.results.store import RunStore, UnitResult, finished_in, holds_run, open_store
from evaluator.results.summary import Summary, summary
from evaluator.run.agent_process import agent_process, connecting_agent
from evaluator.run.agents import EXTERNAL, FROM_RUN, SEATED, answers_at
from evaluator.run.keeping import PackedUnit, keep, size_ahead
from evaluator.run.mcp_clients import McpClients, mcp_clients
from evaluator.run.models import judging
from evaluator.run.replayed_agent import ReplayedRun
from evaluator.run.run_manifest import manifest_of
from evaluator.run.settings import check, limits_of, persons_in, run_settings, selection
from evaluator.run.sound import run_sound
from evaluator.run.units import Bench, RunSettings, Unit, bench, speak_ahead
from evaluator.scoring.judgements import Judged
from evaluator.scoring.scores import Score
from evaluator.stored_run.run import open_run
from evaluator.task.selection import load, load_tasks
from evaluator.task.task import Task
from evaluator.views.ci_files import CiRun, ci_run, junit_xml, markdown
from evaluator.views.gates import least_shares, misses
from evaluator.views.printing import print_json, print_rich
from evaluator.views.sentences import untrusted_latencies, why_failed
from evaluator.views.table import headline, table
from evaluator.views.totals import totals_table
from evaluator.workers.crew import Crew, WorkerCrew
from evaluator.workers.here import CrewHere
from evaluator.workers.processes import crew_of_processes
from evaluator.workers.ray_cluster import check_on, crew_on_ray
from evaluator.workers.shards import Shard
from evaluator.workers.sizes import check_workers, workers_of
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its folder, its summary as in `run --json`, and units to show.

    `units` are all of a run that is not large; `outcomes` counts all of any run.
    """

    folder: Path
    manifest: Manifest
    shown: ShownUnits
    outcomes: Counter[str]
    figures: Summary

    @property
    def units(self) -> list[UnitResult]:
        return self.shown.units


def run_and_print(options: RunOptions, *, as_json: bool) -> None:
    """Run and print; raises `InfraProblem` if the bench failed, `GateFailed` if the agent did.

    The agent fails by `--fail-under` only; a bench that failed says nothing about it.
    """
    outcome = run_to_end(options, quiet=False)
    missed = list(misses(outcome.figures, least_shares(options.fail_under)))
    if as_json:
        print_json(outcome.figures)
    else:
        _print(outcome)
    problem = _broken(options, outcome)
    _write_files(options, _ci_run(outcome, missed, problem), outcome)
    if problem is not None:
        raise problem
    if missed:
        raise GateFailed(f"--fail-under: {'; '.join(missed)}")


def _broken(options: RunOptions, outcome: Outcome) -> InfraProblem | None:
    """Why a run that came to its end cannot tell how good its agent is."""
    if spoilt := outcome.figures.infra_error:
        again = resume_command(options.given, outcome.folder)
        units = counted(spoilt, "unit")
        return InfraProblem(f"{units} could not be played; finish with {again}")
    judged = outcome.manifest.latencies_judged
    if judged and not options.allow_slow_bench and not outcome.figures.harness.trusted:
        return InfraProblem(untrusted_latencies(outcome.figures.harness))
    return None


def _ci_run(
    outcome: Outcome, missed: Sequence[str] = (), problem: InfraProblem | None = None
) -> CiRun:
    return ci_run(
        outcome.manifest, outcome.units, outcome.figures, missed, problem, outcome.outcomes
    )


def _write_files(options: RunOptions, ended: CiRun, outcome: Outcome | None = None) -> None:
    """What a CI server shows; raises `UsageProblem` for a file that cannot be written."""
    try:
        if options.junit is not None and outcome is not None and outcome.shown.left_out:
            write_cases(open_run(outcome.folder), ended, options.junit)
        elif options.junit is not None:
            options.junit.write_bytes(junit_xml(ended))
        if options.summary is not None:
            with options.summary.open("a", encoding="utf-8") as file:
                file.write(markdown(ended))
    except OSError as error:
        raise UsageProblem(f"cannot write {error.filename}: {error.strerror}") from error


def run_to_end(options: RunOptions, *, quiet: bool) -> Outcome:
    """Play a run; raises `Problem`. Whatever ends it leaves what was stored."""
    check(options)
    check_workers(options)
    check_on(options)
    Shard.named(options.shard)
    run_id = f"r{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid() % 10_000:04d}"
    folder = options.out or Path("runs") / run_id
    try:
        return run_async(_play(options, run_id, folder, quiet), uvloop=options.uvloop)
    except InfraProblem as problem:
        if quiet:
            raise
        if finished := finished_in(folder):
            again = resume_command(options.given, folder)
            advice = f"stored: {counted(finished, 'unit')}; go on with {again}"
            problem = type(problem)(f"{problem}; {advice}")
        _write_files(options, *_unfinished(options, folder, problem))
        raise problem from None
    except KeyboardInterrupt:
        begun = holds_run(folder) and not quiet
        advice = f"; go on with {resume_command(options.given, folder)}" if begun else ""
        sys.stderr.write(f"\ninterrupted{advice}\n")
        ended = InfraProblem(f"interrupted{advice}")
        _write_files(options, *_unfinished(options, folder, ended))
        sys.exit(130)


def _unfinished(
    options: RunOptions, folder: Path, problem: InfraProblem
) -> tuple[CiRun, Outcome | None]:
    """What is stored of a run that did not come to its end."""
    if (options.junit or options.summary) and holds_run(folder):
        with suppress(Problem):
            stored = run_async(_stored(folder))
            return _ci_run(stored, problem=problem), stored
    run = CiRun(name=options.label, agent=options.agent, pace=options.pace, problem=problem)
    return run, None


async def _stored(folder: Path) -> Outcome:
    async with open_store(folder) as store:
        return await _outcome(store)


async def _outcome(
    store: RunStore, judged: Sequence[Judged] = (), wall_s: float | None = None
) -> Outcome:
    rows, shown = await read_run(store)
    figures = summary(store.manifest, rows, wall_s=wall_s, out=str(store.folder), judged=judged)
    outcomes = Counter[str](row.verdict.outcome for row in rows.units)
    return Outcome(store.folder, store.manifest, shown, outcomes, figures)


async def _play(options: RunOptions, run_id: str, folder: Path, quiet: bool) -> Outcome:
    tasks, unsupported, world = load(selection(options), options.world)
    people, clients = persons(options), mcp_clients(options)
    limits = limits_of(options)
    settings = clients.seated(people.seated(run_settings(options, run_id, limits)))
    sound = await run_sound(options)
    settings = replace(settings, sound=sound, hears_cars=sound is not None)
    judge = judging(
        options.judge,
        options.judge_base_url,
        options.prices,
        options.max_concurrency or MOST_SESSIONS,
        options.patience_s,
        quiet=quiet,
    )
    if judge is not None and judge.model is not None:  # who judges when all is played
        judge = replace(judge, model=limits.model(judge.model))
    await _check_replayed(settings, options, tasks)
    manifest = manifest_of(options, run_id, tasks, unsupported, sound)
    if options.resume and not holds_run(folder) and not quiet:
        sys.stderr.write(f"there is no run in {folder} yet: a new one begins\n")
    started_ns = wall_ns()
    async with open_store(folder, manifest=manifest, resume=options.resume) as store:
        settings = replace(settings, run_id=store.manifest.run_id)
        finished = await store.finished_units()
        trials = range(store.manifest.num_trials)
        planned = [Unit(task, trial) for trial in trials for task in tasks]
        asked_for = Shard.named(options.shard).of_units(planned)
        missing = [unit for unit in asked_for if (unit.task.task_id, unit.trial) not in finished]
        if missing:
            workers, clients = workers_of(options, len(missing)), clients.for_units(len(missing))
            await speak_ahead(settings, missing)
            async with (
                _serving_agent(options, settings, folder),
                _crew(options, settings, world, workers, folder, people, clients) as crew,
            ):
                if not quiet:
                    _tell_sessions(settings, options, crew, len(missing))
                    sys.stderr.write(size_ahead(options.keep_audio, len(missing)))
                await _play_missing(crew, store, missing, len(asked_for), quiet, people, options.on)
        # A resumed run took longer than this process lived; the stamps of its units tell how long.
        wall_s = None if finished else (wall_ns() - started_ns) / SECOND
        if len(tasks) < len(store.manifest.tasks):
            tasks = load_tasks(options.tasks_from, world)
        judged = await judge_and_score(store, {task.task_id: task for task in tasks}, world, judge)
        return await _outcome(store, judged, wall_s)


@asynccontextmanager
async def _crew(
    options: RunOptions,
    settings: RunSettings,
    world: World,
    workers: int,
    folder: Path,
    people: Persons,
    clients: McpClients,
) -> AsyncIterator[Crew]:
    """Whoever plays the units: this process, or as many as asked for."""
    if options.on:
        async with crew_on_ray(options, settings.run_id) as crew:
            yield crew
        return
    if workers > 1:
        yield crew_of_processes(options, settings.run_id, workers)
        return
    async with (
        bench(settings, world) as up,
        _connecting_agent(options, up, folder),
        clients.open(up.gateway, folder),
        people.open_seats(),
    ):
        yield CrewHere(up, options.keep_audio)


async def _check_replayed(
    settings: RunSettings, options: RunOptions, tasks: Sequence[Task]
) -> None:
    """Raises `UsageProblem` if an agent is replayed that has not played all that is asked for."""
    if settings.agent.kind in FROM_RUN:
        planned = [(task.task_id, trial) for trial in range(options.num_trials) for task in tasks]
        await ReplayedRun.named(settings.agent.target).check(planned)


def _serving_agent(
    options: RunOptions, settings: RunSettings, folder: Path
) -> AbstractAsyncContextManager[None]:
    """The command of an agent that has an address, if there is one, runs and the agent answers."""
    if not options.agent_command or settings.agent.kind in EXTERNAL | SEATED:
        return nullcontext()
    ready = partial(answers_at, settings.agent)
    return agent_process(options.agent_command, folder, ready, settings.agent_wait_s)


def _connecting_agent(
    options: RunOptions, up: Bench, folder: Path
) -> AbstractAsyncContextManager[None]:
    """The command of an agent that connects to us runs; without one its user starts it."""
    if up.settings.agent.kind not in EXTERNAL:
        return nullcontext()
    if options.agent_command:
        wait_s = up.settings.agent_wait_s
        return connecting_agent(options.agent_command, folder, up.gateway, wait_s)
    _invite(up)
    return nullcontext()


def _tell_sessions(settings: RunSettings, options: RunOptions, crew: Crew, units: int) -> None:
    """Say how many play, and how many sessions at a time where this machine is why they are few."""
    if isinstance(crew, WorkerCrew):
        where = f" on {options.on}" if options.on else ""
        sys.stderr.write(f"{counted(min(crew.workers, units), 'worker')}{where}\n")
        return
    number = settings.max_concurrency
    alone = bool(persons_in(options)) or settings.agent.kind in SEATED
    if options.max_concurrency is None and not alone and number < min(MOST_SESSIONS, units):
        sys.stderr.write(
            f"{number} sessions at a time: {SESSIONS_PER_CORE} per core, so that they do not delay "
            "each other; --max-concurrency changes that\n"
        )


async def _play_missing(
    crew: Crew,
    store: RunStore,
    missing: list[Unit],
    total: int,
    quiet: bool,
    people: Persons,
    on: str,
) -> None:
    began_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    await store.note(_invocation(began_at, crew, len(missing), on))
    quiet = quiet or people.in_terminal  # who plays there reads the scores between the lines
    with progress(total, already=total - len(missing), quiet=quiet) as shown:

        async def kept(unit: PackedUnit) -> None:
            await keep(store, unit)
            await store.note(_invocation(began_at, crew, len(missing), on))  # nodes come by and by
            if unit.last:
                result = unit.result
                spoilt = result.score.outcome == "infra_error"
                paid = tuple(result.cost.values())
                shown.advance(_line(result), trouble=spoilt, costs_usd=paid)
                people.scored(_line(result))

        await crew.play(missing, kept)


def _invocation(began_at: str, crew: Crew, units: int, on: str) -> Invocation:
    if not isinstance(crew, WorkerCrew):
        return Invocation(began_at=began_at, units=units, workers=1, on=on)
    workers, hosts = min(crew.workers, units), tuple(sorted(crew.hosts))
    return Invocation(began_at=began_at, units=units, workers=workers, on=on, hosts=hosts)


def _line(result: UnitResult) -> str:
    score: Score = result.score
    trial = f" trial {result.trial}" if result.trial else ""
    reward = "no reward" if score.reward_coded is None else f"reward {score.reward_coded:g}"
    why = "" if score.outcome == "success" else f", {': '.join(why_failed(score))}"
    return f"{result.task_id}{trial}: {reward}{why}"


def _invite(up: Bench) -> None:
    sys.stderr.write(
        f"waiting {up.settings.agent_wait_s:g} s for an agent at {up.gateway.url}/agent\n"
        f"with 'Authorization: Bearer {up.gateway.tokens.agent}', for example\n"
        f"  CODRIVER_TOKEN={up.gateway.tokens.agent} python examples/ws_agent.py "
        f"{up.gateway.url}\n"
    )


def _print(outcome: Outcome) -> None:
    unsupported = len(outcome.figures.unsupported)
    failed = outcome.outcomes.total() > outcome.outcomes["success"]
    audio = outcome.figures.kept_audio
    kept = (f"what was said is kept in {outcome.folder / FOLDER}: {audio}",) if audio else ()
    more = f"left out: {counted(unsupported, 'task')} for tools this car lacks (named in --json)"
    print_rich(
        table(outcome.manifest, outcome.units),
        *((outcome.shown.left_out,) if outcome.shown.left_out else ()),
        "",
        totals_table(outcome.figures),
        "",
        Text(headline(outcome.figures)),
        *map(Text, outcome.figures.notes),
        *((Text(more),) if unsupported else ()),
        *kept,
        f"stored in {outcome.folder}; look into it with:",
        f"codriver view {outcome.folder} {'--failed' if failed else ''}".rstrip(),
    )
