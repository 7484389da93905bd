"""The cockpit: what was chosen is played in its cars, when and as long as a page wants it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Literal

import orjson

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.server import NoAgent
from assistant_gateway.sound.live_input import LiveInput
from assistant_gateway.sound.pcm import Samples
from evaluator.cockpit.about import CatalogRead, StageReached, StillArmed, about
from evaluator.cockpit.bus_log import BusLog
from evaluator.cockpit.car.view import CarView
from evaluator.cockpit.driver_queue import DriverQueue, SpokenWords
from evaluator.cockpit.explained import explained
from evaluator.cockpit.lane import Lane
from evaluator.cockpit.messages import (
    AnyMessage,
    Choice,
    EndTask,
    HangUp,
    HealFaults,
    InjectFault,
    InterruptSpeech,
    PauseTime,
    RestartAll,
    SayWords,
    SetMotion,
    StartTime,
    TakeWheel,
    TurnKnob,
)
from evaluator.cockpit.scenario import (
    DEMO_TASK,
    LANES,
    LiveScenario,
    choices,
    chosen_options,
    scenario,
)
from evaluator.cockpit.sound_socket import SoundOfCars
from evaluator.cockpit.spectator import Trouble
from evaluator.cockpit.viewers import Message, Tab, Viewers
from evaluator.live import ConversationBroken, Feed, LiveBench, LiveCar, LiveSettings, live_bench
from evaluator.live.settings import talk_settings
from evaluator.options import ServeOptions
from evaluator.person.seat import NotAccepted
from evaluator.person.wizard_seat import WizardSeat
from evaluator.problems import Problem
from evaluator.record.record import Entry, State
from evaluator.run.agents import named
from evaluator.run.servers import broker_of
from evaluator.run.sound import RunSound, run_sound
from evaluator.task.listing import TaskLine, task_lines
from evaluator.task.task import Task
from evaluator.views.captions import MAIN_TYPES, caption
from vehicle_bus.background_tasks import alone, background
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.contract import Topics
from vehicle_bus.world.world import World

PLURALS = {
    "agent": "agents",
    "latency_profile": "latency_profiles",
    "speech_profile": "speech_profiles",
    "budget_profile": "budget_profiles",
    "pace": "paces",
    "faults": "faults",
}
NOBODY_HEARS = (
    "This assistant reads: --recogniser-command names a program that writes down what you say."
)
LISTENING = frozenset({"ws", "realtime"})  # kinds of agents that may hear
UNSEEN = 10_000  # messages of the bus that may wait

Stage = Literal["ready", "running", "paused", "ending", "over"]


class Cockpit:
    """Plays one scenario after the other; carries out one action of the driver after the other."""

    def __init__(
        self,
        options: ServeOptions,
        world: World,
        address: BrokerAddress,
        start: State,
        voices: RunSound | None = None,
    ) -> None:
        self.viewers = Viewers(self._about)
        self.up = asyncio.Event()
        self.lanes: list[Lane] = []
        self.state: Stage = "ready"
        self.bus = BusLog(Topics(address.prefix))
        self.wizard = WizardSeat()
        self.sound = SoundOfCars()
        self.recogniser = options.recogniser_command
        self._voices = voices
        self._choices = choices(options)
        self._world = world
        self._address = address
        self._start_values = start
        self._scenario = scenario(options, world, start)
        self._actions = DriverQueue()
        self._restart = asyncio.Event()
        self._healed = False  # no fault of the scenario waits any more
        self._catalog: orjson.Fragment | None = None  # large, and the same in every greeting

    @property
    def car(self) -> LiveCar:
        """The car of the first assistant."""
        return self.lanes[0].car

    def _about(self) -> Message:
        """What a page has to know of the present; `latest` are messages that end the history."""
        lanes = [each.about for each in self.lanes]
        values = self.lanes[0].values if self.lanes else {}
        catalog = {"catalog": self._catalog} if self._catalog else {}
        playing: Message = {"state": self.state, "lanes": lanes, "values": values}
        playing["heard"] = self._voices is not None
        if self._healed:
            playing["armed"] = []
        if self._address.access is None:
            playing["client_options"] = self._address.client_options
        latest = [message for each in self.lanes for message in each.latest]
        chosen = about(self._scenario, self._world).model_dump()
        return {**chosen, **playing, **catalog, "latest": latest}

    # --- what pages want

    async def receive(self, tab: Tab, message: AnyMessage) -> None:
        """Carry out what a page wants; a refusal goes to that page alone."""
        try:
            if isinstance(message, TakeWheel):
                self.viewers.take(tab)
            elif not self.viewers.drives(tab):
                raise NotAccepted("Another tab is the driver; take over first.")
            else:
                await self._receive(message)
        except (NotAccepted, Problem, ValueError, LookupError) as refused:
            tab.tell({**Trouble(str(refused)).fields(), "refused": message.kind})

    async def _receive(self, message: AnyMessage) -> None:
        match message:
            case EndTask():
                self._end_at_once(message)
            case SayWords() | HangUp() | StartTime() | PauseTime():
                self._refuse_while_ending()
                if not self._actions.add(message):
                    raise NotAccepted("Too many messages are waiting; listen first.")
            case InterruptSpeech(text=text):
                if text is not None:
                    self._refuse_while_ending()
                    self._actions.add_first(SayWords(kind="say", text=text))
                for each in self.lanes:
                    each.voice.interrupt()
            case TurnKnob() | InjectFault() | HealFaults() | SetMotion():
                for each in self.lanes:
                    await each.do(message)
                if isinstance(message, HealFaults):
                    self._healed = True
                    self.viewers.publish(StillArmed().fields(), lasting=False)
            case RestartAll():
                self._restart.set()
            case Choice():
                await self._choose(message)

    # --- a person at a microphone

    async def begin_speech(self) -> None:
        """Somebody begins to speak, over the assistant if it has its turn; raises `NotAccepted`."""
        self._refuse_while_ending()
        if self.recogniser is None and any(
            named(each.agent)[0] not in LISTENING for each in self.lanes
        ):
            raise NotAccepted(NOBODY_HEARS)
        if self.state == "paused":
            raise NotAccepted("Paused; press start to go on.")
        self._start()
        listening = [each for each in self.lanes if each.voice.listens]
        for each in listening:
            each.voice.interrupt()
        others = [each for each in self.lanes if each not in listening]
        await self._each_lane(lambda lane: lane.car.begin_speech(), others)

    def hear(self, samples: Samples) -> None:
        """What somebody says, for assistants that listen."""
        for each in self.lanes:
            each.person.add(samples)

    def end_speech(self, text: str, ended_ns: int) -> None:
        """What was said, and when it ended."""
        self._actions.add_first(SpokenWords(text, ended_ns))

    def _refuse_while_ending(self) -> None:
        if self.state == "ending":
            raise NotAccepted("The task is ending; nothing more is said.")

    def _end_at_once(self, end: EndTask) -> None:
        """End the task now: the assistant is cut off, and what waits is not said any more."""
        self._refuse_while_ending()
        if end.word not in self._scenario.control_words:
            raise NotAccepted(f"This task does not end with {end.word}.")
        if self.state == "ready":
            raise NotAccepted("Nothing has been said yet that could be ended.")
        if all(each.judged for each in self.lanes):
            raise NotAccepted("The task is over; Restart plays it again.")
        self._actions.replace(end)
        self._announce("ending")
        for each in self.lanes:
            each.voice.interrupt()

    async def apply_address(self, tab: Tab, settings: Choice) -> None:
        """Choose the settings in the address of a page, if nothing has been started yet."""
        given = settings.given
        chosen = self._scenario.chosen
        new = any(getattr(chosen, name) != value for name, value in given.items())
        if new and self.state == "ready" and self.viewers.drives(tab):
            await self.receive(tab, settings)

    async def _choose(self, choice: Choice) -> None:
        options = chosen_options(self._scenario.options, choice.given, self._choices)
        self._scenario = await asyncio.to_thread(scenario, options, self._world, self._start_values)
        self._restart.set()

    # --- what is played

    async def run(self) -> None:
        """Play what is chosen; assistants stay connected until others are chosen."""
        good: LiveScenario | None = None
        while True:
            playing = self._scenario
            try:
                async with self._benches(playing) as benches:
                    good = playing
                    while self._scenario.agents == playing.agents:
                        await self._play(benches)
            except (Problem, NoAgent, ModelUnusable) as error:
                if good is None or good is playing:
                    raise
                self.viewers.publish(Trouble(str(error)).fields())
                self._scenario = good

    @asynccontextmanager
    async def _benches(self, playing: LiveScenario) -> AsyncIterator[list[LiveBench]]:
        async with AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(
                    live_bench(self._seated(settings), self._world, self._address)
                )
                for settings in playing.benches
            ]

    def _seated(self, settings: LiveSettings) -> LiveSettings:
        """The settings of a bench, with the seat of the person who may be its agent."""
        agent = replace(settings.agent, desk=self.wizard)
        return replace(settings, agent=agent, sound=self._voices, hears_cars=bool(self._voices))

    async def _play(self, benches: list[LiveBench]) -> None:
        """Place the cars, and let pages use them until everything is to begin anew."""
        playing, self._actions, self._healed = self._scenario, DriverQueue(), False
        self._restart.clear()
        self.lanes = []
        async with AsyncExitStack() as stack:
            feeds = []
            for name, bench, settings in zip(LANES, benches, playing.benches, strict=False):
                vin = playing.request.vin
                request = replace(
                    playing.request,
                    vin=f"{vin}-b" if name == "b" else vin,
                    listener=partial(self.sound.listener, name),
                    person=(person := LiveInput()),
                )
                at = replace(bench, settings=self._seated(settings))
                car = await stack.enter_async_context(at.car(request, waits=True))
                view = CarView(car, self._world, request.setup, settings.faults)
                agent, tell = settings.agent.name, self.viewers.publish
                self.lanes.append(Lane(name, agent, car, view, self._world, tell, person))
                feeds.append(stack.enter_context(car.observer.feed(UNSEEN)))
                for entry in car.observer.since().entries:
                    self._take(self.lanes[-1], entry)
            self._announce("ready")
            self.viewers.begin()
            self.up.set()
            await self._until_restart(feeds)

    async def _until_restart(self, feeds: list[Feed[Entry]]) -> None:
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(self._watch(each, feed), name=f"watch {each.name}")
                for each, feed in zip(self.lanes, feeds, strict=True)
            ]
            if (played := self._scenario.request.task) is not None:
                running += [
                    tasks.create_task(self._judge(each, played), name=f"judge {each.name}")
                    for each in self.lanes
                ]
            running.append(tasks.create_task(self._carry_out(), name="actions of the driver"))
            await self._restart.wait()
            for task in running:
                task.cancel()

    # --- the actions of the driver

    async def _carry_out(self) -> None:
        """Carry out one action after the other."""
        while True:
            match await self._actions.next():
                case SayWords(text=text):
                    await self._say(text)
                case SpokenWords(text, ended_ns):
                    await self._say(text, ended_ns)
                case HangUp():
                    await self._each_lane(lambda lane: lane.car.new_conversation())
                case EndTask(word=word, reason=reason):
                    await self._end(word, reason)
                case StartTime():
                    self._start()
                case PauseTime() if self.state == "running":
                    for each in self.lanes:
                        each.car.stop_time()
                    self._announce("paused")

    async def _say(self, text: str, ended_ns: int | None = None) -> None:
        if self.state == "paused":
            self.viewers.publish(Trouble("Paused; press start to go on.").fields(), lasting=False)
            return
        self._start()
        await self._each_lane(lambda lane: lane.voice.say(text, ended_ns))

    async def _end(self, word: str, reason: str) -> None:
        """End each conversation that is not over; one that cannot be ended goes on."""
        talking = [each for each in self.lanes if not each.judged]
        if not await self._each_lane(lambda lane: lane.car.end_conversation(word, reason), talking):
            self._announce("running")

    def _start(self) -> None:
        for each in self.lanes:
            if self.state == "ready":
                each.car.start_time()
            each.car.go_on()
        if self.state != "running":
            self._announce("running")

    async def _each_lane(
        self, do: Callable[[Lane], Awaitable[None]], lanes: Sequence[Lane] | None = None
    ) -> bool:
        """Do the same for these lanes, or for all, at the same time; pages are told what fails.

        True if nothing failed.
        """

        async def succeeds(lane: Lane) -> bool:
            try:
                await do(lane)
            except (ConversationBroken, NoAgent) as error:
                lane.tell(Trouble(str(error)))
                return False
            return True

        async with asyncio.TaskGroup() as tasks:
            doing = [
                tasks.create_task(succeeds(each), name=f"driver of {each.name}")
                for each in (self.lanes if lanes is None else lanes)
            ]
        return all(each.result() for each in doing)

    # --- what pages are told

    def _announce(self, state: Stage) -> None:
        self.state = state
        chosen = self._scenario.chosen.model_dump()
        self.viewers.publish(StageReached(state, chosen).fields(), lasting=False)
        for each in self.lanes:
            if each.verdict is not None:
                each.tell(each.verdict)

    async def _watch(self, of: Lane, feed: Feed[Entry]) -> None:
        async for entry in feed:
            self._take(of, entry)

    def _take(self, of: Lane, entry: Entry) -> None:
        """Show a message of the bus."""
        self.bus.put(of.name, of.car.vin, entry)
        of.take(entry)

    async def _judge(self, of: Lane, task: Task) -> None:
        """Tell the verdict at the beginning, after each turn and event, until the task is over."""
        while not await of.judge(task):
            await of.to_judge.wait()
            of.to_judge.clear()
        if all(each.judged for each in self.lanes):
            self._announce("over")

    async def read_catalog(self) -> None:
        """Tell the pages what can be chosen, once there is somebody to choose it."""
        await self.viewers.opened.wait()
        tasks = await asyncio.to_thread(task_lines, self._scenario.options.tasks_from)
        listed = {PLURALS[name]: values for name, values in self._choices.items()}
        named = [{**line.model_dump(), **_kinds(line)} for line in tasks]
        catalog = {
            "tasks": named,
            "demo": DEMO_TASK,
            **listed,
            "explained": explained(self._choices),
        }
        self._catalog = orjson.Fragment(orjson.dumps(catalog))
        self.viewers.publish(CatalogRead(self._catalog).fields(), lasting=False)


def _kinds(line: TaskLine) -> Message:
    """Type and subject of a task, in words."""
    return {name: caption(MAIN_TYPES, getattr(line, name)) for name in ("type", "subject")}


@asynccontextmanager
async def cockpit(
    options: ServeOptions, world: World, start: State | None = None
) -> AsyncIterator[Cockpit]:
    """Entered means that the cars are placed, and wait; raises `Problem`.

    `start` are single values of every car at its beginning.
    """
    fixed = replace(
        options,
        vin=options.vin or f"live-{secrets.token_hex(4)}",
        agent_token=options.agent_token or secrets.token_urlsafe(16),
    )
    with alone():
        async with broker_of(talk_settings(fixed)) as address:
            opened = Cockpit(fixed, world, address, start or {}, await run_sound(fixed))
            async with (
                background(opened.run(), "cockpit"),
                background(opened.read_catalog(), "catalog"),
            ):
                await opened.up.wait()
                yield opened
