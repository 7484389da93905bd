"""One unit in a terminal: head, conversation, turns against their budgets, verdict.

Fits any width from 60 columns on, and is readable without colours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from rich.console import RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assistant_gateway.protocol import GO_ON
from assistant_gateway.timing.budgets import Limit, TurnVerdict, limits_of
from assistant_gateway.timing.timeline import SECOND
from evaluator.results.store import UnitResult
from evaluator.scoring.end_state import OffTarget
from evaluator.scoring.failure_kinds import KINDS
from evaluator.scoring.recovery import Recovery
from evaluator.scoring.scores import Score
from evaluator.views.captions import (
    COMPONENTS,
    FAULTS,
    JUDGED,
    MARKS,
    OUTCOMES,
    SPANS,
    TURN_CLASSES,
    caption,
    in_words,
    task_kind,
)
from evaluator.views.sentences import difference, readable, state_changes
from evaluator.views.transcript import Line

MARK_STYLE = {"ok": "green", "soft": "yellow", "hard": "red", "missing": "red"}
OUTCOME_STYLE = {"success": "bold green", "failure": "bold red"}
SPEAKER_STYLE = {"driver": "bold cyan", "agent": "bold"}
ASIDES = {"ack": "acknowledgement", "progress": "while working"}
RINGING = "ringing"  # what is heard first of a phone call that was placed without a word
WITHOUT_LIMIT = ("eou_delay", "lead_in", "sound_gap", "overlap", "barge_stop", "agent_stop")
BAR = 16
ANSWER = 240


def head(unit: UnitResult) -> Iterator[RenderableType]:
    """The unit and its outcome."""
    score = unit.score
    yield Text.assemble((unit.name, "bold"), f"  {unit.title}".rstrip())
    yield Text(task_kind(unit.task_type, unit.settled_by), style="dim")
    yield Text()
    parts = [
        Text(
            caption(OUTCOMES, score.outcome), style=OUTCOME_STYLE.get(score.outcome, "bold yellow")
        ),
        Text(f"reward {_number(score.reward)}"),
    ]
    if score.turns:
        parts.append(Text(f"reward in time {_number(score.reward_in_time)}"))
        parts.append(Text(f"{len(score.turns)} turn{'s' if len(score.turns) != 1 else ''}"))
    yield Text("   ").join(parts)
    if score.failure is not None:
        kind, evidence = KINDS[score.failure.kind], readable(score.failure.evidence)
        yield Text(f"{kind}: {evidence}", style="" if score.evaluated else "yellow")
    elif score.reason:
        yield Text(readable(score.reason), style="" if score.evaluated else "yellow")
    if unit.driver is not None and unit.driver.disputed is not None:
        yield Text(f"the driver's last word is disputed: {unit.driver.disputed}", style="yellow")
    if unit.sound is not None:
        yield Text(f"both voices were kept: {unit.sound.file}, {unit.sound.seconds:.1f} s")


def conversation(lines: Sequence[Line]) -> Iterator[RenderableType]:
    """A transcript as lines to print, in order."""
    for _, things in moments(lines):
        yield from things


def moments(lines: Sequence[Line]) -> Iterator[tuple[Line, list[RenderableType]]]:
    """Each line to show, with what to print for it."""
    turn, begun, shown = 0, False, ""
    for line in shortened(lines):
        things: list[RenderableType] = []
        if not begun and line.what not in ("turn", "control", "end"):
            turn, begun = turn + 1, True
            things += ["", Rule(f"turn {turn}", align="left", style="dim")]
        stamp = f"{line.t_ns / SECOND:.2f}"
        things.append(row("" if stamp == shown else stamp, *_cells(line)))
        shown = stamp
        if line.what == "turn":
            begun = False
            things.append(_budgets(line.detail))
        yield line, things


def shortened(lines: Sequence[Line]) -> Iterator[Line]:
    """Leave out replies without content or with changes only, and repeated endings."""
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if line.what == "reply" and following is not None and following.what == "state":
            continue
        if line.what == "reply" and line.text == "none" and _is_fault(following):
            continue
        if line.what == "reply" and line.detail.get("output") == "":
            continue
        if line.what == "control" and line.detail.get("word") == GO_ON:
            continue
        if line.what == "end" and index and lines[index - 1].detail.get("word") == line.text:
            continue
        yield line


def _is_fault(line: Line | None) -> bool:
    """Whether the next line says why there is no reply."""
    return line is not None and line.what in ("fault", "state")


def row(stamp: str, who: Text, what: Text) -> Table:
    """Time, who, and what; wrapped lines stay in the last column."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=7, justify="right", style="dim", no_wrap=True)
    grid.add_column(width=6, justify="right", no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(stamp, who, what)
    return grid


def _cells(line: Line) -> tuple[Text, Text]:
    detail = line.detail
    match line.what:
        case "said":
            text = Text(line.text)
            if (seat := detail.get("seat")) is not None:
                text = Text.assemble((f"{seat}: ", "cyan"), text)
            if (aside := ASIDES.get(str(detail.get("kind")))) is not None:
                text.append(f"  ({aside})", style="dim")
            if (recognised := detail.get("recognised")) is not None:
                text.append(f"\nrecognised as: {recognised}", style="yellow")
            who = "other" if seat else line.who
            return Text(who, style=SPEAKER_STYLE.get(line.who, "")), text
        case "call":
            call = Text.assemble(
                (str(detail["tool"]), "magenta"), "  ", _named(detail["arguments"])
            )
            return Text("call", style="magenta"), call
        case "reply":
            return Text("car", style="blue"), _answer(line)
        case "state":
            changes = [
                Text.assemble(f"{noun} ", (before, "dim"), " → ", (after, "bold"))
                for noun, before, after in state_changes(detail)
            ]
            return Text("car", style="blue"), Text("\n").join(changes)
        case "turn":
            return Text(""), _turn(detail)
        case "control":
            text = Text.assemble((str(detail["word"]), "bold"), (f"  {detail['reason']}", "dim"))
            return Text("driver", style="cyan"), text
        case "breach":
            return Text("✘", style="bold red"), Text(line.text, style="red")
        case "fault" | "by_hand":
            return Text("event", style="yellow"), Text(line.text, style="yellow")
        case "end":
            return Text("end", style="dim"), Text(line.text)
    return Text(line.who, style="yellow"), Text(f"{line.what}: {line.text}", style="yellow")


def _named(arguments: dict[str, Any]) -> Text:
    pairs = [
        Text.assemble((f"{name}=", "dim"), _clipped(orjson.dumps(given).decode()))
        for name, given in arguments.items()
    ]
    return Text(" ").join(pairs)


def _answer(line: Line) -> Text:
    """The result of a call in short; refusals in full."""
    if not line.detail:
        return Text("no reply", style="yellow")
    status, output = line.detail["status"], str(line.detail["output"])
    if status != "SUCCESS":
        error = line.detail.get("error")
        named = f"{status} {error}: " if error else f"{status} "
        return Text(named + output, style="red")
    return Text(_clipped(_in_words(output)), style="dim")


def _in_words(output: str) -> str:
    try:
        answer = orjson.loads(output)
    except orjson.JSONDecodeError:
        return output
    result = answer.get("result") if isinstance(answer, dict) and "result" in answer else answer
    return in_words(result) if isinstance(result, dict | list) else str(result)


def _clipped(text: str) -> str:
    return text if len(text) <= ANSWER else text[: ANSWER - 2] + " …"


# --- turns and budgets


def _turn(detail: Any) -> Text:
    verdict = TurnVerdict.model_validate(detail["verdict"])
    mark = "hard" if verdict.hard_miss else "soft" if verdict.soft_miss else "ok"
    word, style = MARKS[mark] or "within budget", MARK_STYLE[mark]
    if not verdict.judged:
        word, style = "latencies not judged", "dim"
    elif (late_ms := detail.get("left_out_ms")) is not None:
        word, style = f"left out: the bench itself was {late_ms:.0f} ms late", "yellow"
    elif detail.get("held_up"):
        word, style = "delayed by a fault", "yellow"
    name = caption(TURN_CLASSES, detail["turn_class"])
    if detail["spans"].get("barge_stop") is not None:
        word += ", interrupted"
    if (snr_db := (detail.get("sound") or {}).get("snr_db")) is not None:
        word += f", driver {snr_db:g} dB above the noise"
    return Text.assemble((word, style), (f"  class {detail['turn_class']}, {name}", "dim"))


def _budgets(detail: Any) -> RenderableType:
    """A bar per judged span: its share of the hard limit."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=10)
    for width in (19, 8, BAR):
        grid.add_column(width=width, no_wrap=True)
    grid.add_column(no_wrap=True)
    verdict = TurnVerdict.model_validate(detail["verdict"])
    limits = limits_of(detail["turn_class"], verdict)
    for name, span in JUDGED.items():
        mark = verdict.mark(name)
        limit = limits.get(name)
        if mark not in MARKS or limit is None:
            continue
        took_ns = detail["spans"].get(span)
        style = MARK_STYLE[mark]
        took = Text("never" if took_ns is None else f"{took_ns / SECOND:.2f} s", justify="right")
        allowed = Text(f"{limit.soft_s:g} / {limit.hard_s:g} s  {MARKS[mark]}", style="dim")
        label = RINGING if span == "upl" and _rang(detail["spans"]) else SPANS[span]
        grid.add_row("", Text(label, style="dim"), took, _bar(took_ns, limit, style), allowed)
    for span in WITHOUT_LIMIT:
        if took_ns := detail["spans"].get(span):
            took = Text(f"{took_ns / SECOND:.2f} s", justify="right")
            grid.add_row("", Text(SPANS[span], style="dim"), took)
    return grid


def _rang(spans: Mapping[str, int | None]) -> bool:
    """Whether the driver heard a phone call ring, and no word before."""
    said = "first_sound" if "first_sound" in spans else "ttft_text"
    return spans.get("upl") is not None and spans.get(said, 0) is None


def _bar(took_ns: int | None, limit: Limit, style: str) -> Text:
    share = 1.0 if took_ns is None else min(took_ns / SECOND / limit.hard_s, 1.0)
    full = max(round(share * BAR), 1)
    soft = min(round(limit.soft_s / limit.hard_s * BAR), BAR - 1)
    rest = "".join("┊" if cell == soft else "·" for cell in range(full, BAR))
    return Text.assemble(("█" * full, style), (rest, "dim"))


# --- the verdict


def verdict(score: Score) -> Iterator[RenderableType]:
    """Each component with its mark, and the reason if it failed."""
    yield from ("", Rule("verdict", align="left", style="dim"))
    for name, mark in score.components.items():
        sign, style = _sign(mark)
        label = Text(f"{sign} {caption(COMPONENTS, name)}", style=style)
        open_ = "undecided" if name == "r_policy" else "does not apply"
        why = (
            Text(readable(score.why.get(name, "")))
            if mark is not None
            else Text(open_, style="dim")
        )
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(width=26, no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row(label, why)
        yield grid


def recovered(recovery: Recovery) -> Iterator[RenderableType]:
    """The injected faults, and whether the agent recovered."""
    yield from ("", Rule("injected faults", align="left", style="dim"))
    faults = ", ".join(
        caption(FAULTS, kind) + (f" ({times} times)" if times > 1 else "")
        for kind, times in recovery.faults.items()
    )
    yield Text(faults)
    again = f", repeated the call {recovery.retries} times" if recovery.retries > 1 else ""
    if recovery.recovered:
        yield Text(f"✔ recovered{again}", style="green")
    else:
        yield Text(f"✘ {readable(recovery.why)}{again}", style="red")


def end_state(score: Score) -> Iterator[RenderableType]:
    """What differs from the expected end state, and which call caused it."""
    if not score.off_target:
        return
    yield from ("", Rule("end state", align="left", style="dim"))
    for found in score.off_target:
        sentence = difference(found.variable, found.value, found.expected)
        yield Text.assemble((sentence, "red"), (f" ({_cause(found)})", "dim"))


def _cause(found: OffTarget) -> str:
    done = "never set" if found.set_by is None else f"set by {found.set_by}"
    if found.t_ns is not None:
        done += f" at {found.t_ns / SECOND:.2f} s"
    if found.expected_by is None:
        return f"{done}; expected to stay unchanged"
    return f"{done}; expected: {found.expected_by}"


def _sign(mark: float | None) -> tuple[str, str]:
    return ("·", "dim") if mark is None else ("✔", "green") if mark == 1.0 else ("✘", "red")


def _number(number: float | None) -> str:
    return "none" if number is None else f"{number:g}"


def story(lines: Sequence[Line], unit: UnitResult) -> Iterable[RenderableType]:
    """The whole unit, top to bottom."""
    yield from head(unit)
    yield from conversation(lines)
    if unit.score.recovery is not None:
        yield from recovered(unit.score.recovery)
    yield from verdict(unit.score)
    yield from end_state(unit.score)
