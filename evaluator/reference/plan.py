"""What a good assistant does in a task, built from the expected calls: the reference agent's plan.

All look-ups come first, those included that the rules of the car ask for; then whatever has to be
asked; then the calls that change something, and a sentence about them. Where the car lacks a part,
the plan does what can be done and says what cannot. A task of several requests is planned request
by request.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Look, Plan, Say, SayKind
from assistant_gateway.wording.limits import cannot
from evaluator.record.faults import HELD_UP
from evaluator.reference.driver_brief import driver_brief
from evaluator.reference.final_words import summary
from evaluator.reference.questions import around_question, confirmation, here_and_now, question
from evaluator.reference.requests import request_by_request
from evaluator.reference.rule_steps import in_24_hours, looked_up_before
from evaluator.scoring.course.feasible import Feasible, feasible
from evaluator.scoring.course.orders import changes_of
from evaluator.task.expected_course import (
    ExpectedCourse,
    course_with_hands,
    expected_course,
    whole_car,
)
from evaluator.task.once import once_per_task
from evaluator.task.task import Action, Task
from user_sim.wishes.wishes import Wishes
from vehicle_bus.car.fault import ONLY_GETTERS
from vehicle_bus.car.state import context_at_start
from vehicle_bus.contract import Command
from vehicle_bus.tools import BY_NAME, CHANGING
from vehicle_bus.world.world import World

ASIDE_FROM_CALLS = 2


@dataclass(frozen=True, slots=True)
class PlanPart:
    """What a good assistant does about one request; `task` is the request as a task of its own.

    `reply` is what the request wants to be said besides.
    """

    task: Task
    steps: tuple[Call | Say, ...]
    reply: str = ""


@once_per_task
def reference_plan(task: Task, world: World) -> Plan:
    """The steps that solve a task: calls, and sentences that end a turn."""
    steps = [step for part in reference_parts(task, world) for step in part.steps]
    return tuple(with_asides(steps, task))


def reference_parts(task: Task, world: World) -> tuple[PlanPart, ...]:
    """The steps that solve a task, request by request."""
    course = course_with_hands(task, world)
    if task.car.removed:
        return tuple(_with_a_limit(task, course, world))
    if task.expect.requests:
        return tuple(_one_by_one(task, course, world))
    return (PlanPart(task, tuple(_to_the_end(task, course, world))),)


def _with_a_limit(task: Task, course: ExpectedCourse, world: World) -> Iterator[PlanPart]:
    """Request by request what can be done; where something cannot, it is said.

    After that a request is made only if part of it can be fulfilled.
    """
    left, seen, admitted = feasible(task, world), 0, False
    wishes = Wishes(driver_brief(task, world))
    gaps = (missing_for(action, task.car.removed) for action in task.expect.actions)
    limit = cannot(next(filter(None, gaps), task.car.removed[0]))
    requests = list(request_by_request(task, course))
    to_tell = {telling.followup for telling in task.expect.says}
    for number, (request, part) in enumerate(requests):
        indices = range(seen, seen := seen + request.actions)
        lacking = not (left.missing | left.blind).isdisjoint(indices)
        if admitted and not wishes.is_worth_making(number):
            continue
        told, reply = number in to_tell, request.reply
        steps = _feasible_steps(task, part, indices, left, world, told=told)
        if not lacking and (admitted or number + 1 < len(requests)):
            yield PlanPart(part, tuple(_ending_with(reply, steps)), reply)
            continue
        last = f"{reply} {limit}" if told and reply else limit
        yield PlanPart(part, tuple(_ending_with(last, steps, "admission")))
        admitted = True


def _feasible_steps(
    task: Task, part: Task, indices: range, left: Feasible, world: World, *, told: bool
) -> list[Call | Say]:
    """What can be done of a request, and the look-ups that show what is missing."""
    gaps = (left.missing | left.blind).intersection(indices)
    due = left.due.intersection(indices) if gaps else frozenset(indices) & changes_of(task)
    until = max(due, default=min(gaps, default=indices.stop))
    actions = list(zip(indices, part.expect.actions, strict=True))
    look_ups = [
        action
        for index, action in actions
        if action.name not in CHANGING
        and (index in left.masked or ((told or index < until) and index not in gaps))
    ]
    changes = [action for index, action in actions if index in due]
    if gaps and not changes:
        return [*map(_call, look_ups)]
    expected = changes if gaps else [*look_ups, *changes]
    expect = part.expect.model_copy(update={"actions": tuple(expected)})
    rest = part.model_copy(update={"expect": expect})
    steps = _to_the_end(rest, expected_course(rest, world), world)
    return [*map(_call, look_ups), *steps] if gaps else steps


def missing_for(action: Action, removed: Sequence[str]) -> str | None:
    """The removed part that this call needs."""
    for entry in removed:
        tool, _, rest = entry.removeprefix("result.").partition(".")
        result = entry.startswith("result.")
        if action.name == tool and (result or not rest or rest.split(".")[0] in action.arguments):
            return entry
    return None


def _to_the_end(task: Task, course: ExpectedCourse, world: World) -> list[Call | Say]:
    look_ups = [action for action in task.expect.actions if action.name not in CHANGING]
    changes = [action for action in task.expect.actions if action.name in CHANGING]
    by_rule = [action for action in _rule_look_ups(task) if action.name not in _names(look_ups)]
    asked = question(task, course, world)
    before, after = around_question(by_rule + look_ups, asked or "")
    steps: list[Call | Say] = [_look(action, task, world) for action in before]
    steps += [Say(asked, "question")] if asked else []
    steps += [_look(action, task, world) for action in after]
    proposal = confirmation(task, course, world)
    steps += [Say(proposal, "proposal")] if proposal else []
    steps += [_call(action) for action in changes]
    if any(BY_NAME[action.name].ends_conversation for action in changes):
        return steps
    return [*steps, Say(summary(task, course, world))]


def _one_by_one(task: Task, course: ExpectedCourse, world: World) -> Iterator[PlanPart]:
    for request, part in request_by_request(task, course):
        steps = _to_the_end(part, expected_course(part, world), world) if request.actions else []
        yield PlanPart(part, tuple(_ending_with(request.reply, steps)), request.reply)


def _ending_with(reply: str, steps: list[Call | Say], kind: SayKind = "report") -> list[Call | Say]:
    """The steps, and the reply in the same breath as their last sentence."""
    if not reply:
        return steps
    if steps and isinstance(last := steps[-1], Say):
        return [*steps[:-1], Say(f"{last.text} {reply}", kind)]
    return [*steps, Say(reply, kind)]


def _names(actions: Sequence[Action]) -> set[str]:
    return {action.name for action in actions}


def _call(action: Action) -> Call:
    given = dict(action.arguments)
    if action.name == "send_email":
        given["content_message"] = in_24_hours(str(given["content_message"]))
    return Call(action.name, given)


def _look(action: Action, task: Task, world: World) -> Call:
    """A look-up; where the car may lie, with what it should answer."""
    call = _call(action)
    if not any(fault.kind in ONLY_GETTERS for fault in task.car.faults):
        return call
    command = Command(call_id="look", arguments=call.arguments)
    answer = whole_car(task, world).handle(action.name, command)
    return Look(call.name, call.arguments, answer.output)


def _rule_look_ups(task: Task) -> Iterator[Action]:
    """What the rules of the car want to be looked up before the expected changes."""
    wanted: dict[str, Action] = {}
    preferences = _known_preferences(task)
    if task.task_type == "disambiguation_internal" and preferences:
        name = "get_user_preferences"
        wanted[name] = Action(name=name, arguments={"preference_categories": preferences})
    for action in task.expect.actions:
        for name in looked_up_before(action):
            arguments = here_and_now(task) if name == "get_weather" else {}
            wanted.setdefault(name, Action(name=name, arguments=arguments))
    yield from wanted.values()


def _known_preferences(task: Task) -> dict[str, dict[str, bool]]:
    known = context_at_start(task.car.start).user_preferences.model_dump()
    asked_for = {
        category: {kind: True for kind, likes in kinds.items() if likes}
        for category, kinds in known.items()
    }
    return {category: kinds for category, kinds in asked_for.items() if kinds}


def with_asides(steps: Iterable[Call | Say | Aside], task: Task) -> Iterator[Call | Say | Aside]:
    """Where several calls stand before a sentence, or the car is slow, the first is announced."""
    slow = any(fault.kind in HELD_UP for fault in task.car.faults)
    at_least = 1 if slow else ASIDE_FROM_CALLS
    waiting: list[Call] = []
    for step in (*steps, None):
        if isinstance(step, Call):
            waiting.append(step)
            continue
        if len(waiting) >= at_least:
            yield Aside("Right away." if waiting[0].name in CHANGING else "Let me check.")
        yield from waiting
        waiting = []
        if step is not None:
            yield step
