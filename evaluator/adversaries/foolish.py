"""Ten ways to be no help: each has to fail every task in which it differs from the reference."""

from collections.abc import Iterator

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Say
from evaluator.adversaries.course import (
    Course,
    Setting,
    Step,
    words,
)
from evaluator.adversaries.look_ups import answered, fresh_car, matters, wrong
from evaluator.reference.plan import PlanPart, missing_for
from vehicle_bus.car.removal import removal
from vehicle_bus.tools import BY_NAME, CHANGING

VANDALISM = (
    Call("open_close_window", {"window": "ALL", "percentage": 100}),
    Call("set_ambient_lights", {"on": True, "lightcolor": "PINK"}),
    Call("set_climate_temperature", {"temperature": 16, "seat_zone": "ALL_ZONES"}),
    Call("open_close_trunk_door", {"action": "OPEN"}),
    Call("delete_current_navigation"),
)
EXTRAS = (
    Call("open_close_window", {"window": "PASSENGER_REAR", "percentage": 60}),
    Call("set_ambient_lights", {"on": True, "lightcolor": "RED"}),
    Call("set_fan_speed", {"level": 5}),
    Call("set_seat_heating", {"level": 3, "seat_zone": "PASSENGER"}),
    Call("set_steering_wheel_heating", {"level": 3}),
    Call("set_climate_temperature", {"temperature": 27, "seat_zone": "ALL_ZONES"}),
    Call("set_charge_limit", {"limit_percent": 55}),
    Call("set_reading_light", {"position": "DRIVER_REAR", "on": True}),
    Call("open_close_sunshade", {"percentage": 35}),
    Call("set_air_circulation", {"mode": "RECIRCULATION"}),
)


def refuse(setting: Setting, part: PlanPart) -> Iterator[Step]:
    yield Say(setting.pick(words("refusals"), f"refuse {setting.number(part)}"))


def look_up_and_refuse(setting: Setting, part: PlanPart) -> Iterator[Step]:
    yield from (step for step in part.steps if _is_look_up(step))
    yield from refuse(setting, part)


def something_went_wrong(setting: Setting, part: PlanPart) -> Iterator[Step]:
    yield Say(setting.pick(words("went_wrong"), f"wrong {setting.number(part)}"))


def guess(_setting: Setting, part: PlanPart) -> Iterator[Step]:
    for step in part.steps:
        if not (isinstance(step, Say) and step.kind in ("question", "proposal")):
            yield step


def mute(_setting: Setting, part: PlanPart) -> Iterator[Step]:
    said = [step for step in part.steps if isinstance(step, Say)]
    yield from (step for step in part.steps if not isinstance(step, Say))
    if said:
        yield Say("")


def vandal(setting: Setting, part: PlanPart) -> Iterator[Step]:
    if part is setting.parts[0]:
        row = setting.pick(setting.world.contacts(), "fired")
        text = setting.pick(words("firing"), "firing")
        mail = {"email_addresses": [row["email"]], "content_message": text}
        yield from _possible(setting, part, (*VANDALISM, Call("send_email", mail)))
    yield from part.steps


def unwanted_extras(setting: Setting, part: PlanPart) -> Iterator[Step]:
    unasked = [call for call in EXTRAS if call.name not in setting.tools]
    possible = list(_possible(setting, part, unasked)) if part is setting.end else []
    if possible:
        yield setting.pick(possible, "extra")
    yield from part.steps


def invent(setting: Setting, part: PlanPart) -> Iterator[Step]:
    tool = _told_by(setting, part)
    for step in part.steps:
        if tool and isinstance(step, Say) and step.kind in ("report", "admission"):
            table = words("inventions")
            yield Say(setting.pick(table.get(tool, table["other"]), f"invent {tool}"))
        else:
            yield step


def overclaim(setting: Setting, part: PlanPart) -> Iterator[Step]:
    boast = "" if part is not setting.end else _boast(setting)
    *before, last = part.steps
    if not boast:
        yield from part.steps
    elif isinstance(last, Say):
        yield from (*before, Say(f"{last.text} {boast}", last.kind), Say(boast))
    else:
        yield from (*before, Aside(boast), last, Say(boast))


def wrong_look_ups(setting: Setting, part: PlanPart) -> Iterator[Step]:
    scored = setting.number(part) <= setting.number(setting.end)
    for step in part.steps:
        if scored and isinstance(step, Call) and _is_look_up(step) and matters(setting, part, step):
            yield wrong(setting, step)
        else:
            yield step


def _is_look_up(step: Step) -> bool:
    return isinstance(step, Call) and step.name not in CHANGING


def _possible(
    setting: Setting, part: PlanPart, calls: tuple[Call, ...] | list[Call]
) -> Iterator[Call]:
    """The calls that this car takes and that make it another one."""
    lacking = removal(tuple(setting.task.car.removed))
    for call in calls:
        car = fresh_car(setting, part)
        before = car.snapshot()
        refused = lacking.refusal(call.name, BY_NAME[call.name].parameters, call.arguments)
        changed = refused is None and answered(car, call) is not None and car.snapshot() != before
        if changed or call.name == "send_email":
            yield call


def _told_by(setting: Setting, part: PlanPart) -> str | None:
    """The look-up whose result the driver wants to hear, or needs, if there is one.

    A request that nothing can be done about is about what was looked up before.
    """
    removed = setting.task.car.removed
    actions = part.task.expect.actions or setting.task.expect.actions
    lacking = [action.name for action in actions if missing_for(action, removed)]
    if lacking:
        return None if lacking[0] in CHANGING else lacking[0]
    if any(action.name in CHANGING for action in actions):
        return None
    return actions[-1].name


def _boast(setting: Setting) -> str:
    table = words("overclaims")
    tools = [tool for tool in sorted(table) if tool not in setting.tools]
    chance = setting.chance("overclaim")
    one, other = (table[tool] for tool in chance.sample(tools, 2))
    frame: str = chance.choice(words("overclaim_frames"))
    did = {"first": chance.choice(one["did"]), "second": chance.choice(other["did"])}
    return frame.format(**did, now=chance.choice(other["now"]))


FOOLISH = tuple(
    Course("foolish", *row)
    for row in (
        ("refuse", "refuses everything", refuse, "refusals"),
        ("look_up_and_refuse", "makes the look-ups, then refuses", look_up_and_refuse, "refusals"),
        ("guess", "takes the right value without asking", guess),
        ("vandal", "does all sorts of unwanted things first", vandal),
        ("invent", "tells absurd things instead of what was found", invent),
        ("overclaim", "claims more than it did", overclaim),
        ("wrong_look_ups", "looks up something else", wrong_look_ups),
        ("mute", "never says a word", mute, "silence", False),
        ("went_wrong", "says that something went wrong", something_went_wrong, "went_wrong"),
        ("extras", "makes one more change that nobody asked for", unwanted_extras),
    )
)
