"""The orders in which the changes of a request, and its look-ups, may be made."""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Say
from evaluator.adversaries.course import Setting, Step
from evaluator.adversaries.look_ups import answered, fresh_car
from evaluator.reference.plan import PlanPart
from evaluator.reference.rule_steps import looked_up_before
from evaluator.task.task import Action
from vehicle_bus.tools import BY_NAME, CHANGING

MOST = 720  # six calls in any order
ROOF = frozenset({"open_close_sunshade", "open_close_sunroof"})  # rule 005


def other_orders(setting: Setting, part: PlanPart, calls: Sequence[Call]) -> list[tuple[Call, ...]]:
    """Every other order in which the car takes all calls and ends up the same."""
    usual = _outcome(setting, part, calls)
    return [
        order
        for order in islice(permutations(calls), 1, MOST)
        if _keeps_rules(order, calls) and _outcome(setting, part, order) == usual
    ]


def _outcome(setting: Setting, part: PlanPart, calls: Sequence[Call]) -> object:
    """How the car ends up, or how many calls it took before it refused one."""
    car = fresh_car(setting, part)
    for taken, call in enumerate(calls):
        if answered(car, call) is None:
            return taken
    return car.snapshot()


def _keeps_rules(order: Sequence[Call], usual: Sequence[Call]) -> bool:
    """The roof follows the shade as usual, and nothing comes after the end of the conversation."""
    over = [BY_NAME[call.name].ends_conversation for call in order[:-1]]
    return not any(over) and _of_the_roof(order) == _of_the_roof(usual)


def _of_the_roof(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.name in ROOF]


def shuffled_look_ups(
    setting: Setting, part: PlanPart, steps: Sequence[Step], what: str
) -> Iterator[Step]:
    """The steps with neighbouring look-ups shuffled, as far as none needs the result of another."""
    chance, car = setting.chance(what), fresh_car(setting, part)
    waiting: list[Call] = []
    for step in (*steps, Say("")):
        if isinstance(step, Call) and step.name not in CHANGING:
            waiting.append(step)
            continue
        told = {id(call): str(answered(car, call)) for call in waiting}
        while waiting:
            free = [
                call for call in waiting
                if not any(_needs(call, told[id(other)]) for other in waiting if other is not call)
            ]  # fmt: skip
            chosen = chance.choice(free or waiting[:1])
            waiting.remove(chosen)
            yield chosen
        if step != Say(""):
            yield step


def _needs(call: Call, told: str) -> bool:
    values = [
        each for value in call.arguments.values()
        for each in (value if isinstance(value, list) else [value])
    ]  # fmt: skip
    return any(isinstance(value, str) and f"'{value}'" in told for value in values)


def independent(setting: Setting, part: PlanPart, call: Call) -> bool:
    """Whether a change needs no look-up before it: neither its arguments nor a rule do."""
    if looked_up_before(Action(name=call.name, arguments=call.arguments)):
        return False
    car = fresh_car(setting, part)
    look_ups = [step for step in part.steps if isinstance(step, Call) and step.name not in CHANGING]
    return not any(_needs(call, str(answered(car, look_up))) for look_up in look_ups)
