"""From options to settings: values nobody knows and options that exclude each other are refused."""

import os
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.conversation.timeouts import OnHardLimit
from assistant_gateway.hearing.recogniser import recogniser_profile
from assistant_gateway.protocol import Pace
from assistant_gateway.server import AccessTokens
from assistant_gateway.timing.budgets import budget_profile
from assistant_gateway.timing.latency import latency_profile
from assistant_gateway.timing.speech import speech_profile
from evaluator.allowed_values import broker_option, one_of, profile_of
from evaluator.event_loop import check_uvloop
from evaluator.options import (
    LLM,
    MOST_SESSIONS,
    PERSON_AT,
    SESSIONS_PER_CORE,
    KeepAudio,
    RunOptions,
    ServeOptions,
    SessionOptions,
    Signals,
    SpeechKind,
    option_fields,
)
from evaluator.problems import UsageProblem, installed, missing_extra
from evaluator.results.manifest import HUMAN, OFF, SCRIPTED, WIZARD
from evaluator.run.agents import (
    ONLY_SOUND,
    SEATED,
    WITH_MODEL,
    WITH_URL,
    AgentChoice,
    is_spoken,
    may_listen,
    named,
)
from evaluator.run.endpoint_limits import EndpointLimits
from evaluator.run.models import Role, agent_choice, hears, model_at, price_list, request_options
from evaluator.run.servers import ServerSettings
from evaluator.run.sound import check_snr
from evaluator.run.units import RunSettings
from evaluator.scoring.scores import Profile
from evaluator.task.fault_sets import fault_set
from evaluator.task.selection import SPLITS, TASK_TYPES, Selection
from evaluator.views.gates import least_shares

Settings = TypeVar("Settings", bound=ServerSettings)


def check(options: RunOptions) -> None:
    """Raises `UsageProblem` for options that no run can have."""
    check_session(options)
    if options.user_model is None:
        one_of("--user", options.user, [SCRIPTED, HUMAN, f"{LLM}MODEL"])
    one_of("--pace", options.pace, get_args(Pace))
    one_of("--profile", options.profile, get_args(Profile))
    one_of("--task-type", options.task_type, TASK_TYPES)
    one_of("--task-split", options.task_split, SPLITS)
    one_of("--signals", options.signals, get_args(Signals))
    one_of("--person-at", options.person_at, PERSON_AT)
    one_of("--speech", options.speech, get_args(SpeechKind))
    profile_of("--recogniser", options.recogniser, recogniser_profile)
    one_of("--keep-audio", options.keep_audio, get_args(KeepAudio))
    _check_persons(options)
    _check_sound(options)
    _check_lockstep(options)
    if options.uvloop:
        check_uvloop()
    limited = options.max_in_flight or options.max_requests_per_minute
    if limited and named(options.agent)[0] in ONLY_SOUND:
        raise UsageProblem(
            "--agent live:MODEL makes no single requests; leave --max-in-flight and "
            "--max-requests-per-minute out"
        )
    if options.resume and options.out is None:
        raise UsageProblem("--resume needs --out, the folder of the run to finish")
    if "in_time" in least_shares(options.fail_under) and options.patience_s is not None:
        raise UsageProblem("with --patience nothing is in time: leave in_time out of --fail-under")
    for name, file in (("--junit", options.junit), ("--summary", options.summary)):
        if file is not None and not file.absolute().parent.is_dir():
            raise UsageProblem(f"{name} {file}: there is no folder {file.parent}")
        if file is not None and file.is_dir():
            raise UsageProblem(f"{name} {file} is a folder; name a file in it")


def check_session(options: SessionOptions) -> None:
    """Raises `UsageProblem` for options that no session can have."""
    kind, _ = named(options.agent)
    in_text = not isinstance(options, RunOptions | ServeOptions) or options.speech == "text"
    if is_spoken(options.agent) and in_text:
        raise UsageProblem("--agent voice:AGENT is for --speech audio of codriver run and serve")
    if kind in ONLY_SOUND and in_text:
        raise UsageProblem("--agent live:MODEL hears and speaks by itself: add --speech audio")
    if kind in ONLY_SOUND and not options.backend_model:
        raise UsageProblem("--agent live:MODEL needs --backend-model, a model that uses the tools")
    if options.lead_in_ms and in_text:
        raise UsageProblem("--lead-in-ms is for --agent voice:AGENT --speech audio")
    one_of("--turn-detection", options.turn_detection, get_args(TurnDetection))
    if options.turn_detection != SessionOptions.turn_detection and (in_text or not hears(options)):
        raise UsageProblem("--turn-detection is for --agent realtime:MODEL --speech audio")
    request_options(options)
    if kind in WITH_URL:
        agent_choice(options)
        if not installed("a2a"):
            raise missing_extra(f"--agent {kind}:URL", "a2a")
    if kind in SEATED and not installed("mcp"):
        raise missing_extra(f"--agent {kind}", "mcp")
    profile_of("--latency-profile", options.latency_profile, latency_profile)
    profile_of("--speech-profile", options.speech_profile, speech_profile)
    profile_of("--budget-profile", options.budget_profile, budget_profile)
    one_of("--on-hard-limit", options.on_hard_limit, get_args(OnHardLimit))
    if options.patience_s is not None and options.on_hard_limit != "record":
        raise UsageProblem(
            f"--patience waits for a slow agent, --on-hard-limit {options.on_hard_limit} does not; "
            "leave one of them out"
        )
    fault_set(options.faults)


def _check_persons(options: RunOptions) -> None:
    persons = persons_in(options)
    if persons and options.max_concurrency not in (None, 1):
        raise UsageProblem(
            f"{persons[0]} is one person, who plays one session at a time; leave --max-concurrency "
            "out"
        )
    if len(persons) > 1 and options.person_at == "terminal":
        raise UsageProblem(
            "one terminal is for one person, and assistant and driver are two; use --person-at page"
        )


def persons_in(options: RunOptions) -> list[str]:
    """The options that say that a person takes part."""
    asked = {"--agent wizard": options.agent == WIZARD, "--user human": options.user == HUMAN}
    return [option for option, person in asked.items() if person]


def _check_sound(options: RunOptions) -> None:
    """Raises `UsageProblem` for what cannot be heard."""
    if options.speech == "text":
        for name in ("noise", "snr", "echo", "recogniser", "voice_command", "sample_rate"):
            if getattr(options, name) != getattr(RunOptions, name):
                raise UsageProblem(f"--{name.replace('_', '-')} is for --speech audio")
        if options.keep_audio != "none":
            raise UsageProblem("--keep-audio keeps what was heard: add --speech audio")
        return
    if options.user == HUMAN:
        raise UsageProblem("--speech audio: what a person types is not spoken; leave --user out")
    listens = may_listen(options.agent)
    if options.pace == "virtual":
        paces = "live" if listens else "fast or live"
        raise UsageProblem(f"--speech audio takes the time that it takes; use --pace {paces}")
    if options.pace == "fast" and listens:
        raise UsageProblem(
            f"--speech audio: {options.agent} may listen, and silence cannot be skipped for who "
            "listens; use --pace live"
        )
    if options.echo is not None and not listens:
        raise UsageProblem(
            f"--echo is for an agent that listens, and {options.agent} reads; leave it out"
        )
    if options.lead_in_ms and not is_spoken(options.agent):
        raise UsageProblem(
            f"--lead-in-ms is for --agent voice:AGENT, not for {options.agent}; leave it out"
        )
    if options.sample_rate != RunOptions.sample_rate and options.voice_command is None:
        raise UsageProblem("--sample-rate is that of --voice-command; give both or leave it out")
    if options.snr != RunOptions.snr or "snr" in options.given:
        check_snr(options.noise)


def _check_lockstep(options: RunOptions) -> None:
    if options.pace != "virtual":
        return
    kind, _ = named(options.agent)
    if not AgentChoice(kind).in_process:
        raise UsageProblem(
            f"--pace virtual needs an agent that keeps lockstep, and {kind} may not; "
            "use --pace fast or live"
        )
    if options.user != SCRIPTED:
        raise UsageProblem(
            f"--pace virtual needs a driver that keeps lockstep, and {options.user} cannot; "
            "use --pace fast or live"
        )


def settings_of(options: SessionOptions, kind: type[Settings], **resolved: Any) -> Settings:
    """Settings with all values that options have under the same name; raises `UsageProblem`.

    What stands for something else, such as the name of an agent, is `resolved` here or by the
    caller.
    """
    broker, token = broker_option(options.broker), options.agent_token
    same = {each.name for each in fields(kind)} & option_fields(type(options)).keys()
    return kind(
        **{name: getattr(options, name) for name in same}
        | {
            "agent": agent_choice(options),
            "faults": fault_set(options.faults),
            "broker_url": broker.url,
            "broker_kind": broker.kind,
            "tokens": AccessTokens(agent=token) if token else AccessTokens(),
        }
        | resolved
    )


def sessions_at_a_time(options: RunOptions) -> int:
    """As many as asked for; else as many as a machine plays without falsifying latencies."""
    if persons_in(options):
        return 1
    if options.max_concurrency is not None:
        return options.max_concurrency
    if named(options.agent)[0] in SEATED:  # one client comes unless more are asked for
        return 1
    if options.pace == "virtual" or options.patience_s is not None:  # nothing is measured
        return MOST_SESSIONS
    return min(MOST_SESSIONS, SESSIONS_PER_CORE * cores_here())


def cores_here() -> int:
    """How many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limits_of(options: RunOptions) -> EndpointLimits:
    """The limits of a run, with a count of their own."""
    return EndpointLimits(options.max_requests_per_minute, options.max_in_flight)


def run_settings(
    options: RunOptions, run_id: str, limited: EndpointLimits | None = None
) -> RunSettings:
    """How the units of a run are played; raises `UsageProblem`.

    Requests of other roles count together with those of agent and driver if they share `limited`.
    """
    by_model = options.user_model
    settings = settings_of(
        options,
        RunSettings,
        run_id=run_id,
        max_concurrency=sessions_at_a_time(options),
        user_model=by_model
        and model_at("user", by_model, options.user_base_url, options.prices, options.patience_s),
        prices=price_list(options.prices),
    )
    limited = limited or limits_of(options)
    return replace(
        settings,
        agent=limited.agent(settings.agent),
        user_model=settings.user_model and limited.model(settings.user_model),
    )


def models_at(options: RunOptions) -> dict[str, str]:
    """Where the models of a run are, by role, without anything secret; raises `UsageProblem`."""
    kind, target = named(options.agent)
    asked: dict[Role, tuple[str | None, str | None]] = {
        "agent": (target if kind in WITH_MODEL else None, options.base_url),
        "user": (options.user_model, options.user_base_url),
        "judge": (None if options.judge == OFF else options.judge, options.judge_base_url),
    }
    return {
        role: model_at(role, name, url, options.prices).access.place
        for role, (name, url) in asked.items()
        if name is not None
    }


def selection(options: RunOptions) -> Selection:
    """The tasks of a run."""
    same = option_fields(RunOptions).keys() & {each.name for each in fields(Selection)}
    return Selection(**{name: getattr(options, name) for name in same}, shares=options.shares)
