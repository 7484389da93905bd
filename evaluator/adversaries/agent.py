"""An assistant that follows a course: it waits for each request, and hears a yes and a no."""

import re
from collections.abc import Callable, Sequence

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.reference import Plan, ReferenceAgent, Say
from assistant_gateway.wording.limits import cannot_tell, could_not
from evaluator.adversaries.course import Course, Offer, Setting, words

_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|sure|go ahead|of course|(?:please )?do (?:it|that))\b|please\W*$)", re.I
)
_NO = re.compile(r"\W*(?:no|nope|nah|don't|not)\b", re.I)
_ANSWER = re.compile(f"{_YES.pattern}|{_NO.pattern}", re.I)


class CourseAgent(ReferenceAgent):
    """Plays the first plan at once and each other one when its request is heard.

    To anything else the driver says when nothing is left to do it only says `otherwise`, or once
    more what the car lacks.
    """

    def __init__(
        self,
        name: str,
        plans: Sequence[Plan],
        requests: Sequence[str],
        otherwise: Callable[[], str],
    ) -> None:
        first, *later = plans
        super().__init__(first, could_not, cannot_tell)
        self.name = name
        self._later = list(zip(requests, later, strict=False))
        self._otherwise = otherwise
        self._said: Say | None = None

    def on_heard(self, text: str) -> AgentMessage:
        last, self._said = self._said, None
        if isinstance(last, Offer):
            self._answered(last, text)
        if self._later and self._later[0][0].lower() in text.lower():
            self._steps.extend(self._later.pop(0)[1])
        if self._steps:
            return self._next()
        if last is not None and last.kind == "admission" and not _ANSWER.match(text):
            self._said = last
            return AgentMessage(last.text)
        return AgentMessage(self._otherwise())

    def _answered(self, offer: Offer, text: str) -> None:
        if offer.wanted:
            self._steps = [] if _NO.match(text) else [*offer.calls, *self._steps]
        elif _YES.match(text):
            self._steps[:0] = [*offer.calls, Say(self._otherwise())]

    def _next(self, aside: str = "") -> AgentMessage:
        step = self._steps[0] if self._steps else None
        self._said = step if isinstance(step, Say) else None
        return super()._next(aside)


def course_agent(course: Course, setting: Setting) -> CourseAgent:
    """A fresh agent for one session."""
    script = setting.task.driver.script
    said = setting.chance(course.otherwise)
    return CourseAgent(
        f"{course.kind}:{course.name}",
        course.plans(setting),
        script.followups if script else (),
        lambda: said.choice(words(course.otherwise)),
    )
