"""One episode with everything found in it, each thing worked out once and only when asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.record.episode import Episode
from evaluator.record.record import Record, State
from evaluator.scoring.acted_too_early import premature_action
from evaluator.scoring.components import (
    KEPT,
    OPEN,
    Answered,
    Component,
    end_of_conversation,
    final_state,
    intermediate_states,
    realtime,
    tool_execution,
    tool_subset,
)
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.end_state import OffTarget, off_target
from evaluator.scoring.expected import in_short, passed_states, required_tools
from evaluator.scoring.false_claims import false_claims
from evaluator.scoring.false_denials import false_denials
from evaluator.scoring.grounding import ungrounded
from evaluator.scoring.impossible_actions import impossible_actions, possible_part
from evaluator.scoring.policies import Breach, Profile
from evaluator.scoring.rules_kept import Judgements, PolicyMark, policy_marks, rules_kept
from evaluator.scoring.turn_score import TurnScore
from evaluator.scoring.words.language import in_english
from evaluator.scoring.words.tellings import told
from evaluator.task.expected_course import ExpectedCourse, expected_course
from evaluator.task.task import Task
from vehicle_bus.world.world import World

COMPONENTS = (
    "r_actions_final",
    "r_actions_intermediate",
    "r_tool_subset",
    "r_tool_execution",
    "r_policy",
    "r_user_end_conversation",
    "r_says",
    "r_language",
    "r_realtime",
    "false_claim",
    "grounding",
)


@dataclass(frozen=True)
class Evidence:
    """One episode with everything found in it."""

    episode: Episode
    world: World
    profile: Profile
    judgements: Judgements | None
    turns: tuple[TurnScore, ...]

    @property
    def record(self) -> Record:
        return self.episode.record

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def about_limits(self) -> bool:
        return is_limit_awareness(self.task.task_type)

    @cached_property
    def course(self) -> ExpectedCourse:
        """What the expected actions answer and do, as if no fault had been."""
        return expected_course(self.task, self.world, self.record.by_hand)

    @property
    def expected(self) -> Sequence[State]:
        """At the start and after each expected action."""
        return self.course.snapshots

    @cached_property
    def possible_task(self) -> Task:
        """The task as far as faults have left it possible."""
        return possible_part(self.task, impossible_actions(self.episode))

    @property
    def replayed(self) -> list[Answered]:
        """The expected actions with their answers; limit-awareness tasks are not replayed."""
        if self.about_limits:
            return []
        pairs = zip(self.task.expect.actions, self.course.answers, strict=True)
        return [(action.name, action.arguments, answer) for action, answer in pairs]

    @cached_property
    def endings(self) -> Sequence[State]:
        """How the car may stand at the end."""
        if self.possible_task == self.task:
            return self.expected[-1:]
        possible = expected_course(self.possible_task, self.world, self.record.by_hand)
        return [self.expected[-1], possible.snapshots[-1]]

    @cached_property
    def passed(self) -> Sequence[State]:
        """How the car may stand on the way."""
        if not self.record.by_hand and self.possible_task == self.task:
            return self.expected
        tasks = (self.task, self.possible_task)
        by_hand = self.record.by_hand
        return [state for task in tasks for state in passed_states(task, self.world, by_hand)]

    @cached_property
    def marks(self) -> dict[str, PolicyMark]:
        return policy_marks(self.episode, self.profile, self.judgements)

    @cached_property
    def claims(self) -> tuple[Breach, ...]:
        """What was said of an effect and is not so, either way, as it was said."""
        found = (*false_claims(self.episode), *false_denials(self.episode))
        return tuple(sorted(found, key=lambda breach: breach.t_ns))

    @cached_property
    def invented(self) -> tuple[Breach, ...]:
        return ungrounded(self.episode)

    @cached_property
    def off_target(self) -> tuple[OffTarget, ...]:
        if self.about_limits:
            return ()
        return tuple(off_target(self.record, self.expected, self.task.expect.actions))

    @cached_property
    def premature(self) -> Breach | None:
        return premature_action(self.episode, self.passed)

    @cached_property
    def parts(self) -> dict[str, Component]:
        """Every component by name."""
        record, task = self.record, self.task
        reached: dict[str, Callable[[], Component]] = {}
        if not self.about_limits:
            reached = {
                "r_actions_final": lambda: final_state(record, *self.endings),
                "r_actions_intermediate": lambda: intermediate_states(record, self.passed),
                "r_tool_subset": lambda: tool_subset(record.calls, required_tools(task)),
            }
        return {
            **dict.fromkeys(COMPONENTS, OPEN),
            **{name: judge() for name, judge in reached.items()},
            "r_tool_execution": tool_execution(record.calls, self.profile, self.replayed),
            "r_policy": rules_kept(self.marks, task.task_type, self.profile),
            "r_user_end_conversation": end_of_conversation(record, task.car.removed),
            **(self._words() if self.profile == "codriver" else {}),
            "r_realtime": realtime(self.turns),
            "false_claim": _without(self.claims),
            "grounding": _without(self.invented),
        }

    def _words(self) -> dict[str, Component]:
        """What was said, and in which language; the published benchmark looks at neither."""
        return {"r_says": told(self.episode, self.course), "r_language": in_english(self.episode)}


def _without(breaches: tuple[Breach, ...]) -> Component:
    """1 if there is none."""
    found = tuple(breach.sentence for breach in breaches)
    return Component(0.0, in_short(found), found) if found else KEPT
