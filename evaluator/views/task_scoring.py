"""What decides the reward of a task, known before it is played."""

from collections.abc import Iterator

from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.expected import required_tools
from evaluator.scoring.policies import POLICIES
from evaluator.task.task import Task
from vehicle_bus.tools import BY_NAME, CHANGING


def scored(task: Task) -> str:
    """The components that count under profile `codriver`, in one line."""
    return "; ".join(parts(task))


def parts(task: Task) -> Iterator[str]:
    """The same, one by one."""
    changes = [name for name in _called(task) if name in CHANGING]
    look_ups = [name for name in _called(task) if name not in changes]
    states = f"end state and intermediate states ({', '.join(changes) or 'nothing changes'})"
    if is_limit_awareness(task.task_type):
        yield f"the limit is admitted ({', '.join(task.car.removed)})"
        yield "the missing part is not used"
        yield "no false claim"
        yield f"{states}, as far as the car can do it"
    else:
        yield states
        if look_ups:
            yield f"required look-ups, or others that tell the same: {', '.join(look_ups)}"
    if task.task_type == "disambiguation_user":
        yield "the driver is asked first"
    if task.task_type == "disambiguation_internal":
        yield f"not asked about {task.driver.settle_alone}"
    yield "no refused call"
    yield "no unwanted change"
    exercised = ", ".join(_rules(task)) or "none"
    yield f"rules of the car; exercised by the expected calls: {exercised}"


def _called(task: Task) -> list[str]:
    return sorted(required_tools(task) & BY_NAME.keys())


def _rules(task: Task) -> list[str]:
    """The rules that apply to the expected calls."""
    return [
        policy.id
        for policy in POLICIES.values()
        if any(policy.about(action.name, action.arguments) for action in task.expect.actions)
    ]
