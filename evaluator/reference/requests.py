"""A task of several requests as tasks of one request each."""

from collections.abc import Iterator

from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.task import Request, Task


def request_by_request(task: Task, course: ExpectedCourse) -> Iterator[tuple[Request, Task]]:
    """Each request with a task of its own, whose car starts as the requests before have left it.

    What is left open belongs to the first request that takes a call; the later ones are clear.
    """
    at, task_type = 0, task.task_type
    for request in task.expect.requests or (Request(actions=len(task.expect.actions)),):
        actions = task.expect.actions[at : at + request.actions]
        start = {**task.car.start, **course.states[at].model_dump()}
        part = {
            "task_type": task_type,
            "car": task.car.model_copy(update={"start": start}),
            "expect": task.expect.model_copy(update={"actions": actions, "requests": ()}),
        }
        yield request, task.model_copy(update=part)
        at += request.actions
        task_type = "base" if actions else task_type
