"""A task of several requests as tasks of one request each."""

from collections.abc import Iterator

from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.task import Request, Task


def request_by_request(task: Task, course: ExpectedCourse) -> Iterator[tuple[Request, Task]]:
    """Each request with a task of its own, whose car starts as the requests before have left it.

    What is left open belongs to the request marked as open, else to the first that takes a call;
    the others are clear.
    """
    requests = task.expect.requests or (Request(actions=len(task.expect.actions)),)
    open_one = next(
        (number for number, request in enumerate(requests) if request.open),
        next((number for number, request in enumerate(requests) if request.actions), 0),
    )
    at = 0
    for number, request in enumerate(requests):
        actions = task.expect.actions[at : at + request.actions]
        start = {**task.car.start, **course.states[at].model_dump()}
        part = {
            "task_type": task.task_type if number == open_one else "base",
            "car": task.car.model_copy(update={"start": start}),
            "expect": task.expect.model_copy(update={"actions": actions, "requests": ()}),
        }
        yield request, task.model_copy(update=part)
        at += request.actions
