"""What a replay of recorded runs comes to: rewards compared, figures for scripts, a table."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.car_bench.declared_differences import ComparedCall, declared, may_change
from evaluator.car_bench.recordings import RecordedRun
from evaluator.car_bench.replay_over_bus import Replayed
from evaluator.record.record import State
from evaluator.scoring.components import (
    Component,
    final_state,
    hand_overs,
    intermediate_states,
    tool_execution,
    tool_subset,
)
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.expected import required_tools
from evaluator.scoring.policies import Profile, is_published
from evaluator.task.task import Task

COMPONENTS = ("r_actions_final", "r_actions_intermediate", "r_tool_subset", "r_tool_execution")
RULE = "policy_"
SHOWN = 20
LONGEST = 300


@dataclass(frozen=True, slots=True)
class ComparedReward:
    """A reward component as recorded and as worked out here; `why` if ours is 0."""

    component: str
    recorded: float
    ours: float | None
    why: str
    explained: bool

    @property
    def equal(self) -> bool:
        return self.ours == self.recorded


@dataclass(frozen=True, slots=True)
class Conformed:
    """One recorded run and how ours compares."""

    recording: RecordedRun
    calls: tuple[ComparedCall, ...]
    rewards: tuple[ComparedReward, ...]

    @property
    def line(self) -> str:
        """One line for the progress on stderr."""
        equal = sum(call.equal for call in self.calls)
        ids = Counter(call.difference or "unexplained" for call in self.calls if not call.equal)
        notes = [f"{count} {name}" for name, count in ids.items()]
        notes += [f"{r.component} differs" for r in self.rewards if not r.equal]
        run = f"{self.recording.task_id} trial {self.recording.trial}"
        return f"{run}: {', '.join([f'{equal} of {len(self.calls)} calls equal', *notes])}"


def compared_rewards(
    replayed: Replayed, task: Task, expected: Sequence[State], profile: Profile
) -> tuple[ComparedReward, ...]:
    """The components that follow from car and calls, for those that were recorded.

    They are compared as published, in the newer version if that is the profile.
    """
    recorded = replayed.recording.rewards or {}
    compared = []
    for name, judge in _judges(replayed, task, expected, profile).items():
        value = recorded.get(name)
        if value is not None:
            ours = judge()
            explained = may_change(name, replayed.differences)
            compared.append(ComparedReward(name, value, ours.value, ours.why, explained))
    return tuple(compared)


def _judges(
    replayed: Replayed, task: Task, expected: Sequence[State], profile: Profile
) -> dict[str, Callable[[], Component]]:
    record = replayed.record
    published: Profile = profile if is_published(profile) else "car-bench"
    judges = {"r_tool_execution": lambda: tool_execution(record.calls, published)}
    if not is_limit_awareness(task.task_type):
        judges |= {
            "r_actions_final": lambda: final_state(record.final_state or {}, expected[-1:]),
            "r_actions_intermediate": lambda: intermediate_states(
                hand_overs(record), lambda _turn: expected
            ),
            "r_tool_subset": lambda: tool_subset(record.calls, required_tools(task)),
        }
    return judges


def figures(
    runs: Sequence[Conformed],
    unknown_tasks: Sequence[str],
    broken: Sequence[str],
    taken_from_recording: Sequence[str] = (),
) -> dict[str, Any]:
    """All of `conformance --json` that does not depend on the machine.

    `taken_from_recording` names what both sides share where whole verdicts were compared.
    """
    calls = [call for run in runs for call in run.calls]
    differing = [call for call in calls if not call.equal]
    ids = Counter(call.difference for call in differing if call.difference is not None)
    unexplained = [found for run in runs for found in _unexplained(run)]
    rewards = [found for run in runs for found in _unexplained_rewards(run)]
    return {
        "episodes": len(runs),
        "calls": len(calls),
        "equal": len(calls) - len(differing),
        "equal_after_declared": len(calls) - len(unexplained),
        "declared_differences": dict(sorted(ids.items())),
        "unexplained": unexplained,
        "rewards": {name: _tally(runs, name) for name in _compared_names(runs)},
        "policies": {
            name.removeprefix(RULE): {**_tally(runs, name), "broken": _broken(runs, name)}
            for name in _names(runs)
            if name.startswith(RULE)
        },
        "taken_from_recording": list(taken_from_recording),
        "unexplained_rewards": rewards,
        "error_rows": len(broken),
        "calls_without_recorded_answer": sum(
            call.output is None for run in runs for call in run.recording.calls
        ),
        "unscored_episodes": sum(run.recording.rewards is None for run in runs),
        "unknown_tasks": list(unknown_tasks),
        "conforms": not (unexplained or rewards or unknown_tasks),
    }


def _names(runs: Sequence[Conformed]) -> list[str]:
    found = (reward.component for run in runs for reward in run.rewards)
    return list(dict.fromkeys([*COMPONENTS, *found]))


def _compared_names(runs: Sequence[Conformed]) -> list[str]:
    return [name for name in _names(runs) if not name.startswith(RULE)]


def _broken(runs: Sequence[Conformed], rule: str) -> int:
    """In how many runs the recording calls it broken."""
    return sum(
        reward.recorded == 0.0 for run in runs for reward in run.rewards if reward.component == rule
    )


def _tally(runs: Sequence[Conformed], component: str) -> dict[str, int]:
    found = [reward for run in runs for reward in run.rewards if reward.component == component]
    return {"equal": sum(reward.equal for reward in found), "total": len(found)}


def _unexplained(run: Conformed) -> Iterator[dict[str, Any]]:
    for index, call in enumerate(run.calls):
        if not call.equal and call.difference is None:
            yield {
                "task_id": run.recording.task_id,
                "trial": run.recording.trial,
                "where": run.recording.where,
                "call": index,
                "tool": call.tool,
                "arguments": call.arguments,
                "recorded": _abbreviated(call.recorded),
                "ours": _abbreviated(call.reply.output),
                "status": call.reply.status,
            }


def _unexplained_rewards(run: Conformed) -> Iterator[dict[str, Any]]:
    for reward in run.rewards:
        if not reward.equal and not reward.explained:
            yield {
                "task_id": run.recording.task_id,
                "trial": run.recording.trial,
                "where": run.recording.where,
                "component": reward.component,
                "recorded": reward.recorded,
                "ours": reward.ours,
                "why": reward.why,
            }


def _abbreviated(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# --- for people


def lines(found: dict[str, Any]) -> Iterator[Any]:
    """A compact table, what is unexplained, and the verdict."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("compared", "equal", "of", "share"):
        shown.add_column(name, justify="left" if name == "compared" else "right")
    rows = {
        "calls": (found["equal"], found["calls"]),
        "calls, after declared differences": (found["equal_after_declared"], found["calls"]),
        **{name: (tally["equal"], tally["total"]) for name, tally in found["rewards"].items()},
        **{
            f"rule {name}, {tally['broken']} broken": (tally["equal"], tally["total"])
            for name, tally in found["policies"].items()
        },
    }
    for name, (equal, total) in rows.items():
        share = f"{equal / total:.1%}" if total else "-"
        shown.add_row(name, str(equal), str(total), share)
    yield shown
    for difference, count in found["declared_differences"].items():
        yield f"{count} calls differ as declared in {difference}: {declared(difference)}"
    yield from _first(found["unexplained"], _call_line)
    yield from _first(found["unexplained_rewards"], _reward_line)
    yield from _remarks(found)
    verdict = "conforms" if found["conforms"] else "does not conform"
    yield f"{found['episodes']} recorded runs in {found['wall_s']:.1f} s: {verdict}"


def _first(found: Sequence[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    yield from map(line, found[:SHOWN])
    if len(found) > SHOWN:
        yield f"and {len(found) - SHOWN} more; --json lists them all"


def _call_line(found: dict[str, Any]) -> str:
    call = f"{found['task_id']} trial {found['trial']} call {found['call']}: {found['tool']}"
    return f"unexplained {call}\n  recorded {found['recorded']}\n  ours     {found['ours']}"


def _reward_line(found: dict[str, Any]) -> str:
    run = f"{found['task_id']} trial {found['trial']}"
    why = f" ({found['why']})" if found["why"] else ""
    return (
        f"unexplained {run}: {found['component']} was {found['recorded']:g}, "
        f"ours is {found['ours']}{why}"
    )


def _remarks(found: dict[str, Any]) -> Iterator[str]:
    yield from (f"skipped {line}" for line in found["skipped"])
    if found["taken_from_recording"]:
        taken = "; ".join(found["taken_from_recording"])
        yield f"equal by construction, because taken from the recordings: {taken}"
    if found["error_rows"]:
        yield f"{found['error_rows']} entries are error rows without a conversation"
    if found["unscored_episodes"]:
        yield f"{found['unscored_episodes']} runs were recorded without rewards"
    if found["unknown_tasks"]:
        few = ", ".join(found["unknown_tasks"][:SHOWN])
        yield f"{len(found['unknown_tasks'])} recorded tasks are not in --tasks-from: {few}"
