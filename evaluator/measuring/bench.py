"""`codriver bench`: what this harness itself costs on this machine.

Every key is always there; what was not measured is null.
"""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from evaluator.event_loop import check_uvloop, run_async
from evaluator.measuring.bus import round_trips_ns, tool_calls_ns
from evaluator.measuring.delays import DELAYS_MS, delay_errors
from evaluator.measuring.episodes import play
from evaluator.measuring.idle import Idle, idle
from evaluator.measuring.live import Live, live
from evaluator.measuring.model import model_delay_errors_ns
from evaluator.measuring.own_error import BlockedTurn, blocked_turn, floor_ms
from evaluator.measuring.page import DrawnPage, WatchedCar, drawn_page, too_slow, watched_car
from evaluator.measuring.rig.percentiles import UNKNOWN, Percentiles, percentiles
from evaluator.measuring.rig.pressure import ShortageSince
from evaluator.measuring.soak import soak
from evaluator.measuring.sound import InSound, sound
from evaluator.measuring.start import cold_start
from evaluator.measuring.stored_runs import Reporting, Rescoring, reporting, rescoring
from evaluator.measuring.workers import Scaling, scaling
from evaluator.measuring.world import unknown_world_ms, world_ms
from evaluator.options import RunOptions
from evaluator.problems import GateFailed, UsageProblem
from evaluator.run.settings import run_settings
from evaluator.run.units import RunSettings, bench
from evaluator.task.selection import Selection, load
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich
from vehicle_bus.broker.choose import broker
from vehicle_bus.world.world import World

US = 1_000
CONCURRENCY = (1, 8, 32)
MODEL_DELAY_MS = 500
STOLEN_SHARE = 0.001
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many of everything a bench measures; `tasks` None are all."""

    tasks: int | None = None
    requests: int = 1000
    calls: int = 350
    episodes: int = 100
    starts: int = 3
    trials: int = 3
    pairs: int = 3
    lookups: int = 150
    delay_sessions: int = 50
    delay_turns: int = 10
    floor_turns: int = 26
    live_sessions: int = 200
    sound_sessions: int = 50
    sound_turns: int = 7
    idle_sessions: int = 1000
    model_sessions: int = 16
    model_turns: int = 38
    page_loads: int = 5
    page_turns: int = 50
    page_s: float = 5.0


QUICK = Sizes(
    tasks=18,
    requests=50,
    calls=50,
    episodes=6,
    starts=1,
    trials=1,
    pairs=1,
    lookups=10,
    delay_sessions=5,
    delay_turns=1,
    floor_turns=3,
    live_sessions=2,
    sound_sessions=2,
    sound_turns=3,
    idle_sessions=20,
    model_sessions=2,
    model_turns=4,
    page_loads=2,
    page_turns=8,
    page_s=1.0,
)


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is measured with, and how much."""

    settings: RunSettings
    tasks: Sequence[Task]
    world: World
    sizes: Sizes
    tasks_from: Path | None = None
    world_from: Path | None = None

    @property
    def run_options(self) -> list[str]:
        """Options of a `codriver run` of the same tasks in the same world at such a broker."""
        named = {
            "--tasks-from": self.tasks_from,
            "--world": self.world_from,
            "--broker": self.settings.broker_url or self.settings.broker_kind,
            "--num-tasks": self.sizes.tasks,
        }
        return [f"{name}={value}" for name, value in named.items() if value is not None]


def measure(
    only: Sequence[str],
    tasks_from: Path | None,
    world: Path | None,
    broker_kind: str,
    soak_s: float | None,
    sessions: int | None = None,
    *,
    quick: bool = False,
    uvloop: bool = False,
    as_json: bool,
) -> None:
    """Measure and print; a `Problem` if something could not be played at all, or far too slowly.

    `sessions` is how many live ones there are at a time, if not as many as usual.
    """
    parts = _chosen(only)
    if uvloop:
        check_uvloop()
    settings = run_settings(RunOptions(broker=broker_kind, pace="virtual"), "bench")
    sizes = QUICK if quick else Sizes()
    if sessions is not None:
        sizes = replace(sizes, live_sessions=sessions, sound_sessions=sessions)
    chosen = Selection(tasks_from, num_tasks=-1 if sizes.tasks is None else sizes.tasks)
    tasks, _, loaded = load(chosen, world)
    given = Measuring(settings, tasks, loaded, sizes, tasks_from, world)
    started_ns, shortage = wall_ns(), ShortageSince()
    figures: Figures = {
        key: value for part in PARTS.values() for key, value in part.unknown.items()
    }
    figures |= {"episode_set": "public" if tasks[0].source == "public" else "own", "soak": None}
    figures |= run_async(_all(parts, given, soak_s), uvloop=uvloop)
    figures["wall_s"] = round((wall_ns() - started_ns) / SECOND, 1)
    figures["machine"] = {"cpus": os.cpu_count(), **asdict(shortage.now())}
    if as_json:
        print_json(figures)
    else:
        print_rich(*_lines(figures))
    if slow := list(too_slow(figures)):
        raise GateFailed(f"the page is too slow: {'; '.join(slow)}")


def _chosen(only: Sequence[str]) -> list[str]:
    """Parts by their name, or by a key they measure; without a choice all."""
    keys = {key for part in PARTS.values() for key in part.unknown}
    for name in only:
        if name not in PARTS and name not in keys:
            raise UsageProblem(
                f"--only is one of {', '.join(PARTS)}, "
                f"or a key: {', '.join(sorted(keys))}, not {name!r}"
            )
    return [
        name
        for name, part in PARTS.items()
        if not only or not {name, *part.unknown}.isdisjoint(only)
    ]


async def _all(parts: Sequence[str], given: Measuring, soak_s: float | None) -> Figures:
    async with broker(given.settings.broker_url, prefer=given.settings.broker_kind) as address:
        figures: Figures = {"broker": address.kind, "client": address.client}
    for part in parts:
        sys.stderr.write(f"measuring {part}\n")
        figures |= await PARTS[part].measure(given)
    if soak_s is not None:
        sys.stderr.write(f"soaking for {soak_s:g} s\n")
        soaked = await soak(given.settings, given.world, given.tasks, soak_s)
        figures["soak"] = asdict(soaked)
    return figures


# --- parts


async def _bus(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"bus_rtt_us": percentiles(await round_trips_ns(up, given.sizes.requests), US)}


async def _tool_call(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"tool_call_ms": percentiles(await tool_calls_ns(up, given.sizes.calls), MS)}


async def _episodes(given: Measuring) -> Figures:
    played = {
        f"c{number}": await play(
            given.settings, given.world, given.tasks, number, given.sizes.episodes
        )
        for number in CONCURRENCY
    }
    return {
        "episodes_per_s": {name: each.per_s for name, each in played.items()},
        "bus_messages_per_episode": played["c8"].messages_per_episode,
        "spoilt_episodes": sum(each.spoilt for each in played.values()),
    }


async def _start(given: Measuring) -> Figures:
    started = await cold_start(given.run_options, given.sizes.starts)
    return {"cold_start_s": started.first_episode_s, "rss_mb": started.peak_mb}


async def _workers(given: Measuring) -> Figures:
    sizes = given.sizes
    return {"workers": asdict(await scaling(given.run_options, sizes.trials, sizes.pairs))}


async def _world(given: Measuring) -> Figures:
    async with bench(given.settings, given.world) as up:
        return {"world_ms": await world_ms(up, given.sizes.lookups)}


async def _model_delay(given: Measuring) -> Figures:
    sessions, turns = given.sizes.model_sessions, given.sizes.model_turns
    async with bench(given.settings, given.world) as up:
        with without_long_pauses():
            errors_ns = await model_delay_errors_ns(
                up, MODEL_DELAY_MS, sessions=sessions, turns=turns
            )
    return {"model_delay_error_ms": {str(MODEL_DELAY_MS): percentiles(errors_ns, MS)}}


async def _delays(given: Measuring) -> Figures:
    sessions, turns = given.sizes.delay_sessions, given.sizes.delay_turns
    errors = await delay_errors(given.settings, given.world, sessions=sessions, turns=turns)
    return {
        key: {str(delay_ms): percentiles(errors_ns, MS) for delay_ms, errors_ns in by_delay.items()}
        for key, by_delay in (
            ("injected_delay_error_ms", errors.staggered),
            ("injected_delay_burst_ms", errors.burst),
        )
    }


async def _floor(given: Measuring) -> Figures:
    return {
        "floor_ms": await floor_ms(given.settings, given.world, given.sizes.floor_turns),
        "blocked_turn": asdict(await blocked_turn(given.settings, given.world)),
    }


async def _live(given: Measuring) -> Figures:
    measured = await live(
        given.settings,
        given.world,
        given.tasks,
        tasks_from=given.tasks_from,
        world_from=given.world_from,
        sessions=given.sizes.live_sessions,
    )
    return {"live": asdict(measured)}


async def _sound(given: Measuring) -> Figures:
    sizes = given.sizes
    measured = await sound(
        given.settings, given.world, sessions=sizes.sound_sessions, turns=sizes.sound_turns
    )
    return {"sound": asdict(measured)}


async def _idle(given: Measuring) -> Figures:
    return {"idle": asdict(await idle(given.settings, given.world, given.sizes.idle_sessions))}


async def _page(given: Measuring) -> Figures:
    sizes = given.sizes
    with without_long_pauses():
        drawn = await drawn_page(
            given.settings, loads=sizes.page_loads, turns=sizes.page_turns, seconds=sizes.page_s
        )
        watched = await watched_car(given.settings, sizes.page_turns)
    return {"page_viewers": asdict(watched)} | ({"page": asdict(drawn)} if drawn else {})


async def _rescore(given: Measuring) -> Figures:
    return {"rescore": asdict(await rescoring(given.settings, given.world, given.tasks))}


async def _report(given: Measuring) -> Figures:
    return {"report": asdict(await reporting(given.settings, given.world, given.tasks))}


class Measurement(NamedTuple):
    """A part of the bench, and its keys with what they hold as long as it was not measured."""

    measure: Callable[[Measuring], Awaitable[Figures]]
    unknown: Figures


def _nulls(*names: str) -> Figures:
    return dict.fromkeys(names)


def _unknown(kind: type[Any]) -> Figures:
    """The fields of a dataclass of figures, as long as they were not measured."""
    return {each.name: UNKNOWN if each.type == Percentiles else None for each in fields(kind)}


UNKNOWN_DELAYS = {str(delay_ms): UNKNOWN for delay_ms in DELAYS_MS}
PARTS = {
    "bus": Measurement(_bus, {"bus_rtt_us": UNKNOWN}),
    "tool_call": Measurement(_tool_call, {"tool_call_ms": UNKNOWN}),
    "episodes": Measurement(
        _episodes,
        {"episodes_per_s": _nulls("c1", "c8", "c32")}
        | _nulls("bus_messages_per_episode", "spoilt_episodes"),
    ),
    "start": Measurement(_start, _nulls("cold_start_s", "rss_mb")),
    "workers": Measurement(_workers, {"workers": _unknown(Scaling)}),
    "world": Measurement(_world, {"world_ms": unknown_world_ms()}),
    "model_delay": Measurement(
        _model_delay, {"model_delay_error_ms": {str(MODEL_DELAY_MS): UNKNOWN}}
    ),
    "rescore": Measurement(_rescore, {"rescore": _unknown(Rescoring)}),
    "report": Measurement(_report, {"report": _unknown(Reporting)}),
    "delays": Measurement(
        _delays,
        {"injected_delay_error_ms": UNKNOWN_DELAYS, "injected_delay_burst_ms": UNKNOWN_DELAYS},
    ),
    "floor": Measurement(
        _floor,
        {
            "floor_ms": {"zero": UNKNOWN, "echo": UNKNOWN},
            "blocked_turn": _unknown(BlockedTurn),
        },
    ),
    "live": Measurement(_live, {"live": _unknown(Live)}),
    "sound": Measurement(_sound, {"sound": _unknown(InSound)}),
    "idle": Measurement(_idle, {"idle": _unknown(Idle)}),
    "page": Measurement(_page, {"page": _unknown(DrawnPage), "page_viewers": _unknown(WatchedCar)}),
}


# --- for people


def _lines(figures: Figures) -> Iterator[Any]:
    from rich.table import Table
    from rich.text import Text

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
        yield Text(
            f"the host gave {stolen:.1%} of the CPU time to other machines: each p99 "
            "above has some of that in it; repeat when the host is less busy",
            style="yellow",
        )


def _rows(figures: Figures) -> Iterator[tuple[str, Any]]:
    """Flat rows: a pair of percentiles or a single figure under a name."""
    for name, value in figures.items():
        if name not in ("episode_set", "broker", "client", "wall_s", "machine"):
            yield from _flat(name, value)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and "p50" not in value:
        for key, inner in value.items():
            yield from _flat(f"{name} {key}", inner)
    else:
        yield name, value
