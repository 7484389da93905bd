"""The `codriver` command. Data on stdout, everything else on stderr.

Exit codes: 0 ok, 1 a gate failed, 2 usage, 3 infrastructure or incomplete, 130 interrupted.
Each option can be given as an environment variable CODRIVER_NAME. Heavy modules are imported by the
command that needs them, so that `--help` is quick.
"""

import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from evaluator.problems import Problem, UsageProblem

app = typer.Typer(
    name="codriver",
    help="A streaming test bench for in-car voice assistants.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
tasks_app = typer.Typer(help="Look at tasks and check them.", no_args_is_help=True)
app.add_typer(tasks_app, name="tasks")
world_app = typer.Typer(
    help="Build and import worlds, and look things up in them.", no_args_is_help=True
)
app.add_typer(world_app, name="world")

Json = Annotated[
    bool,
    typer.Option("--json/--no-json", envvar="CODRIVER_JSON", help="Print one JSON object."),
]
Agent = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_AGENT",
        help="reference, null, claims, refuse, or ws: your own; openai:MODEL, realtime:MODEL, "
        "a2a:URL, replay:RUN.",
    ),
]
User = Annotated[
    str, typer.Option(envvar="CODRIVER_USER", help="Who drives: scripted, or llm:MODEL.")
]
AgentBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        envvar="CODRIVER_BASE_URL",
        help="Where the agent's model is; default: OPENAI_BASE_URL.",
    ),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_REASONING_EFFORT",
        help="Sent with --agent openai:MODEL: none, minimal, low, … as the model knows it.",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(envvar="CODRIVER_TEMPERATURE", help="Sent with --agent openai:MODEL."),
]
ExtraBody = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_EXTRA_BODY",
        help="A JSON object with more fields of the requests of --agent openai:MODEL.",
    ),
]
UserBaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_USER_BASE_URL",
        help="Where the driver's model is; default: OPENAI_BASE_URL. Keys come from the "
        "environment or .env.",
    ),
]
JudgeBaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="CODRIVER_JUDGE_BASE_URL", help="Where the judge is; default: OPENAI_BASE_URL."
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        envvar="CODRIVER_PRICES", help="YAML of USD per million tokens; a price not there is null."
    ),
]
TasksFrom = Annotated[
    Path | None,
    typer.Option(
        envvar="CODRIVER_TASKS_FROM", help="Folder of tasks; default: the ones that ship."
    ),
]
WorldFrom = Annotated[
    Path | None,
    typer.Option(
        "--world", envvar="CODRIVER_WORLD", help="World file or folder; default: the tasks'."
    ),
]
StartOfTask = Annotated[
    str | None,
    typer.Option("--task", envvar="CODRIVER_TASK", help="A task whose car it is at the start."),
]
TaskType = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_TASK_TYPE", help="all, base, hallucination (or limit), disambiguation."
    ),
]
TaskSplit = Annotated[str, typer.Option(envvar="CODRIVER_TASK_SPLIT", help="all, train or test.")]
TaskIds = Annotated[
    list[str] | None,
    typer.Option(envvar="CODRIVER_TASK_IDS", help="Only these ids; repeat or separate by comma."),
]
NumTasks = Annotated[
    int, typer.Option(envvar="CODRIVER_NUM_TASKS", help="The first N tasks; -1 is all.")
]
NumTrials = Annotated[
    int, typer.Option(min=1, envvar="CODRIVER_NUM_TRIALS", help="How often each task is played.")
]
MaxConcurrency = Annotated[
    int, typer.Option(min=1, envvar="CODRIVER_MAX_CONCURRENCY", help="Sessions at a time.")
]
Pace = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_PACE",
        help="fast skips the waiting, live is real time, virtual is deterministic.",
    ),
]
Latency = Annotated[
    str,
    typer.Option(
        "--latency-profile",
        envvar="CODRIVER_LATENCY_PROFILE",
        help="How slow the shipped agents are: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
    ),
]
Faults = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_FAULTS",
        help="What goes wrong with every car: none, flaky, slow_bus, offline_once, lying, "
        "or a YAML file.",
    ),
]
SpeechProfile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_SPEECH_PROFILE",
        help="How speech takes its time: typical, on_device, slow_cloud, constant or a YAML file.",
    ),
]
BudgetProfile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_BUDGET_PROFILE",
        help="Latency budgets: strict (x 0.75), default, lenient (x 1.5).",
    ),
]
OnHardLimit = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_ON_HARD_LIMIT",
        help="When nothing was heard in time: record it, nudge the agent, or end the turn.",
    ),
]
Moving = Annotated[
    bool,
    typer.Option(
        "--motion/--no-motion",
        envvar="CODRIVER_MOTION",
        help="Cars drive along their active routes; default: only those of tasks that say so.",
    ),
]
MotionHz = Annotated[
    int,
    typer.Option(
        min=1,
        max=10,
        envvar="CODRIVER_MOTION_HZ",
        help="How often per second a moving car tells where it is, in real time.",
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_PROFILE",
        help="How to score: codriver, or car-bench exactly as published.",
    ),
]
Broker = Annotated[
    str,
    typer.Option(
        envvar="CODRIVER_BROKER",
        help="auto, embedded, mosquitto, or mqtt(s)://[user:password@]host[:port].",
    ),
]
Seed = Annotated[int, typer.Option(envvar="CODRIVER_SEED", help="Seeds every chance in the run.")]
Uvloop = Annotated[
    bool,
    typer.Option(
        "--uvloop/--no-uvloop",
        envvar="CODRIVER_UVLOOP",
        help="Another event loop, some 10 % cheaper; needs the extra uvloop.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(envvar="CODRIVER_OUT", help="Run folder; default: runs/RUN_ID."),
]
Resume = Annotated[
    bool,
    typer.Option("--resume/--no-resume", envvar="CODRIVER_RESUME", help="Finish the run in --out."),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
GatewayPort = Annotated[
    int, typer.Option(min=0, max=65535, envvar="CODRIVER_GATEWAY_PORT", help="0 is any.")
]
AgentToken = Annotated[
    str | None,
    typer.Option(envvar="CODRIVER_AGENT_TOKEN", help="Token for --agent ws; default: a new one."),
]
TalkingAgent = Annotated[
    str,
    typer.Option(
        "--agent",
        envvar="CODRIVER_AGENT",
        help="rules, null, claims, refuse, or ws: your own; openai:MODEL, realtime:MODEL, "
        "a2a:URL, replay:RUN#UNIT; reference with --task.",
    ),
]
MAX_STEPS = typer.Option(
    40, min=1, envvar="CODRIVER_MAX_STEPS", help="Agent messages before a session is cut."
)
AGENT_WAIT = typer.Option(
    60.0,
    min=0.1,
    envvar="CODRIVER_AGENT_WAIT",
    help="Seconds to wait for --agent ws, or for the agent that a scenario starts.",
)
GIVEN = ("COMMANDLINE", "ENVIRONMENT")
AGENT_TIMEOUT = typer.Option(
    240.0,
    min=0.1,
    envvar="CODRIVER_AGENT_TIMEOUT",
    help="Seconds an a2a agent may take for a turn before it has failed.",
)


@app.command()
def demo(
    agent: Agent = "rules",
    pace: Pace = "fast",
    latency_profile: Latency = "cloud_fast",
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    out: Out = None,
    resume: Resume = False,
    json_: Json = False,
) -> None:
    """The showcase: a dozen own tasks, an agent without a model, no key, no network."""
    from evaluator.campaign import Campaign, conduct
    from evaluator.showcase import SHOWCASE

    conduct(
        Campaign(
            agent=agent,
            task_ids=SHOWCASE,
            pace=pace,
            latency_profile=latency_profile,
            max_concurrency=max_concurrency,
            broker=broker,
            out=out,
            resume=resume,
            signals="all",
            gate=False,
        ),
        as_json=json_,
    )


@app.command()
def run(
    context: typer.Context,
    agent: Agent = "reference",
    user: User = "scripted",
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    task_type: TaskType = "all",
    task_split: TaskSplit = "all",
    task_ids: TaskIds = None,
    num_tasks: NumTasks = -1,
    num_trials: NumTrials = 1,
    max_concurrency: MaxConcurrency = 8,
    uvloop: Uvloop = False,
    pace: Pace = "fast",
    latency_profile: Latency = "zero",
    speech_profile: SpeechProfile = "typical",
    budget_profile: BudgetProfile = "default",
    on_hard_limit: OnHardLimit = "record",
    motion: Moving = False,
    motion_hz: MotionHz = 1,
    faults: Faults = "none",
    profile: Profile = "codriver",
    broker: Broker = "auto",
    seed: Seed = 10,
    max_steps: int = MAX_STEPS,
    agent_wait: float = AGENT_WAIT,
    agent_timeout: float = AGENT_TIMEOUT,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    signals: Annotated[
        str, typer.Option(envvar="CODRIVER_SIGNALS", help="changes, or all at the start as well.")
    ] = "changes",
    keep_retained: Annotated[
        bool,
        typer.Option(
            "--keep-retained/--no-keep-retained",
            envvar="CODRIVER_KEEP_RETAINED",
            help="Leave the cars' retained topics on the broker.",
        ),
    ] = False,
    out: Out = None,
    judge: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_JUDGE", help="off, or the model that decides what code cannot."
        ),
    ] = "off",
    base_url: AgentBaseUrl = None,
    reasoning_effort: ReasoningEffort = None,
    temperature: Temperature = None,
    extra_body: ExtraBody = None,
    user_base_url: UserBaseUrl = None,
    judge_base_url: JudgeBaseUrl = None,
    prices: Prices = None,
    scenario: Annotated[
        Path | None,
        typer.Option(
            envvar="CODRIVER_SCENARIO",
            help="A scenario.toml: which A2A agent, how to start it, which tasks. Options win.",
        ),
    ] = None,
    resume: Resume = False,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate/--no-gate",
            envvar="CODRIVER_GATE",
            help="Exit with 1 if the bench itself was too late for its latencies to be trusted.",
        ),
    ] = True,
    json_: Json = False,
) -> None:
    """Play tasks, score every episode, store the run."""
    from evaluator.campaign import Campaign, conduct
    from evaluator.models import ModelOptions, agent_options

    options = agent_options(reasoning_effort, temperature, extra_body)
    campaign = Campaign(
        agent=agent,
        user=user,
        tasks_from=tasks_from,
        world=world,
        task_type=task_type,
        task_split=task_split,
        task_ids=_split(task_ids),
        num_tasks=num_tasks,
        num_trials=num_trials,
        max_concurrency=max_concurrency,
        uvloop=uvloop,
        pace=pace,
        latency_profile=latency_profile,
        speech_profile=speech_profile,
        budget_profile=budget_profile,
        on_hard_limit=on_hard_limit,
        motion=motion,
        motion_hz=motion_hz,
        faults=faults,
        profile=profile,
        broker=broker,
        seed=seed,
        max_steps=max_steps,
        agent_wait_s=agent_wait,
        agent_timeout_s=agent_timeout,
        gateway_port=gateway_port,
        agent_token=agent_token,
        signals=signals,
        keep_retained=keep_retained,
        out=out,
        resume=resume,
        gate=gate,
        judge=judge,
        models=ModelOptions(user_base_url, judge_base_url, prices, base_url, options),
    )
    if scenario is not None:
        from evaluator.scenario import under_scenario

        campaign = under_scenario(campaign, scenario, _given(context))
    conduct(campaign, as_json=json_)


@app.command()
def score(
    run: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_PROFILE", help="codriver or car-bench; default: as the run was scored."
        ),
    ] = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    out: Annotated[
        Path | None,
        typer.Option(envvar="CODRIVER_OUT", help="Also keep the newly scored run in this folder."),
    ] = None,
    from_car_bench: Annotated[
        list[Path] | None,
        typer.Option(
            envvar="CODRIVER_FROM_CAR_BENCH",
            help="Make a run in --out of public result files, or a folder of them, instead.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_JUDGE",
            help="A model that decides what code cannot, or off; default: what was judged before.",
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    prices: Prices = None,
    max_concurrency: MaxConcurrency = 8,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate/--no-gate", envvar="CODRIVER_GATE", help="Exit with 1 if a score changed."
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Score a stored run again, without a car; tells which scores changed."""
    if from_car_bench:
        from evaluator.importing import import_into

        import_into(out, run, from_car_bench, profile, tasks_from, world, as_json=json_)
        return
    if run is None:
        raise UsageProblem("name a run folder, or --from-car-bench and result files")
    from evaluator.models import ModelOptions
    from evaluator.rescoring import rescore

    judging = ModelOptions(None, judge_base_url, prices).judging(judge, max_concurrency)
    rescore(run, profile, tasks_from, world, out, judging, gate=gate, as_json=json_)


@app.command()
def view(
    run: RunFolder,
    unit: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_UNIT", help="One unit as TASK or TASK:TRIAL; default: list them."
        ),
    ] = None,
    digest: Annotated[
        bool,
        typer.Option(
            "--digest/--no-digest",
            envvar="CODRIVER_DIGEST",
            help="Print the hash of each canonical record.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Look into a stored run: its units, one unit's timeline, or the digests."""
    from evaluator.viewing import show

    show(run, unit, digest=digest, as_json=json_)


@app.command()
def export(
    run: RunFolder,
    car_bench: Annotated[
        Path,
        typer.Option(
            "--car-bench-file",
            "--car-bench",
            envvar="CODRIVER_CAR_BENCH_FILE",
            help="The file to write in the public format.",
        ),
    ],
    tasks_from: TasksFrom = None,
    json_: Json = False,
) -> None:
    """Write a stored run as a result file of the public benchmark."""
    from evaluator.exporting import export as write

    write(run, car_bench, tasks_from, as_json=json_)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="The run to start from.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="The run to hold against it.")],
    force: Annotated[
        bool,
        typer.Option(
            "--force/--no-force",
            envvar="CODRIVER_FORCE",
            help="Compare runs of different drivers, paces or profiles all the same.",
        ),
    ] = False,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate/--no-gate", envvar="CODRIVER_GATE", help="Exit with 1 if the second is worse."
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Tell whether the second run is better than the first, task by task."""
    from evaluator.compare import compare_runs

    compare_runs(first, second, force=force, gate=gate, as_json=json_)


@app.command()
def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        typer.Option(
            envvar="CODRIVER_OUT", help="The file to write; default: report.html in the run folder."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Write a stored run as one HTML file that opens offline, conversations included."""
    from evaluator.report.command import report as write

    write(run, out, as_json=json_)


@app.command()
def replay(
    run: RunFolder,
    unit: Annotated[
        str, typer.Option(envvar="CODRIVER_UNIT", help="The unit as TASK or TASK:TRIAL.")
    ],
    speed: Annotated[
        float,
        typer.Option(envvar="CODRIVER_SPEED", help="1 is as recorded, 10 faster, 0 all at once."),
    ] = 1.0,
    json_: Json = False,
) -> None:
    """Play a stored unit in the terminal, at the time it was recorded in."""
    from evaluator.playback import replay as play

    play(run, unit, speed, as_json=json_)


@app.command()
def serve(
    agent: TalkingAgent = "rules",
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="CODRIVER_PORT", help="Of the page; 0 is any.")
    ] = 8080,
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    latency_profile: Latency = "cloud_fast",
    seed: Seed = 10,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
) -> None:
    """Show a car and its assistant on a page, and talk to it there."""
    from evaluator.cockpit.command import Show
    from evaluator.cockpit.command import serve as show
    from evaluator.live_options import LiveOptions
    from evaluator.models import ModelOptions

    models = ModelOptions(None, None, prices, base_url)
    options = LiveOptions(
        agent, task, tasks_from, world, broker, latency_profile, seed, gateway_port, agent_token,
        models, motion, motion_hz,
    )  # fmt: skip
    settings, (wish, built) = options.settings(), options.wish_and_world()
    show(Show(settings, built, wish, port))


@app.command()
def play(
    agent: TalkingAgent = "rules",
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    latency_profile: Latency = "cloud_fast",
    seed: Seed = 10,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
) -> None:
    """Drive in the terminal: you type, the assistant answers, Ctrl-D ends it."""
    from evaluator.live_options import LiveOptions
    from evaluator.models import ModelOptions
    from evaluator.terminal.command import Drive
    from evaluator.terminal.command import play as drive

    models = ModelOptions(None, None, prices, base_url)
    options = LiveOptions(
        agent, task, tasks_from, world, broker, latency_profile, seed, gateway_port, agent_token,
        models, motion, motion_hz,
    )  # fmt: skip
    wish, built = options.wish_and_world()
    drive(Drive(options.settings(), built, wish))


@app.command("agent")
def lone_agent(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="null, claims, refuse, openai:MODEL, realtime:MODEL, a2a:URL, or replay:RUN#UNIT.",
        ),
    ],
    gateway: Annotated[
        str, typer.Option(envvar="CODRIVER_GATEWAY", help="The gateway as ws://HOST:PORT.")
    ],
    token: Annotated[
        str | None,
        typer.Option(envvar="CODRIVER_TOKEN", help="Its agent token; better in the environment."),
    ] = None,
    sockets: Annotated[
        int, typer.Option(min=1, envvar="CODRIVER_SOCKETS", help="Sessions at a time.")
    ] = 1,
    latency_profile: Latency = "zero",
    seed: Seed = 10,
    base_url: AgentBaseUrl = None,
    prices: Prices = None,
) -> None:
    """Seat an agent at a gateway that runs elsewhere, until that closes."""
    from evaluator.agent_command import Lone, attend
    from evaluator.models import ModelOptions

    models = ModelOptions(None, None, prices, base_url)
    attend(Lone(agent, gateway, token, sockets, latency_profile, seed, models))


@app.command()
def vehicle(
    broker: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_BROKER",
            help="embedded or mosquitto, open to all on loopback, or mqtt(s)://[user:password@]host.",
        ),
    ] = "embedded",
    broker_port: Annotated[
        int,
        typer.Option(min=0, max=65535, envvar="CODRIVER_BROKER_PORT", help="Of our own; 0 is any."),
    ] = 0,
    vin: Annotated[str, typer.Option(envvar="CODRIVER_VIN", help="Its level in topics.")] = "car-1",
    task: StartOfTask = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    keep_retained: Annotated[
        bool,
        typer.Option(
            "--keep-retained/--no-keep-retained",
            envvar="CODRIVER_KEEP_RETAINED",
            help="Leave its retained topics on the broker.",
        ),
    ] = False,
    motion: Moving = False,
    motion_hz: MotionHz = 1,
    seed: Seed = 10,
    faults: Faults = "none",
    json_: Json = False,
) -> None:
    """Put one car on a broker, for anybody to command, until it is stopped."""
    from evaluator.vehicle_command import LoneCar, park

    car = LoneCar(
        broker, broker_port, vin, task, tasks_from, world, keep_retained, motion, motion_hz, seed,
        faults,
    )  # fmt: skip
    park(car, as_json=json_)


@app.command("mock-llm")
def mock_llm(
    script: Annotated[
        Path | None,
        typer.Option(envvar="CODRIVER_SCRIPT", help="YAML of rules; see docs/mock-llm.md."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(envvar="CODRIVER_AGENT", help="rules: an assistant plays the model."),
    ] = None,
    latency_profile: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_LATENCY_PROFILE",
            help="How slow: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
        ),
    ] = "zero",
    first_token_ms: Annotated[
        float | None,
        typer.Option(
            min=0,
            envvar="CODRIVER_FIRST_TOKEN_MS",
            help="Each answer begins so much later, instead of --latency-profile.",
        ),
    ] = None,
    seed: Seed = 10,
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="CODRIVER_PORT", help="0 is any free one.")
    ] = 0,
    host: Annotated[
        str, typer.Option(envvar="CODRIVER_HOST", help="The address to listen at.")
    ] = "127.0.0.1",
) -> None:
    """Serve an OpenAI-compatible model without one: scripted or by rules; no key, no network."""
    from evaluator.mock_command import MockOptions, serve

    serve(MockOptions(script, agent, latency_profile, first_token_ms, seed, host, port))


@app.command()
def conformance(
    recordings: Annotated[
        list[Path],
        typer.Argument(metavar="RECORDINGS...", help="Recorded public runs: files or folders."),
    ],
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    profile: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_PROFILE", help="car-bench compares whole verdicts too, rule by rule."
        ),
    ] = "codriver",
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    json_: Json = False,
) -> None:
    """Replay recorded public runs over the bus and compare every answer; exit 1 on a difference."""
    from evaluator.conformance import conform

    conform(recordings, tasks_from, world, broker, max_concurrency, profile=profile, as_json=json_)


@app.command()
def bench(
    only: Annotated[
        list[str] | None,
        typer.Option(
            envvar="CODRIVER_ONLY",
            help="One part or key; repeat or separate by comma. Default: everything.",
        ),
    ] = None,
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    broker: Broker = "embedded",
    soak: Annotated[
        float | None,
        typer.Option(min=1, envvar="CODRIVER_SOAK", help="Then play on for so many seconds."),
    ] = None,
    sessions: Annotated[
        int | None,
        typer.Option(min=1, envvar="CODRIVER_SESSIONS", help="Live sessions at a time."),
    ] = None,
    uvloop: Uvloop = False,
    json_: Json = False,
) -> None:
    """Measure this harness on this machine: bus, tool calls, episodes, latencies, memory, …"""
    from evaluator.measuring import measure

    measure(
        *(_split(only), tasks_from, world, broker, soak, sessions), uvloop=uvloop, as_json=json_
    )


@app.command()
def doctor(broker: Broker = "auto", json_: Json = False) -> None:
    """Check what a run needs: broker, ports, limits, ACL, clock."""
    from evaluator.checkup import examine

    examine(broker, as_json=json_)


@tasks_app.command("list")
def list_tasks(
    tasks_from: TasksFrom = None,
    task_type: TaskType = "all",
    task_split: TaskSplit = "all",
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose/--no-verbose", envvar="CODRIVER_VERBOSE", help="Say what is scored."
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """List tasks with type, title and number of expected actions."""
    from evaluator.task_commands import list_all

    list_all(tasks_from, task_type, task_split, verbose=verbose, as_json=json_)


@tasks_app.command("show")
def show_task(task_id: str, tasks_from: TasksFrom = None, json_: Json = False) -> None:
    """Show one task: the driver's script, the start of the car, the expected actions."""
    from evaluator.task_commands import show_one

    show_one(task_id, tasks_from, as_json=json_)


@tasks_app.command("validate")
def validate_tasks(
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    task_ids: TaskIds = None,
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    json_: Json = False,
) -> None:
    """Check task files, then play them: `reference` must pass, `null` and `claims` must fail."""
    from evaluator.task_commands import validate

    validate(tasks_from, world, _split(task_ids), max_concurrency, broker, as_json=json_)


WorldSeed = Annotated[
    int,
    typer.Option(
        "--world-seed",
        "--seed",
        envvar="CODRIVER_WORLD_SEED",
        help="Another seed makes another world; own tasks play in the one of seed 1.",
    ),
]


@world_app.command("build")
def build_world(
    seed: WorldSeed = 1,
    force: Annotated[
        bool,
        typer.Option(
            "--force/--no-force", envvar="CODRIVER_FORCE", help="Build it even if it is there."
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """Build our own world into the cache folder; a run does so by itself when it needs it."""
    from evaluator.world_commands import build_own

    build_own(seed, force=force, as_json=json_)


@world_app.command("info")
def world_info(world: WorldFrom = None, seed: WorldSeed = 1, json_: Json = False) -> None:
    """Say what a world holds, and the checksum of its content: the same on every machine."""
    from evaluator.world_commands import info

    info(world, seed, as_json=json_)


@world_app.command("import")
def import_world(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the public format.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--world-out",
            "--out",
            envvar="CODRIVER_WORLD_OUT",
            help="World file; default: kept in the cache for --world DIR.",
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Read the public benchmark's world, complete or partial, into one file for --world."""
    from evaluator.world_commands import import_public

    import_public(folder, out, as_json=json_)


@world_app.command("places")
def world_places(
    city: Annotated[str, typer.Argument(metavar="CITY", help="Its name or id.")],
    category: Annotated[
        str | None,
        typer.Option(
            envvar="CODRIVER_CATEGORY", help="bakery, charging_stations, …; default: all of them."
        ),
    ] = None,
    world: WorldFrom = None,
    json_: Json = False,
) -> None:
    """List the places of a city with their ids, opening hours and plugs."""
    from evaluator.world_lookup import show_places

    show_places(city, category, world, as_json=json_)


@world_app.command("routes")
def world_routes(
    start: Annotated[str, typer.Argument(metavar="FROM", help="A city, or the id of a place.")],
    destination: Annotated[str, typer.Argument(metavar="TO", help="Likewise.")],
    world: WorldFrom = None,
    json_: Json = False,
) -> None:
    """List the routes between two places with their ids, lengths and tolls."""
    from evaluator.world_lookup import show_routes

    show_routes(start, destination, world, as_json=json_)


def _given(context: typer.Context) -> frozenset[str]:
    """The options that were given, on the command line or in the environment."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source and source.name in GIVEN)


def _split(values: list[str] | None) -> tuple[str, ...]:
    return tuple(part for value in values or () for part in value.split(",") if part)


def main() -> None:
    """Run the command line; a problem becomes one line and an exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        app(standalone_mode=True)
    except Problem as problem:
        print(f"codriver: {problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
