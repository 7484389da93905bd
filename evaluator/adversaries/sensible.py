"""Eight ways to be as good as the reference: each has to pass every task."""

import re
from collections.abc import Iterator
from dataclasses import replace

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Say
from assistant_gateway.wording.sentences import sentences
from evaluator.adversaries.course import (
    Course,
    Offer,
    Setting,
    Step,
    capitalised,
    changes,
    with_ending,
    words,
)
from evaluator.adversaries.lacking import admissions, admitting, doing_what, missing_kind, worded
from evaluator.adversaries.look_ups import in_zones, known_from, other_ways
from evaluator.adversaries.orders import independent, other_orders, shuffled_look_ups
from evaluator.reference.plan import PlanPart
from evaluator.task.task import Action
from vehicle_bus.car.removal import removal
from vehicle_bus.tools import BY_NAME, CHANGING


def another_order(setting: Setting, part: PlanPart) -> Iterator[Step]:
    """Changes that need nothing are made first at times, the others in any order that works."""
    what, steps = f"order {setting.number(part)}", list(part.steps)
    made = changes(steps)
    orders = other_orders(setting, part, made)
    if not orders:
        yield from shuffled_look_ups(setting, part, steps, what)
        return
    order = list(setting.pick(orders, what))
    asks = any(isinstance(step, Say) and step.kind != "report" for step in steps)
    if setting.task.main_type == "base" and not asks:
        early = [c for c in order if independent(setting, part, c)]
        order = [call for call in order if call not in early]
        if setting.chance(f"early {what}").random() < 0.5 and order:
            yield from early
            early = []
        order = [*early, *order]
    at = steps.index(made[0])
    others = [step for step in steps if step not in made]
    yield from shuffled_look_ups(setting, part, others[:at], what)
    yield from (*order, *others[at:])


def other_look_ups(setting: Setting, part: PlanPart) -> Iterator[Step]:
    """Other calls that lead to the same knowledge, and each zone instead of all of them."""
    done: list[Call] = []
    for step in part.steps:
        if not isinstance(step, Call):
            yield step
            continue
        zones = in_zones(setting, part, step)
        ways = [zones] if zones else other_ways(setting, part, step)
        made = next((way for way in ways if known_from(setting, part, way)), [step])
        for call in made:
            if call.name in CHANGING or call not in done:
                done.append(call)
                yield call


def friendly_offers(setting: Setting, part: PlanPart) -> list[Step]:
    lacking = removal(tuple(setting.task.car.removed))
    possible = [
        (Call(name, given), questions)
        for name, given, questions in words("offers")
        if name not in setting.tools
        and lacking.refusal(name, BY_NAME[name].parameters, given) is None
    ]
    call, questions = setting.pick(possible, f"offer {setting.number(part)}")
    question = setting.pick(questions, f"offered {setting.number(part)}")
    return with_ending(
        part.steps,
        lambda said: Offer(f"{said.text} {question}", said.kind, (call,)),
        ("report", "admission"),
    )


def checks_after(setting: Setting, part: PlanPart) -> list[Step]:
    kind = "report" if changes(part.steps) else "finding"
    check = setting.pick(words("checks")[kind], f"check {setting.number(part)}")
    if not part.task.expect.actions:
        return list(part.steps)
    return with_ending(part.steps, lambda said: Offer(f"{said.text} {check}", said.kind))


def asks_first(setting: Setting, part: PlanPart) -> Iterator[Step]:
    """One plain question before the changes of a request, unless the rules want one anyway."""
    wanted = changes(part.steps)
    if not wanted or any(isinstance(s, Say) and s.kind == "proposal" for s in part.steps):
        yield from part.steps
        return
    deeds = [doing_what(setting, Action(name=c.name, arguments=c.arguments)) for c in wanted]
    plan = " and ".join([", ".join(deeds[:-1]), deeds[-1]]) if deeds[1:] else deeds[0]
    frame = setting.pick(words("proposals"), f"proposal {setting.number(part)}")
    for step in part.steps:
        if step is wanted[0]:
            yield Offer(frame.format(do=plan), "proposal", tuple(wanted), wanted=True)
        if step not in wanted:
            yield step


def chatty(setting: Setting, part: PlanPart) -> Iterator[Step]:
    def around(said: Say) -> Say:
        before, after = words("chatty")["around"][said.kind]
        spoken = [_line(before), said.text, *([_line(after)] if after else [])]
        return Say(" ".join(spoken), said.kind)

    def _line(table: str) -> str:
        return str(setting.pick(words("chatty")[table], f"{table} {setting.number(part)}"))

    if any(isinstance(step, Call) for step in part.steps):
        yield Aside(_line("aside"))
    yield from with_ending(part.steps, around, ("report", "admission", "question", "proposal"))


def terse(setting: Setting, part: PlanPart) -> list[Step]:
    """Values only, "Done." for what was done, questions of two or three words."""
    what = f"terse {setting.number(part)}"

    def short(said: Say) -> Say:
        if said.kind == "admission":
            known = words("terse")["admissions"][missing_kind(setting)]
            return admitting(setting, said, setting.pick(worded(setting, known), what))
        text = said.text
        for pattern, shorter in words("terse")["shorter"]:
            text = re.sub(pattern, shorter, text)
        text = text.replace("<done>", setting.pick(words("terse")["done"], what))
        return replace(said, text=" ".join(map(capitalised, sentences(text))))

    return with_ending(part.steps, short, ("report", "admission", "question", "proposal"))


def many_words(setting: Setting, part: PlanPart) -> list[Step]:
    def otherwise(said: Say) -> Say:
        return admitting(setting, said, setting.pick(admissions(setting), "admission"))

    return with_ending(part.steps, otherwise, ("admission",))


SENSIBLE = tuple(
    Course("sensible", name, does, steps)
    for name, does, steps in (
        ("another_order", "makes the calls in another order that works", another_order),
        ("other_look_ups", "looks things up in another way", other_look_ups),
        ("offers", "ends with a friendly offer, and keeps to the answer", friendly_offers),
        ("checks_after", "asks afterwards whether it was right", checks_after),
        ("asks_first", "asks for a yes before every change", asks_first),
        ("chatty", "puts long friendly sentences around everything", chatty),
        ("terse", "says values only, or that it is done", terse),
        ("many_words", "admits what the car lacks in many different words", many_words),
    )
)
