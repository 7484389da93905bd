"""Room to think, and a list of steps to keep: neither touches the car."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Description
from vehicle_bus.car.tool import Bare, Coded, Refused, tool

Command = Literal["create", "update", "list", "get", "set_active", "mark_steps", "delete"]
EXECUTABLE = "executable_but_not_started"
UNRESOLVED = "unresolved_dependencies_and_not_started"
STATUSES = ("completed", "in_progress", "blocked", EXECUTABLE, UNRESOLVED, "not_started")


class NewStep(TypedDict):
    step_description: Annotated[str, Description("What to do.")]
    step_dependent_on: Annotated[
        list[int], Description("Indexes of earlier steps this one waits for.")
    ]


class StepUpdate(TypedDict):
    step_index: Annotated[int, Description("Which step, counted from 0.")]
    step_status: NotRequired[Literal["not_started", "in_progress", "completed", "blocked"]]
    step_notes: NotRequired[Annotated[str, Description("Replaces the notes of the step.")]]


@dataclass(frozen=True, slots=True)
class Step:
    description: str
    dependent_on: tuple[int, ...]
    status: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    plan_id: str
    title: str
    steps: tuple[Step, ...]

    def progress(self) -> dict[str, Any]:
        completed = sum(step.status == "completed" for step in self.steps)
        total = len(self.steps)
        return {
            "completed": completed,
            "total": total,
            "percentage": completed / total * 100 if total else 0.0,
        }

    def details(self, active: str | None) -> dict[str, Any]:
        statuses = [step.status for step in self.steps]
        return {
            "title": self.title,
            "plan_id": self.plan_id,
            "progress": self.progress(),
            "status_counts": {status: statuses.count(status) for status in STATUSES},
            "steps": [
                {
                    "index": index,
                    "step_description": step.description,
                    "step_dependent_on": list(step.dependent_on),
                    "status": step.status,
                    "notes": step.notes,
                }
                for index, step in enumerate(self.steps)
            ],
            "is_active": self.plan_id == active,
        }


@dataclass(slots=True)
class Plans:
    """The plans of one car."""

    by_id: dict[str, Plan] = field(default_factory=dict)
    active: str | None = None

    def store(self, plan: Plan) -> dict[str, Any]:
        self.by_id[plan.plan_id] = plan
        return {"plan_id": plan.plan_id, "plan_details": plan.details(self.active)}

    def named(self, plan_id: str | None) -> Plan:
        if not plan_id:
            raise unusable("this needs a plan_id")
        if plan_id not in self.by_id:
            raise unusable(f"there is no plan {plan_id!r}; create it first")
        return self.by_id[plan_id]

    def named_or_active(self, plan_id: str | None) -> Plan:
        if not (plan_id or self.active):
            raise unusable("no plan is active; give a plan_id")
        return self.named(plan_id or self.active)


def unusable(text: str) -> Refused:
    return Refused("PLANNING_TOOL_ERROR", text, logged=False)


@tool("no-op")
def think(car: Car, thought: str) -> Bare:
    """Write down a thought. Nothing happens and nobody sees it.

    Args:
        thought: What to consider.
    """
    return Bare("")


@tool(
    "no-op",
    Coded("command", "PLANNING_TOOL_001", code="", anything=True, logged=False),
    Coded("steps", "PLANNING_TOOL_ERROR", code="", anything=True, logged=False),
    Coded("step_updates", "PLANNING_TOOL_ERROR", code="", anything=True, logged=False),
    Coded("plan_id", "PLANNING_TOOL_ERROR", code="", anything=True, logged=False),
    Coded("title", "PLANNING_TOOL_ERROR", code="", anything=True, logged=False),
)
def planning_tool(
    car: Car,
    command: Command,
    plan_id: str | None = None,
    title: str | None = None,
    steps: list[NewStep] | None = None,
    step_updates: list[StepUpdate] | None = None,
) -> dict[str, Any]:
    """Keep plans of several steps: which depend on which, and how far each is.

    Args:
        command: What to do with a plan.
        plan_id: The plan; get and mark_steps take the active plan when it is left out.
        title: Title of the plan, for create and update.
        steps: All steps of the plan in order, for create and update.
        step_updates: New status and notes of steps, for mark_steps.
    """
    plans = car.notes.setdefault("plans", Plans())
    match command:
        case "create":
            return _create(plans, plan_id, title, steps)
        case "update":
            return _update(plans, plans.named(plan_id), title, steps)
        case "list":
            return _list(plans)
        case "get":
            plan = plans.named_or_active(plan_id)
            details = plan.details(plans.active)
            active = details["is_active"]
            return {"plan_id": plan.plan_id, "plan_details": details, "is_active": active}
        case "set_active":
            plans.active = plans.named(plan_id).plan_id
            return {"active_plan_set": True, **plans.store(plans.named(plan_id))}
        case "mark_steps":
            return _mark(plans, plans.named_or_active(plan_id), step_updates)
        case "delete":
            return _delete(plans, plans.named(plan_id))


def _create(
    plans: Plans, plan_id: str | None, title: str | None, steps: list[NewStep] | None
) -> dict[str, Any]:
    if not (plan_id and title and steps):
        raise unusable("create needs plan_id, title and at least one step")
    if plan_id in plans.by_id:
        raise unusable(f"there is a plan {plan_id!r} already; update it or choose another id")
    for index, step in enumerate(steps):
        if any(not 0 <= other < index for other in step["step_dependent_on"]):
            raise unusable(f"step {index} may only depend on earlier steps")
    plans.active = plan_id
    first = tuple(
        _step(step, UNRESOLVED if step["step_dependent_on"] else EXECUTABLE) for step in steps
    )
    return {"plan_created": True, **plans.store(Plan(plan_id, title, first))}


def _step(new: NewStep, status: str) -> Step:
    return Step(new["step_description"], tuple(map(int, new["step_dependent_on"])), status)


def _update(
    plans: Plans, plan: Plan, title: str | None, steps: list[NewStep] | None
) -> dict[str, Any]:
    changed = replace(
        plan,
        title=title or plan.title,
        steps=tuple(_kept(plan, i, new) for i, new in enumerate(steps)) if steps else plan.steps,
    )
    return {"plan_updated": True, **plans.store(changed)}


def _kept(plan: Plan, index: int, new: NewStep) -> Step:
    step = _step(new, "not_started")
    before = plan.steps[index] if index < len(plan.steps) else None
    if before is None or before.description != step.description:
        return step
    return replace(step, status=before.status, notes=before.notes)


def _list(plans: Plans) -> dict[str, Any]:
    return {
        "plans": [
            {
                "plan_id": plan.plan_id,
                "title": plan.title,
                "is_active": plan.plan_id == plans.active,
                "progress": plan.progress(),
            }
            for plan in plans.by_id.values()
        ],
        "active_plan_id": plans.active,
        "total_plans": len(plans.by_id),
    }


def _mark(plans: Plans, plan: Plan, updates: list[StepUpdate] | None) -> dict[str, Any]:
    if not updates:
        raise unusable("mark_steps needs step_updates")
    steps = list(plan.steps)
    for update in updates:
        if not 0 <= update["step_index"] < len(steps):
            raise unusable(f"there is no step {update['step_index']}; the last is {len(steps) - 1}")
    applied: list[dict[str, Any]] = []
    for update in updates:
        index = int(update["step_index"])
        before = steps[index]
        status = update.get("step_status", before.status)
        steps[index] = replace(before, status=status, notes=update.get("step_notes", before.notes))
        applied.append({"step_index": index, "old_status": before.status, "new_status": status})
    completed = {
        change["step_index"]
        for change in applied
        if change["new_status"] == "completed" != change["old_status"]
    }
    followed = tuple(_after(steps, step, completed) for step in steps)
    stored = plans.store(replace(plan, steps=followed))
    return {
        "steps_updated": True,
        "plan_id": plan.plan_id,
        "updates_applied": applied,
        "plan_details": stored["plan_details"],
    }


def _after(steps: list[Step], step: Step, completed: set[int]) -> Step:
    """A step once others were completed: ready to go, or known to wait."""
    if completed.isdisjoint(step.dependent_on):
        return step
    open_steps = any(steps[other].status != "completed" for other in step.dependent_on)
    if step.status == UNRESOLVED and not open_steps:
        return replace(step, status=EXECUTABLE)
    if step.status == "not_started" and open_steps:
        return replace(step, status=UNRESOLVED)
    return step


def _delete(plans: Plans, plan: Plan) -> dict[str, Any]:
    was_active = plans.active == plan.plan_id
    del plans.by_id[plan.plan_id]
    if was_active:
        plans.active = None
    return {"plan_deleted": True, "plan_id": plan.plan_id, "was_active_plan": was_active}
