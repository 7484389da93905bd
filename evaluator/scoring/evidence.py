"""One episode with everything found in it, each thing worked out once and only when asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.record.episode import Episode
from evaluator.record.record import Record, State
from evaluator.scoring.acted_too_early import premature_action, unasked_action
from evaluator.scoring.admission import nameless_admission
from evaluator.scoring.components import (
    KEPT,
    OPEN,
    Answered,
    Component,
    end_of_conversation,
    final_state,
    hand_overs,
    intermediate_states,
    realtime,
    tool_execution,
    tool_subset,
)
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.course.look_ups import LookUps
from evaluator.scoring.course.orders import in_any_order
from evaluator.scoring.course.unwanted import UNNOTICED, unwanted_changes
from evaluator.scoring.course.ways import Ways
from evaluator.scoring.end_state import OffTarget, off_target
from evaluator.scoring.expected import in_short, nearest, passed_states, required_tools
from evaluator.scoring.grounding import ungrounded
from evaluator.scoring.impossible_actions import impossible_actions, possible_part
from evaluator.scoring.policies import Breach, Profile, is_published
from evaluator.scoring.rules_kept import (
    Judgements,
    PolicyMark,
    policy_marks,
    rules_count,
    rules_kept,
)
from evaluator.scoring.turn_score import TurnScore
from evaluator.scoring.words.heard import untrue
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
    "asked_first",
    "collateral",
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

    @property
    def rules_count(self) -> bool:
        return rules_count(self.task.task_type, self.profile)

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
    def ways(self) -> Ways:
        """The right orders of what is expected."""
        return Ways(self.episode, self.world)

    @cached_property
    def endings(self) -> Sequence[State]:
        """How the car may stand at the end."""
        if not is_published(self.profile):
            return self.ways.endings
        if self.possible_task == self.task:
            return self.expected[-1:]
        possible = expected_course(self.possible_task, self.world, self.record.by_hand)
        return [self.expected[-1], possible.snapshots[-1]]

    @cached_property
    def passed(self) -> Sequence[State]:
        """How the car may stand on the way."""
        if not is_published(self.profile):
            return self.ways.passed
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
        return tuple(untrue(self.episode))

    @cached_property
    def invented(self) -> tuple[Breach, ...]:
        return ungrounded(self.episode)

    @cached_property
    def off_target(self) -> tuple[OffTarget, ...]:
        final = self.episode.final_state
        if is_published(self.profile):
            goal = final if self.about_limits else self.expected[-1]
        else:
            final = in_any_order(final)
            goal = nearest(final, self.endings)
        actions = self.task.expect.actions
        return tuple(off_target(self.record, final, goal, self.expected, actions))

    @cached_property
    def unasked(self) -> Breach | None:
        """What was done before the driver was asked; only `codriver` looks for it."""
        return None if is_published(self.profile) else unasked_action(self.episode)

    @cached_property
    def premature(self) -> Breach | None:
        return premature_action(self.episode, self.passed) or self.unasked

    @cached_property
    def unwanted(self) -> tuple[tuple[str, Breach], ...]:
        """Each variable that was set to what nobody wanted; published profiles do not ask."""
        if is_published(self.profile):
            return ()
        return tuple(unwanted_changes(self.episode, self.ways))

    @cached_property
    def parts(self) -> dict[str, Component]:
        """Every component by name."""
        return {
            **dict.fromkeys(COMPONENTS, OPEN),
            **(self._as_published() if is_published(self.profile) else self._careful()),
            "r_policy": rules_kept(self.marks, self.task.task_type, self.profile),
            "r_realtime": realtime(self.turns),
            "false_claim": _without(self.claims),
            "grounding": _without(self.invented),
        }

    def _as_published(self) -> dict[str, Component]:
        record = self.record
        either_way = {
            "r_tool_execution": tool_execution(record.calls, self.profile, self.replayed),
            "r_user_end_conversation": end_of_conversation(record, self.task.car.removed),
        }
        if self.about_limits:
            return either_way
        on_the_way = intermediate_states(hand_overs(record), lambda _turn: self.passed)
        return {
            "r_actions_final": final_state(self.episode.final_state, self.endings),
            "r_actions_intermediate": on_the_way,
            "r_tool_subset": tool_subset(record.calls, required_tools(self.task)),
            **either_way,
        }

    def _careful(self) -> dict[str, Component]:
        episode = self.episode
        look_ups = LookUps(episode, self.world)
        calls = tuple(call for call in self.record.calls if not look_ups.found_nothing(call))
        moments = ((turn, in_any_order(state)) for turn, state in hand_overs(self.record))
        noticed = tuple(breach for name, breach in self.unwanted if name not in UNNOTICED)
        asking = self.task.task_type == "disambiguation_user"
        left = self.ways.feasible if self.about_limits else None
        ending = end_of_conversation(self.record, self.task.car.removed)
        return {
            "r_actions_final": final_state(in_any_order(episode.final_state), self.endings),
            "r_actions_intermediate": intermediate_states(moments, self.ways.passed_by),
            "r_tool_subset": look_ups.all_made(left),
            "r_tool_execution": tool_execution(calls, self.profile),
            "r_user_end_conversation": ending if ending.value == 0.0 else self._admission(),
            "asked_first": _without((self.unasked,) if self.unasked else ()) if asking else OPEN,
            "collateral": _without(noticed),
            "r_says": told(episode, self.course),
            "r_language": in_english(episode),
        }

    def _admission(self) -> Component:
        """Where something can be done, it was also said what cannot."""
        due = self.about_limits and self.ways.feasible.due
        nameless = nameless_admission(self.episode) if due else None
        return Component(0.0, f'"{nameless}" does not say what is missing') if nameless else KEPT


def _without(breaches: tuple[Breach, ...]) -> Component:
    """1 if there is none."""
    found = tuple(breach.sentence for breach in breaches)
    return Component(0.0, in_short(found), found) if found else KEPT
