"""`codriver bench`: what this harness itself costs on this machine.

Every key is always there; what was not measured, or is not built yet, is null.
"""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from evaluator.measuring.bus import round_trips_ns, tool_calls_ns
from evaluator.measuring.cpu import cpu_ms_per_episode
from evaluator.measuring.delays import DELAYS_MS, delay_errors
from evaluator.measuring.episodes import Pass, play
from evaluator.measuring.faults import EPISODES as FAULT_EPISODES
from evaluator.measuring.faults import survived
from evaluator.measuring.floor import blocked_turn, floor_ms
from evaluator.measuring.idle import idle
from evaluator.measuring.live import SESSIONS as LIVE_SESSIONS
from evaluator.measuring.live import live
from evaluator.measuring.model import model_delay_errors_ns
from evaluator.measuring.paces import paces
from evaluator.measuring.paces import rows as rows_of_paces
from evaluator.measuring.processes import processes_per_s
from evaluator.measuring.rig.percentiles import UNKNOWN, percentiles
from evaluator.measuring.rig.pressure import ShortageSince
from evaluator.measuring.soak import soak
from evaluator.measuring.start import cold_start
from evaluator.measuring.stored import reporting, rescoring
from evaluator.measuring.world import unknown_world_ms, world_ms
from evaluator.problems import UsageProblem
from evaluator.run.agents import AgentChoice
from evaluator.run.options import RunOptions
from evaluator.run.plan import run_settings
from evaluator.run.units import RunSettings, bench
from evaluator.run_async import check_uvloop, run_async
from evaluator.task.selection import Selection, load
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich
from vehicle_bus.broker.choose import broker
from vehicle_bus.car.fault import KINDS
from vehicle_bus.world.world import World

US = 1_000
CONCURRENCY = (1, 8, 32)
PROCESSES = (2,)
MODEL_DELAY_MS = 500
STOLEN_SHARE = 0.001
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is measured with; tasks None are the ones that ship."""

    settings: RunSettings
    tasks: Sequence[Task]
    world: World
    run_options: tuple[str, ...]
    tasks_from: Path | None = None
    world_from: Path | None = None
    sessions: int | None = None
    soak_s: float | None = None


def measure(
    only: Sequence[str],
    tasks_from: Path | None,
    world: Path | None,
    broker_kind: str,
    soak_s: float | None,
    sessions: int | None = None,
    *,
    uvloop: bool = False,
    as_json: bool,
) -> None:
    """Measure and print; a `Problem` if something could not be played at all.

    `sessions` is how many live ones there are at a time, if not as many as usual.
    """
    chosen = _chosen(only)
    if uvloop:
        check_uvloop()
    settings = run_settings(RunOptions(broker=broker_kind, pace="virtual"), "bench")
    tasks, _, loaded = load(Selection(tasks_from), world)
    options = _run_options(tasks_from, world, broker_kind)
    given = Measuring(settings, tasks, loaded, options, tasks_from, world, sessions, soak_s)
    started_ns, shortage = wall_ns(), ShortageSince()
    figures = _nothing_measured("public" if tasks[0].source == "public" else "own")
    figures |= run_async(_all(chosen, given), uvloop=uvloop)
    figures["wall_s"] = round((wall_ns() - started_ns) / SECOND, 1)
    figures["machine"] = {"cpus": os.cpu_count(), **asdict(shortage.now())}
    if as_json:
        print_json(figures)
    else:
        print_rich(*_lines(figures))


def _chosen(only: Sequence[str]) -> list[str]:
    """Parts by their name, or by a key they measure; without a choice all but the checks."""
    for name in only:
        if not any(name == part or name in keys for part, (keys, _) in PARTS.items()):
            keys = sorted(key for keys, _ in PARTS.values() for key in keys)
            raise UsageProblem(
                f"--only is one of {', '.join(PARTS)}, or a key: {', '.join(keys)}, not {name!r}"
            )
    return [
        part
        for part, (keys, _) in PARTS.items()
        if (not only and part not in ONLY_IF_ASKED)
        or part in only
        or any(key in only for key in keys)
    ]


def _run_options(tasks_from: Path | None, world: Path | None, broker_kind: str) -> tuple[str, ...]:
    named = {"--tasks-from": tasks_from, "--world": world, "--broker": broker_kind}
    return tuple(
        part
        for option, value in named.items()
        if value is not None
        for part in (option, str(value))
    )


def _nothing_measured(episode_set: str) -> Figures:
    return {
        "bus_rtt_us": dict(UNKNOWN),
        "tool_call_ms": dict(UNKNOWN),
        "episodes_per_s": {f"c{concurrency}": None for concurrency in CONCURRENCY},
        "episode_set": episode_set,
        "bus_messages_per_episode": None,
        "cold_start_s": None,
        "rss_mb": None,
        "world_ms": unknown_world_ms(),
        "injected_delay_error_ms": {str(delay): dict(UNKNOWN) for delay in DELAYS_MS},
        "injected_delay_burst_ms": {str(delay): dict(UNKNOWN) for delay in DELAYS_MS},
        "floor_ms": {"zero": dict(UNKNOWN), "echo": dict(UNKNOWN)},
        "blocked_turn": {"blocked_ms": None, "harness_error_ms": None, "excluded": None},
        "model_delay_error_ms": {str(MODEL_DELAY_MS): dict(UNKNOWN)},
        "live": {"sessions": None, "harness_error_ms_p99": None, "wall_per_simulated": None},
        "idle": {"sessions": None, "kb_per_session": None},
        "cpu_ms_per_episode": None,
        "processes_episodes_per_s": {str(number): None for number in PROCESSES},
        "broker": None,
        "client": None,
        "spoilt_episodes": None,
        "faults": None,
        "paces": None,
        "rescore": {"seconds": None, "units": None, "bit_equal": None},
        "report": {"seconds": None, "units": None, "megabytes": None},
        "soak": None,
    }


async def _all(chosen: Sequence[str], given: Measuring) -> Figures:
    async with broker(given.settings.broker_url, prefer=given.settings.broker_kind) as address:
        figures: Figures = {"broker": address.kind, "client": address.client}
    for part in chosen:
        sys.stderr.write(f"measuring {part}\n")
        figures |= await PARTS[part][1](given)
    if given.soak_s is not None:
        sys.stderr.write(f"soaking for {given.soak_s:g} s\n")
        soaked = await soak(given.settings, given.world, given.tasks, given.soak_s)
        figures["soak"] = asdict(soaked)
    return figures


# --- parts


async def _bus(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"bus_rtt_us": percentiles(await round_trips_ns(up), US)}


async def _tool_call(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"tool_call_ms": percentiles(await tool_calls_ns(up), MS)}


async def _episodes(given: Measuring) -> Figures:
    passes: dict[str, Pass] = {}
    for concurrency in CONCURRENCY:
        played = await play(given.settings, given.world, given.tasks, concurrency)
        passes[f"c{concurrency}"] = played
    return {
        "episodes_per_s": {name: played.per_s for name, played in passes.items()},
        "bus_messages_per_episode": passes["c8"].messages_per_episode,
        "spoilt_episodes": sum(played.spoilt for played in passes.values()),
    }


async def _start(given: Measuring) -> Figures:
    started = await cold_start(given.run_options)
    return {"cold_start_s": started.first_episode_s, "rss_mb": started.peak_mb}


async def _world(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"world_ms": await world_ms(up)}


async def _faults(given: Measuring) -> Figures:
    rules = replace(given.settings, agent=AgentChoice("rules"))
    found: dict[str, Any] = {}
    for kind in KINDS:
        found[kind] = {
            agent.agent.kind: asdict(
                await survived(agent, given.world, given.tasks, kind, FAULT_EPISODES)
            )
            for agent in (given.settings, rules)
        }
    return {"faults": found}


async def _model_delay(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        with without_long_pauses():
            errors_ns = await model_delay_errors_ns(up, MODEL_DELAY_MS)
    return {"model_delay_error_ms": {str(MODEL_DELAY_MS): percentiles(errors_ns, MS)}}


async def _delays(given: Measuring) -> Figures:
    errors = await delay_errors(given.settings, given.world)
    return {
        key: {str(delay_ms): percentiles(errors_ns, MS) for delay_ms, errors_ns in told.items()}
        for key, told in (
            ("injected_delay_error_ms", errors.staggered),
            ("injected_delay_burst_ms", errors.burst),
        )
    }


async def _floor(given: Measuring) -> Figures:
    return {
        "floor_ms": await floor_ms(given.settings, given.world),
        "blocked_turn": asdict(await blocked_turn(given.settings, given.world)),
    }


async def _live(given: Measuring) -> Figures:
    told = await live(
        given.settings,
        given.world,
        given.tasks,
        tasks_from=given.tasks_from,
        world_from=given.world_from,
        sessions=given.sessions or LIVE_SESSIONS,
    )
    return {"live": asdict(told)}


async def _idle(given: Measuring) -> Figures:
    return {"idle": asdict(await idle(given.settings, given.world))}


async def _cpu(given: Measuring) -> Figures:
    return {
        "cpu_ms_per_episode": await cpu_ms_per_episode(given.settings, given.world, given.tasks)
    }


async def _processes(given: Measuring) -> Figures:
    per_s = {
        str(number): await processes_per_s(
            given.settings, given.tasks_from, given.world_from, number
        )
        for number in PROCESSES
    }
    return {"processes_episodes_per_s": per_s}


async def _rescore(given: Measuring) -> Figures:
    return {"rescore": asdict(await rescoring(given.settings, given.world, given.tasks))}


async def _report(given: Measuring) -> Figures:
    return {"report": asdict(await reporting(given.settings, given.world, given.tasks))}


async def _paces(given: Measuring) -> Figures:
    return {"paces": await paces(given.settings)}


Part = Callable[[Measuring], Awaitable[Figures]]
PARTS: dict[str, tuple[tuple[str, ...], Part]] = {
    "bus": (("bus_rtt_us",), _bus),
    "tool_call": (("tool_call_ms",), _tool_call),
    "episodes": (("episodes_per_s", "bus_messages_per_episode"), _episodes),
    "start": (("cold_start_s", "rss_mb"), _start),
    "world": (("world_ms",), _world),
    "faults": (("faults",), _faults),
    "model_delay": (("model_delay_error_ms",), _model_delay),
    "rescore": (("rescore",), _rescore),
    "report": (("report",), _report),
    "delays": (("injected_delay_error_ms", "injected_delay_burst_ms"), _delays),
    "floor": (("floor_ms", "blocked_turn"), _floor),
    "live": (("live",), _live),
    "idle": (("idle",), _idle),
    "cpu": (("cpu_ms_per_episode",), _cpu),
    "processes": (("processes_episodes_per_s",), _processes),
    "paces": (("paces",), _paces),
}
# Checks, and what takes both cores.
ONLY_IF_ASKED = frozenset({"faults", "cpu", "processes", "paces"})


# --- for people


def _lines(figures: Figures) -> Iterator[Any]:
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("measured", "p50", "p99"):
        shown.add_column(name, justify="left" if name == "measured" else "right")
    for name, value in _rows(figures):
        pair = value if isinstance(value, dict) else {"p50": value, "p99": ""}
        if pair["p50"] is not None:
            shown.add_row(name, str(pair["p50"]), str(pair["p99"]))
    yield shown
    yield (
        f"{figures['episode_set']} tasks, {figures['broker']} broker, {figures['client']} client, "
        f"measured in {figures['wall_s']:g} s"
    )
    if (stolen := figures["machine"]["stolen"] or 0) > STOLEN_SHARE:
        yield (
            f"[yellow]the host gave {stolen:.1%} of the CPU time to other machines: each p99 "
            "above has some of that in it; repeat in a quieter hour[/]"
        )


def _rows(figures: Figures) -> Iterator[tuple[str, Any]]:
    """Flat rows: a pair of percentiles or a single figure under a name."""
    for name, value in figures.items():
        if name in ("episode_set", "broker", "client", "wall_s", "machine"):
            continue
        if name == "paces" and value:
            yield from rows_of_paces(value)
        elif name == "faults" and value:
            for kind, agents in value.items():
                for agent, found in agents.items():
                    told = ", ".join(f"{number} {what}" for what, number in found.items())
                    yield f"{kind}, {agent}", told
        elif isinstance(value, dict) and "p50" not in value:
            yield from ((f"{name} {key}", inner) for key, inner in value.items())
        else:
            yield name, value
