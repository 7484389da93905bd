"""Acting before what a request left open was settled, read from the record."""

from collections.abc import Sequence

from evaluator.record.episode import Act, Episode
from evaluator.record.record import State
from evaluator.scoring.conversation_end import is_limit_awareness
from evaluator.scoring.policies.policy import Breach, at
from user_sim.lexicon import lexicon
from vehicle_bus.tools import BY_NAME


def premature_action(episode: Episode, expected: Sequence[State]) -> Breach | None:
    """The first call that brought about what was never wanted and that came too early.

    Too early is before the driver was asked and had answered, where the task is to ask; else before
    an expected look-up was made. `expected` are the states the expected actions pass.
    """
    if is_limit_awareness(episode.task.task_type):
        return None
    for act in episode.succeeded:
        guessed = _guessed(act, expected)
        if not guessed:
            continue
        if episode.task.task_type == "disambiguation_user" and not _asked_before(episode, act):
            return at(act, f"{act.tool} set {guessed} before the driver was asked")
        missing = _not_looked_up(episode, act)
        if missing:
            return at(act, f"{act.tool} set {guessed} before {missing} was called")
    return None


def _guessed(act: Act, expected: Sequence[State]) -> str:
    """The first variable this call gave a value that it never has on the expected way."""
    for name, value in act.after.items():
        if value != act.before.get(name) and all(state.get(name) != value for state in expected):
            return f"{name} to {value}"
    return ""


def _asked_before(episode: Episode, act: Act) -> bool:
    """Whether a question was asked and answered before a call was decided on."""
    asked = False
    for said in episode.said_before(act):
        if said.who == "agent":
            asked = asked or bool(lexicon().questions(said.text))
        elif asked:
            return True
    return False


def _not_looked_up(episode: Episode, act: Act) -> str:
    """The first expected look-up that had not been tried when this call was decided on."""
    tried = {other.tool for other in episode.acts if other.message < act.message}
    for action in episode.task.expect.actions:
        tool = BY_NAME.get(action.name)
        if tool is not None and tool.kind == "get" and action.name not in tried:
            return action.name
    return ""
