"""A run as an `.eval` file of Inspect: a zip of JSON, a sample per unit, without Inspect itself.

The reward and whether it came in time are scores of the sample; a unit that says nothing about the
agent has an error instead. Trials are epochs.
"""

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import orjson

from evaluator.car_bench.exporting import trajectory
from evaluator.record.record import Record
from evaluator.stored_run.rows import unit_row
from evaluator.stored_run.run import StoredRun
from evaluator.stored_run.unit import StoredUnit

Json = dict[str, Any]
VERSION = 2  # of the format
REWARD, IN_TIME = "reward", "in_time"
ABOUT = {
    REWARD: "1 if the unit was solved",
    IN_TIME: "1 if it was solved and no hard limit of a latency was missed",
}


class _Mean:
    """The mean of a score and its standard error."""

    def __init__(self) -> None:
        self.n = 0
        self._sum = self._squares = 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self._sum += value
        self._squares += value * value

    @property
    def value(self) -> float:
        return self._sum / self.n if self.n else 0.0

    @property
    def error(self) -> float:
        if self.n < 2:
            return 0.0
        variance = max(0.0, self._squares / self.n - self.value**2) * self.n / (self.n - 1)
        return sqrt(variance / self.n)


def write_inspect(run: StoredRun, out: Path) -> dict[str, int]:
    """Counts `samples`, and how many of them are `errors`."""
    means: dict[str, _Mean] = defaultdict(_Mean)
    samples = errors = 0
    began = ended = run.manifest.created_at
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        spec = _spec(run)
        _put(file, "_journal/start.json", {"version": VERSION, "eval": spec, "plan": _PLAN})
        for unit in run:
            samples += 1
            errors += not unit.counts
            ended = max(ended, unit.result.finished_at)
            for name, score in _scores(unit).items():
                means[name].add(score["value"])
            sample = _sample(run, unit)
            _put(file, f"samples/{unit.task_id}_epoch_{unit.trial + 1}.json", sample)
        with file.open("summaries.json", "w") as summaries:
            for number, unit in enumerate(run):
                summaries.write(b"," if number else b"[")
                summaries.write(orjson.dumps(_summary(run, unit)))
            summaries.write(b"]" if samples else b"[]")
        results = {
            "total_samples": run.planned,
            "completed_samples": samples - errors,
            "scores": [_metrics(name, mean, samples - mean.n) for name, mean in means.items()],
        }
        stats = {"started_at": began, "completed_at": ended, "model_usage": {}}
        status = "success" if samples >= run.planned else "cancelled"
        header = {"version": VERSION, "status": status, "eval": spec, "plan": _PLAN,
                  "results": results, "stats": stats}  # fmt: skip
        _put(file, "header.json", header)
    return {"samples": samples, "errors": errors}


_PLAN: Json = {"name": "plan", "steps": [], "config": {}}


def _put(file: zipfile.ZipFile, name: str, value: Any) -> None:
    file.writestr(name, orjson.dumps(value))


def _spec(run: StoredRun) -> Json:
    manifest = run.manifest
    return {
        "eval_id": run.run_id,
        "run_id": run.run_id,
        "created": manifest.created_at,
        "task": f"codriver/{run.profile}",
        "task_id": run.run_id,
        "task_version": 1,
        "task_display_name": run.label or "codriver",
        "task_args": {},
        "task_attribs": {},
        "dataset": {
            "name": "codriver",
            "samples": len(manifest.tasks),
            "sample_ids": list(manifest.tasks),
            "shuffled": False,
        },
        "model": _model(run),
        "model_args": {},
        "config": {"epochs": manifest.num_trials},
        "packages": {"codriver": manifest.codriver},
        "metadata": {
            "agent": manifest.described_agent,
            "user": run.user,
            "pace": run.pace,
            "profile": run.profile,
            "seed": manifest.seed,
        },
    }


def _model(run: StoredRun) -> str:
    return run.agent.replace(":", "/") if ":" in run.agent else f"codriver/{run.agent}"


def _metrics(name: str, mean: _Mean, unscored: int) -> Json:
    metrics = {"mean": mean.value, "stderr": mean.error}
    return {
        "name": name,
        "scorer": name,
        "scored_samples": mean.n,
        "unscored_samples": unscored,
        "params": {},
        "metrics": {key: {"name": key, "value": value} for key, value in metrics.items()},
        "metadata": {"meaning": ABOUT[name]},
    }


def _scores(unit: StoredUnit) -> Json:
    if not unit.counts or unit.reward is None:
        return {}
    explanation = unit.reason or None
    return {
        REWARD: {"value": unit.reward, "explanation": explanation,
                 "metadata": {"failure": unit.failure, **unit.components}},
        IN_TIME: {"value": float(unit.in_time), "explanation": explanation, "metadata": {}},
    }  # fmt: skip


def _both(run: StoredRun, unit: StoredUnit) -> Json:
    """What a sample and its summary share."""
    seconds = (unit.finished_at - unit.started_at).total_seconds()
    usage = unit.result.usage.get("agent")
    used = {}
    if usage and (usage.input_tokens or usage.output_tokens):
        inputs, outputs = usage.input_tokens or 0, usage.output_tokens or 0
        tokens = {
            "input_tokens": inputs,
            "output_tokens": outputs,
            "total_tokens": inputs + outputs,
        }
        used = {_model(run): tokens}
    return {
        "id": unit.task_id,
        "epoch": unit.trial + 1,
        "input": unit.turns[0].driver if unit.turns else unit.title,
        "target": "",
        "scores": _scores(unit),
        "model_usage": used,
        "started_at": unit.result.started_at,
        "completed_at": unit.result.finished_at,
        "total_time": seconds,
        "working_time": seconds,
        "uuid": f"{run.run_id}-{unit.name}",
    }


def _summary(run: StoredRun, unit: StoredUnit) -> Json:
    broken = {} if unit.counts else {"error": _why(unit)}
    return {**_both(run, unit), **broken, "completed": True, "turn_count": len(unit.turns)}


def _sample(run: StoredRun, unit: StoredUnit) -> Json:
    error = {"message": _why(unit), "traceback": "", "traceback_ansi": ""}
    messages = list(_messages(unit.record)) if unit.record else []
    last = next((each for each in reversed(messages) if each["role"] == "assistant"), None)
    choices = [{"message": last, "stop_reason": "stop"}] if last else []
    return {
        **_both(run, unit),
        "messages": messages,
        "output": {"model": _model(run), "choices": choices},
        "metadata": {
            **unit_row(unit),
            "turns": [
                {"turn": turn.number, **{f"{span.name}_ms": span.ms for span in turn.spans}}
                for turn in unit.turns
            ],
        },
        "store": {},
        "events": [],
        "attachments": {},
        "error": None if unit.counts else error,
    }


def _why(unit: StoredUnit) -> str:
    return f"{unit.outcome}: {unit.reason}"


def _messages(record: Record) -> Iterator[Json]:
    """The conversation as chat messages."""
    for number, message in enumerate(trajectory(record), 1):
        content = message["content"] or ""
        match message["role"]:
            case "user" if content.startswith("###"):
                continue  # the mark that the conversation is over
            case "tool":
                more = {"tool_call_id": message["tool_call_id"], "function": message["name"]}
            case "assistant":
                more = {"tool_calls": [_tool_call(each) for each in message["tool_calls"] or ()],
                        "source": "generate"}  # fmt: skip
            case _:
                more = {"source": "input"}
        yield {"id": str(number), "role": message["role"], "content": content, **more}


def _tool_call(call: Json) -> Json:
    function = call["function"]
    arguments = orjson.loads(function["arguments"])
    return {"id": call["id"], "function": function["name"], "arguments": arguments,
            "type": "function"}  # fmt: skip
