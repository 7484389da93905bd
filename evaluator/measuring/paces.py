"""Whether latencies are the same in every pace: twenty episodes in virtual time, fast and live.

Agents and drivers are the same, with the same seed, and everything is in one process. What live
and fast add to a span has to be in the error that the turn itself declares.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant_gateway.protocol import Pace
from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from evaluator.measuring.live import Heard
from evaluator.measuring.pace_differences import Difference, differences, of_another_kind
from evaluator.measuring.rig.percentiles import percentiles
from evaluator.problems import InfraProblem
from evaluator.record.digest import digest
from evaluator.run.agents import REFERENCE
from evaluator.run.units import Played, RunSettings, Unit, bench, play_all
from evaluator.task.files import own_tasks
from evaluator.task.task import Task
from evaluator.task.worlds import own_world

LATENCY = "cloud_fast"
PACES: tuple[Pace, ...] = ("fast", "live")
EPISODES = (
    *("base_call_workshop", "base_end_in_linz", "base_enough_weather", "base_hands_full"),
    *("base_kids_and_windows", "base_mhm_go_on", "base_misty_windshield", "base_not_that_orange"),
    *("ask_the_one_at_the_back", "ask_where_to_blow", "ask_which_mira", "settle_empty_seat"),
    *("settle_toll_free", "limit_no_stop_added", "limit_no_trunk", "limit_number_unknown"),
    *("fault_everything_twice", "fault_gone_for_a_moment", "fault_silent_seat", "fault_slow_wheel"),
)


@dataclass(frozen=True, slots=True)
class Pass:
    """All episodes in one pace, by task, and how long that took."""

    played: Mapping[str, Played]
    wall_s: float

    @property
    def simulated_s(self) -> float:
        ends = [played.record.end for played in self.played.values()]
        return sum(end.t_ns for end in ends if end is not None) / SECOND

    @property
    def digests(self) -> dict[str, str]:
        return {task_id: digest(played.record) for task_id, played in self.played.items()}


def episodes() -> list[Task]:
    """Short ones of every kind: calls, limits, questions, a moving car, faults, over-speech."""
    by_id = {task.task_id: task for task in own_tasks()}
    return [by_id[task_id] for task_id in EPISODES]


async def paces(settings: RunSettings) -> dict[str, Any]:
    """Play all in every pace, each time all at once; in virtual time also one after the other."""
    tasks = episodes()
    alone = await play_paced(settings, tasks, "virtual", at_a_time=1)
    virtual = await play_paced(settings, tasks, "virtual")
    return {
        "episodes": len(virtual.played),
        "turns": sum(len(played.record.turns) for played in virtual.played.values()),
        "same_digests": alone.digests == virtual.digests,
        "simulated_per_wall": round(virtual.simulated_s / virtual.wall_s, 1),
    } | {pace: compared(virtual, await play_paced(settings, tasks, pace)) for pace in PACES}


async def play_paced(
    settings: RunSettings, tasks: Sequence[Task], pace: Pace, *, at_a_time: int | None = None
) -> Pass:
    """One pass over the tasks; `InfraProblem` if one could not be played."""
    concurrency = at_a_time or len(tasks)
    chosen = replace(
        settings,
        agent=REFERENCE,
        pace=pace,
        latency_profile=LATENCY,
        max_concurrency=concurrency,
    )
    heard = Heard()
    async with bench(chosen, own_world()) as up:
        began_ns = wall_ns()
        await play_all(up, [Unit(task, 1) for task in tasks], heard.keep)
        wall_s = (wall_ns() - began_ns) / SECOND
    played = {each.unit.task.task_id: each for each in heard.played if each.last}
    for task_id, each in played.items():
        if each.score.outcome == "infra_error":
            raise InfraProblem(f"{task_id} could not be played: {each.score.reason}")
    return Pass(played, wall_s)


def compared(virtual: Pass, other: Pass) -> dict[str, Any]:
    """What another pace has come to, beside virtual time: milliseconds by span."""
    pairs = [(virtual.played[task_id], played) for task_id, played in other.played.items()]
    found = [each for pair in pairs for each in differences(*pair)]
    turns = [turn for played in other.played.values() for turn in played.score.turns]
    declared_ns = [round(turn.harness_error_ms * MS) for turn in turns]
    return {
        "different": [told for pair in pairs for told in of_another_kind(*pair)],
        "compared": len(found),
        "declared": sum(each.is_declared for each in found),
        "declared_ms": percentiles(declared_ns, MS),
        "spans": dict(_by_span(found)),
    }


def _by_span(found: Iterable[Difference]) -> Iterator[tuple[str, dict[str, float | None]]]:
    by_name: dict[str, list[int]] = {}
    for each in sorted(found):
        by_name.setdefault(each.span.name, []).append(abs(each.ns))
    for name, off_ns in sorted(by_name.items()):
        most_ms = round(max(off_ns) / MS, 3)
        yield name, {"n": len(off_ns)} | percentiles(off_ns, MS) | {"max": most_ms}


def rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """For people: percentiles by span, and what was declared."""
    yield "paces, simulated seconds per second", figures["simulated_per_wall"]
    for pace in PACES:
        told = figures[pace]
        for name, off_ms in told["spans"].items():
            yield f"paces, {pace}: {name} off by ms", off_ms
        yield f"paces, {pace}: differences declared", f"{told['declared']} of {told['compared']}"
        yield f"paces, {pace}: of another kind", str(len(told["different"]))
