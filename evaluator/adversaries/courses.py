"""All courses by name, as agents: `foolish:NAME` and `sensible:NAME`."""

from evaluator.adversaries.agent import CourseAgent, course_agent
from evaluator.adversaries.course import Course, Setting
from evaluator.adversaries.foolish import FOOLISH
from evaluator.adversaries.sensible import SENSIBLE
from evaluator.task.task import Task
from vehicle_bus.world.world import World

COURSES: dict[str, Course] = {
    f"{course.kind}:{course.name}": course for course in (*FOOLISH, *SENSIBLE)
}
KINDS = frozenset(course.kind for course in COURSES.values())


def agent_of_course(name: str, task: Task, world: World, seed: str) -> CourseAgent:
    """A fresh agent for one session of a task."""
    return course_agent(COURSES[name], Setting(task, world, seed))


def concerns(name: str, task: Task, world: World) -> bool:
    """Whether a course does anything else than the reference in this task, whatever the seed."""
    return COURSES[name].differs(Setting(task, world, ""))
