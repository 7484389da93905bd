"""The options of the commands that play: each is a typed field with its default and help text.

Commands, the pytest plug-in and the settings of a bench read them here. Nothing heavy is imported:
`--help` and a pytest that does not use the plug-in load this file.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

if TYPE_CHECKING:
    from assistant_gateway import protocol
    from assistant_gateway.agents.realtime import turn_detection
    from assistant_gateway.conversation import timeouts as timeouts
    from evaluator.scoring import scores
    from evaluator.task.selection import TypeSelection

AGENT = "Agent"
DRIVER = "Driver and judge"
TIME = "Time"
CAR = "Car and faults"
TASKS = "Tasks"
OUTPUT = "Output"
SESSIONS = "Broker and sessions"
SECTIONS = (AGENT, DRIVER, TIME, CAR, TASKS, SESSIONS, OUTPUT)
LLM = "llm:"  # a driver played by the model that follows
PORTS = (0, 65535)
NATURAL = (1, None)
POSITIVE = (0.1, None)
MOST_SESSIONS = 8  # unless more are asked for
SESSIONS_PER_CORE = 2  # in real time: more delay each other so much that latencies are not trusted
Signals = Literal["changes", "all"]
SpeechKind = Literal["text", "audio"]
KeepAudio = Literal["none", "failed", "all"]


@dataclass(frozen=True, slots=True)
class Option:
    """How a value is given on the command line.

    Its flag and its environment variable follow from its name (without `_s` for seconds), unless
    they are given. `section` is a heading of `--help`, `limits` are the least and the greatest
    value. With `argument`, its name in capitals, it is positional and has no flag or variable.
    """

    help: str
    section: str = ""
    flags: tuple[str, ...] = ()
    variable: str = ""
    argument: str = ""
    limits: tuple[float | None, float | None] = (None, None)


JUDGE = Option("Model that decides rules that code cannot, or off.", DRIVER)
PROFILE = Option(
    "Scoring profile: codriver, car-bench exactly as recorded runs were scored, or car-bench-2026 "
    "as it is published today.",
    OUTPUT,
)
RunFolder = Annotated[Path, Option("Run folder.", argument="RUN")]
Json = Annotated[bool, Option("Print one JSON object.", OUTPUT, ("--json",))]
Agent = Annotated[
    str,
    Option(
        "Agent under test: rules, reference, null, claims, refuse, wizard (a person plays it), "
        "ws (your own program), mcp (any MCP client), "
        "openai:MODEL, realtime:MODEL, live:MODEL, a2a:URL, replay:RUN#UNIT, or a course of "
        "`tasks validate` such as foolish:guess or sensible:terse; voice:AGENT speaks for any of "
        "them but ws.",
        AGENT,
    ),
]
AgentWait = Annotated[
    float, Option("Seconds to wait for an agent that connects by itself.", AGENT, limits=POSITIVE)
]
AgentCommand = Annotated[
    str,
    Option(
        "Command that starts your own agent; {url} becomes the address to connect to; implies "
        "--agent ws.",
        AGENT,
    ),
]
BaseUrl = Annotated[
    str | None, Option("URL of the agent's model; default: OPENAI_BASE_URL.", AGENT)
]
UserBaseUrl = Annotated[
    str | None, Option("URL of the driver's model; default: OPENAI_BASE_URL.", DRIVER)
]
JudgeBaseUrl = Annotated[
    str | None, Option("URL of the judge's model; default: OPENAI_BASE_URL.", DRIVER)
]
Prices = Annotated[
    Path | None,
    Option("YAML file of USD per million tokens; missing prices are reported as null.", OUTPUT),
]
TasksFrom = Annotated[
    Path | None, Option("Folder of tasks; default: the tasks that come with codriver.", TASKS)
]
World = Annotated[Path | None, Option("World file or folder; default: that of the tasks.", CAR)]
StartTask = Annotated[str | None, Option("Task that gives the car its start state.", TASKS)]
TaskType = Annotated[
    str, Option("Task type: all, base, hallucination (or limit), disambiguation.", TASKS)
]
TaskSplit = Annotated[str, Option("Task split: all, train or test.", TASKS)]
TaskIds = Annotated[
    tuple[str, ...], Option("Only these task ids; repeat the option or separate by comma.", TASKS)
]
MaxConcurrency = Annotated[int, Option("Sessions at the same time.", SESSIONS, limits=NATURAL)]
Pace = Annotated[
    "protocol.Pace",
    Option("Pace: fast skips waiting, live is real time, virtual is deterministic.", TIME),
]
LatencyProfile = Annotated[
    str,
    Option("Latency of shipped agents: zero, cloud_fast, edge_8b_int4, … or a YAML file.", TIME),
]
SpeechProfile = Annotated[
    str,
    Option("Speech timing profile: typical, on_device, slow_cloud, constant or a YAML file.", TIME),
]
BudgetProfile = Annotated[
    str, Option("Latency budgets: strict (x 0.75), default, lenient (x 1.5) or a YAML file.", TIME)
]
OnHardLimit = Annotated[
    "timeouts.OnHardLimit",
    Option("Reaction to a missed hard limit: record it, nudge the agent, or end the turn.", TIME),
]
Faults = Annotated[
    str,
    Option("Faults of every car: none, flaky, slow_bus, offline_once, lying, or a YAML file.", CAR),
]
Motion = Annotated[
    bool, Option("Cars drive along their active routes; default: only in tasks that say so.", CAR)
]
MotionHz = Annotated[
    int, Option("Position reports per second of a moving car, in real time.", CAR, limits=(1, 10))
]
Broker = Annotated[
    str,
    Option(
        "Broker: auto, embedded, mosquitto, or mqtt(s)://[user:password@]host[:port][?protocol=3.1.1][&ca=FILE];"
        " {worker} in it is the number of the worker.",
        SESSIONS,
    ),
]
BROKER_PORT = Option(
    "Port of our own broker, open to all on loopback; 0 is any.", SESSIONS, limits=PORTS
)
KeepRetained = Annotated[bool, Option("Leave the retained topics of cars on the broker.", SESSIONS)]
Seed = Annotated[int, Option("Random seed.", TASKS)]
On = Annotated[
    str,
    Option(
        "Where workers are: ray://HOST:PORT, ray (RAY_ADDRESS, or the cluster of this machine), "
        "or ray:local (one that is started); default: here. Needs the extra ray.",
        SESSIONS,
    ),
]
Uvloop = Annotated[
    bool, Option("Use uvloop, another event loop; needs the extra uvloop.", SESSIONS)
]
EchoDb = Annotated[
    float | None,
    Option(
        "How loud the assistant's own voice is in the microphone, in dB such as -30; default: not "
        "at all.",
        DRIVER,
        limits=(-80, 0),
    ),
]
Recogniser = Annotated[
    str,
    Option(
        "Recogniser whose errors agents are sent, more of them in noise: off, good, average, poor "
        "or a YAML file.",
        DRIVER,
    ),
]
Speech = Annotated[
    SpeechKind, Option("How drivers speak: text that is timed like speech, or audio.", DRIVER)
]
VoiceCommand = Annotated[
    str | None,
    Option("Command that speaks instead: text on stdin, WAV or raw PCM16 on stdout.", DRIVER),
]
SampleRate = Annotated[
    int,
    Option(
        "Samples per second of the raw PCM16 that --voice-command prints.",
        DRIVER,
        limits=(8000, 48_000),
    ),
]
LeadIn = Annotated[
    int,
    Option(
        "Silence before what voice:AGENT or a mock model says, in ms.", AGENT, limits=(0, 10_000)
    ),
]
Noise = Annotated[str, Option("Noise: off, car, or a WAV file.", DRIVER)]
Snr = Annotated[
    float,
    Option("How much louder speech is than the noise of a file, in dB.", DRIVER, limits=(-40, 60)),
]
Patience = Annotated[
    float | None,
    Option(
        "Seconds to wait for each answer of a slow agent, driver or judge, such as a person; "
        "latencies are then not judged.",
        TIME,
        limits=POSITIVE,
    ),
]
PERSON_AT = ("auto", "page", "terminal")
PersonAt = Annotated[
    str,
    Option(
        "Where a person plays (--agent wizard, --user human): page, terminal, or auto: on a page, "
        "and in the terminal if there is one.",
        SESSIONS,
    ),
]
Out = Annotated[Path | None, Option("Run folder; default: runs/RUN_ID.", OUTPUT)]
Resume = Annotated[
    bool, Option("Finish the run in --out; what is not given is as it was begun.", OUTPUT)
]


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """An agent, and how its model is asked; keys come from the environment alone."""

    agent: Agent
    base_url: BaseUrl = None
    reasoning_effort: Annotated[
        str | None, Option("Reasoning effort for openai:MODEL; such as none, minimal, low.", AGENT)
    ] = None
    temperature: Annotated[float | None, Option("Temperature for openai:MODEL.", AGENT)] = None
    extra_body: Annotated[
        str | None, Option("JSON object with more request fields for openai:MODEL.", AGENT)
    ] = None
    prices: Prices = None
    agent_timeout_s: Annotated[
        float, Option("Seconds that an a2a agent may take for a turn.", AGENT, limits=POSITIVE)
    ] = 240.0
    patience_s: Patience = None
    lead_in_ms: LeadIn = 0
    backend_model: Annotated[
        str, Option("Model that uses the tools behind the voice of live:MODEL.", AGENT)
    ] = ""
    turn_detection: Annotated[
        "turn_detection.TurnDetection",
        Option(
            "How realtime:MODEL that hears the driver knows that he has finished: truth (it is "
            "told), server_vad or semantic_vad (the server finds out).",
            AGENT,
        ),
    ] = "truth"


@dataclass(frozen=True, kw_only=True)
class SessionOptions(ModelOptions):
    """What `run`, `serve` and `play` have in common; agent, broker and profiles differ."""

    broker: Broker
    latency_profile: LatencyProfile
    speech_profile: SpeechProfile
    budget_profile: BudgetProfile = "default"
    on_hard_limit: OnHardLimit = "record"
    tasks_from: TasksFrom = None
    world: World = None
    faults: Faults = "none"
    motion: Motion = False
    motion_hz: MotionHz = 1
    seed: Seed = 10
    gateway_port: Annotated[
        int, Option("Port of the gateway; 0 is any free port.", SESSIONS, limits=PORTS)
    ] = 0
    agent_token: Annotated[
        str | None, Option("Token for --agent ws; default: a new one.", AGENT)
    ] = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class RunOptions(SessionOptions):
    """The options of `codriver run`.

    A scenario file sets `shares`; `given` are the options that are not left at their defaults, by
    name. The client of `codriver mcp` may be at our `stdio`.
    """

    agent: Agent = "reference"
    agent_command: AgentCommand = ""
    user: Annotated[str, Option("Driver: scripted, llm:MODEL or human (a person).", DRIVER)] = (
        "scripted"
    )
    user_base_url: UserBaseUrl = None
    speech: Speech = "text"
    noise: Noise = "off"
    snr: Snr = 15.0
    recogniser: Recogniser = "off"
    echo: EchoDb = None
    voice_command: VoiceCommand = None
    sample_rate: SampleRate = 22_050
    keep_audio: Annotated[
        KeepAudio,
        Option("Units whose sound is kept in the run folder: none, failed or all.", OUTPUT),
    ] = "none"
    task_type: TaskType = "all"
    task_split: TaskSplit = "all"
    task_ids: TaskIds = ()
    num_tasks: Annotated[
        int,
        Option(
            "Number of tasks, drawn by --seed from each type; -1 is all.", TASKS, limits=(-1, None)
        ),
    ] = -1
    num_trials: Annotated[int, Option("Trials of each task.", TASKS, limits=NATURAL)] = 1
    max_concurrency: Annotated[
        int | None,
        Option(
            f"Sessions at the same time; default: {MOST_SESSIONS} for each worker, in real time at "
            f"most {SESSIONS_PER_CORE} per core.",
            SESSIONS,
            limits=NATURAL,
        ),
    ] = None
    workers: Annotated[
        str,
        Option(
            "Processes that play, each with a broker, cars and a gateway of its own: a number, or "
            "auto for as many as pay.",
            SESSIONS,
        ),
    ] = "auto"
    on: On = ""
    shard: Annotated[
        str,
        Option("Part of the units to play, such as 2/8; `codriver merge` joins the parts.", TASKS),
    ] = "1/1"
    uvloop: Uvloop = False
    pace: Pace = "fast"
    latency_profile: LatencyProfile = "zero"
    speech_profile: SpeechProfile = "typical"
    profile: Annotated["scores.Profile", PROFILE] = "codriver"
    broker: Broker = "auto"
    max_requests_per_minute: Annotated[
        int | None,
        Option(
            "Requests to one endpoint (agent, driver, judge) in any minute, of all workers.",
            SESSIONS,
            limits=NATURAL,
        ),
    ] = None
    max_in_flight: Annotated[
        int | None,
        Option(
            "Requests to one endpoint at the same time, of all workers.", SESSIONS, limits=NATURAL
        ),
    ] = None
    max_steps: Annotated[
        int, Option("Agent messages until a session is cut off.", SESSIONS, limits=NATURAL)
    ] = 40
    agent_wait_s: AgentWait = 60.0
    mcp_port: Annotated[
        int | None,
        Option(
            "Port for MCP clients; default: any free port, and for `codriver mcp` none: its client "
            "is at standard input and output.",
            AGENT,
            flags=("--mcp-port", "--port"),
            limits=PORTS,
        ),
    ] = None
    person_at: PersonAt = "auto"
    page_port: Annotated[
        int, Option("Port of the page for a person; 0 is any free port.", SESSIONS, limits=PORTS)
    ] = 0
    signals: Annotated[
        Signals,
        Option("Signals on the bus: changes, or all also at the start.", SESSIONS),
    ] = "changes"
    keep_retained: KeepRetained = False
    out: Out = None
    resume: Resume = False
    judge: Annotated[str, JUDGE] = "off"
    judge_base_url: JudgeBaseUrl = None
    label: Annotated[str, Option("Name of the run for `compare` and the report.", OUTPUT)] = ""
    fail_under: Annotated[
        tuple[str, ...],
        Option(
            "Least shares of tasks, such as solved=0.9,in_time=0.8; exit with 1 if one is not "
            "reached.",
            OUTPUT,
        ),
    ] = ()
    junit: Annotated[
        Path | None, Option("File to write the units to as test cases, in JUnit's XML.", OUTPUT)
    ] = None
    summary: Annotated[
        Path | None,
        Option("File to add a summary in Markdown to, such as $GITHUB_STEP_SUMMARY.", OUTPUT),
    ] = None
    allow_slow_bench: Annotated[
        bool,
        Option("Do not exit with 3 if the bench was too slow to trust its latencies.", OUTPUT),
    ] = False
    scenario: Annotated[
        Path | None,
        Option("File scenario.toml: A2A agent, its start command and tasks; options win.", AGENT),
    ] = None
    shares: "Mapping[str, TypeSelection]" = field(default_factory=dict)
    given: "Mapping[str, Any]" = field(default_factory=dict)
    stdio: bool = False

    @property
    def user_model(self) -> str | None:
        """The model that plays the driver, if one does."""
        return self.user.removeprefix(LLM) or None if self.user.startswith(LLM) else None


@dataclass(frozen=True, kw_only=True)
class McpOptions(RunOptions):
    """The options of `codriver mcp`: a run whose agent is the client that is served."""

    agent: str = "mcp"  # no option here, so that no file and no environment says another one


@dataclass(frozen=True, kw_only=True)
class TalkOptions(SessionOptions):
    """The options of `play`, which `serve` has as well: one car and its assistant."""

    agent: Agent = "rules"
    task: StartTask = None
    vin: Annotated[
        str | None, Option("Name of the car, its level in topics; default: a new one.", CAR)
    ] = None
    broker: Broker = "embedded"
    broker_port: Annotated[int | None, BROKER_PORT] = None
    latency_profile: LatencyProfile = "lpu_fast"
    speech_profile: SpeechProfile = "constant"


@dataclass(frozen=True, kw_only=True)
class ServeOptions(TalkOptions):
    """The options of `codriver serve`: a page, and what is chosen on it at first."""

    agent_b: Annotated[
        str | None,
        Option("Second assistant: the same words side by side, each in a car of its own.", AGENT),
    ] = None
    pace: Pace = "live"
    speech: Speech = "text"
    noise: Noise = "off"
    snr: Snr = 15.0
    voice_command: VoiceCommand = None
    sample_rate: SampleRate = 22_050
    recogniser_command: Annotated[
        str | None,
        Option(
            "Command that writes down what is said into the microphone: WAV of 16 kHz on stdin, "
            "text on stdout.",
            DRIVER,
        ),
    ] = None
    person_at: PersonAt = "auto"
    port: Annotated[
        int, Option("Port of the page; 0 is any free port.", SESSIONS, limits=PORTS)
    ] = 8080
    host: Annotated[
        str,
        Option(
            "Address of the page; 0.0.0.0 lets in other machines that know its token.",
            SESSIONS,
            variable="CODRIVER_SERVE_HOST",
        ),
    ] = "127.0.0.1"
    runs: Annotated[Path, Option("Folder of stored runs that the page shows.", OUTPUT)] = Path(
        "runs"
    )


@dataclass(frozen=True, kw_only=True)
class AgentOptions(ModelOptions):
    """The options of `codriver agent`: an agent and the gateway it serves."""

    agent: Annotated[
        str,
        Option(
            "Agent: rules, null, claims, refuse, openai:MODEL, realtime:MODEL, a2a:URL "
            "or replay:RUN#UNIT.",
            argument="KIND",
        ),
    ]
    gateway: Annotated[str, Option("Address of the gateway: ws://HOST:PORT.", AGENT)]
    token: Annotated[
        str | None, Option("Agent token of the gateway; better in the environment.", AGENT)
    ] = field(default=None, repr=False)
    sockets: Annotated[
        int, Option("Connections to the gateway, one session each.", AGENT, limits=NATURAL)
    ] = 1
    latency_profile: LatencyProfile = "zero"
    seed: Seed = 10

    @property
    def url(self) -> str:
        """Where the gateway is, without the endpoint that may have been named too."""
        return self.gateway.rstrip("/").removesuffix("/agent")


@dataclass(frozen=True, kw_only=True)
class VehicleOptions:
    """The options of `codriver vehicle`: a car and its broker."""

    broker: Broker = "embedded"
    broker_port: Annotated[int, BROKER_PORT] = 0
    vin: Annotated[str, Option("Name of the car, its level in topics.", CAR)] = "car-1"
    task: StartTask = None
    tasks_from: TasksFrom = None
    world: World = None
    keep_retained: KeepRetained = False
    motion: Motion = False
    motion_hz: MotionHz = 1
    seed: Seed = 10
    faults: Faults = "none"
    discovery: Annotated[
        bool, Option("Let Home Assistant on the same broker find the car.", SESSIONS)
    ] = False
    mcp: Annotated[
        int | None,
        Option("Port of an MCP server (HTTP) for the car; 0 is any.", SESSIONS, limits=PORTS),
    ] = None
    viss: Annotated[
        int | None,
        Option(
            "Port of a VISS v2 server (WebSocket) for the car; 0 is any.", SESSIONS, limits=PORTS
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class BridgeOptions:
    """The options of `codriver bridge`: a car on a broker, and where else it is shown."""

    address: Annotated[
        str, Option("Databroker of Eclipse KUKSA: kuksa://HOST:PORT.", argument="ADDRESS")
    ]
    broker: Annotated[
        str,
        Option(
            "Broker that the car is on: mqtt(s)://[user:password@]host[:port].",
            SESSIONS,
            variable="CODRIVER_BRIDGE_BROKER",
        ),
    ] = "mqtt://127.0.0.1:1883"
    vin: Annotated[str, Option("Name of the car.", CAR, variable="CODRIVER_BRIDGE_VIN")] = "car-1"


@dataclass(frozen=True, kw_only=True)
class MockOptions:
    """The options of `codriver mock-llm`: what answers as the model, and how fast."""

    script: Annotated[Path | None, Option("YAML file of rules; see docs/mock-llm.md.")] = None
    agent: Annotated[
        str | None,
        Option("Agent that answers as the model: rules.", variable="CODRIVER_MOCK_LLM_AGENT"),
    ] = None
    latency_profile: Annotated[
        str,
        Option(
            "Latency of the model: zero, cloud_fast, edge_8b_int4, … or a YAML file.",
            variable="CODRIVER_MOCK_LLM_LATENCY_PROFILE",
        ),
    ] = "zero"
    first_token_ms: Annotated[
        float | None,
        Option("Fixed delay of answers in ms, instead of --latency-profile.", limits=(0, None)),
    ] = None
    seed: Seed = 10
    lead_in_ms: LeadIn = 0
    port: Annotated[
        int,
        Option(
            "Port of the model; 0 is any free port.",
            variable="CODRIVER_MOCK_LLM_PORT",
            limits=PORTS,
        ),
    ] = 0
    host: Annotated[str, Option("Address to listen at.")] = "127.0.0.1"
    uvloop: Uvloop = False


@dataclass(frozen=True, kw_only=True)
class SayOptions:
    """The options of `codriver say`: a text, its voice, and the noise around it."""

    text: Annotated[str, Option("What is said.", argument="TEXT")]
    voice: Annotated[
        str, Option("Voice of eSpeak NG: en-us, en-gb-x-rp, de, …; +f2, +m3, … for other speakers.")
    ] = "en-us"
    rate: Annotated[int, Option("Words per minute.", limits=(80, 450))] = 165
    voice_command: VoiceCommand = None
    sample_rate: SampleRate = 22_050
    noise: Noise = "off"
    snr: Snr = 15.0
    speed: Annotated[
        float,
        Option("Speed of the car in km/h.", variable="CODRIVER_SAY_SPEED", limits=(0, 300)),
    ] = 0.0
    window: Annotated[
        float, Option("How far the driver's window is open, in percent.", limits=(0, 100))
    ] = 0.0
    seed: Seed = 10
    out: Annotated[Path, Option("WAV file to write.", variable="CODRIVER_SAY_OUT")] = Path(
        "said.wav"
    )


def option_of(annotation: object) -> Option | None:
    """How a value with this annotation is given on the command line, if it can be."""
    return next((each for each in get_args(annotation) if isinstance(each, Option)), None)


def option_fields(options: type) -> dict[str, "Field[Any]"]:
    """The fields of a dataclass that are options, by name."""
    return {each.name: each for each in fields(options) if option_of(each.type)}
