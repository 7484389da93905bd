"""`demo` and `run`: tasks are played."""

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import (
    Agent,
    AgentBaseUrl,
    AgentTimeout,
    AgentToken,
    Broker,
    BudgetProfile,
    ExtraBody,
    Faults,
    GatewayPort,
    Json,
    JudgeBaseUrl,
    KeepRetained,
    Latency,
    MaxConcurrency,
    MotionHz,
    Moving,
    NumTasks,
    NumTrials,
    OnHardLimit,
    Out,
    Pace,
    Prices,
    Profile,
    ReasoningEffort,
    Resume,
    Seed,
    SpeechProfile,
    TaskIds,
    TasksFrom,
    TaskSplit,
    TaskType,
    Temperature,
    User,
    UserBaseUrl,
    Uvloop,
    WorldFrom,
    separated,
)

GIVEN = ("COMMANDLINE", "ENVIRONMENT")


def demo(
    agent: Agent = "rules",
    pace: Pace = "fast",
    latency_profile: Latency = "cloud_fast",
    max_concurrency: MaxConcurrency = 4,
    broker: Broker = "embedded",
    out: Out = None,
    resume: Resume = False,
    json_: Json = False,
) -> None:
    """Play the showcase: a dozen tasks, no key, no network."""
    from evaluator.commands.run import conduct
    from evaluator.run.campaign import RunOptions
    from evaluator.task.showcase import SHOWCASE

    conduct(
        RunOptions(
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
    max_steps: Annotated[
        int,
        typer.Option(
            min=1, envvar="CODRIVER_MAX_STEPS", help="Agent messages before a session is cut."
        ),
    ] = 40,
    agent_wait: Annotated[
        float,
        typer.Option(
            min=0.1,
            envvar="CODRIVER_AGENT_WAIT",
            help="Seconds to wait for --agent ws, or for the agent that a scenario starts.",
        ),
    ] = 60.0,
    agent_timeout: AgentTimeout = 240.0,
    gateway_port: GatewayPort = 0,
    agent_token: AgentToken = None,
    signals: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_SIGNALS",
            help="Which signals are told: changes, or all at the start as well.",
        ),
    ] = "changes",
    keep_retained: KeepRetained = False,
    out: Out = None,
    judge: Annotated[
        str,
        typer.Option(
            envvar="CODRIVER_JUDGE", help="The model that decides what code cannot, or off."
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
    from evaluator.commands.run import conduct
    from evaluator.run.agents import check_simulated
    from evaluator.run.campaign import RunOptions
    from evaluator.run.models import ModelOptions, agent_options

    options = agent_options(reasoning_effort, temperature, extra_body)
    campaign = RunOptions(
        agent=agent,
        user=user,
        tasks_from=tasks_from,
        world=world,
        task_type=task_type,
        task_split=task_split,
        task_ids=separated(task_ids),
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
        from evaluator.run.scenario import under_scenario

        campaign = under_scenario(campaign, scenario, _given(context))
    check_simulated(campaign.agent, latency_profile)
    conduct(campaign, as_json=json_)


def _given(context: typer.Context) -> frozenset[str]:
    """The options that were given, on the command line or in the environment."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source and source.name in GIVEN)
