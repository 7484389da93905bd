"""What sessions in sound cost, and how exactly they are measured: drivers and agents with voices.

Gateway, cars, bus and record are this process; agents and drivers are two others. Each agent gets
the microphone of a car on a motorway all the time, and what it says is known to the sample.
"""

import asyncio
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.sound.cabin import SOURCES, Cabin
from assistant_gateway.sound.gate import Interval, audible
from assistant_gateway.sound.noise import CabinNoise, source_loop
from assistant_gateway.sound.pcm import RATE
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.utterances import DriverSound, Utterances
from assistant_gateway.sound.voice import NoSynthesiser, Synthesiser, Voice, espeak, spoken
from assistant_gateway.sound.word_times import spread
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import MS, SECOND
from evaluator.measuring.rig.percentiles import Percentiles, percentiles
from evaluator.measuring.rig.players import remote_players
from evaluator.measuring.rig.small_talk import play_small_talk
from evaluator.measuring.rig.sound_talk import (
    DELAY_MS,
    Answer,
    SoundTalk,
    play_listening_agents,
    session_id,
    stops_ms,
)
from evaluator.record.record import Record
from evaluator.run.sound import said_folder
from evaluator.run.units import Bench, DrivesSessions, RunSettings, bench
from evaluator.scoring.turn_score import TurnScore
from user_sim.driver import REACTION_MS
from vehicle_bus.world.world import World

BEGIN_WITHIN_S = 3.0
NOTED_WITHIN_S = 10.0
CABIN = Cabin(speed_kmh=100, fan=0.3)
TONES = Synthesiser("tones", ())
TONE_HZ, TONE = 200, 5000
WORD_NS = 60 * SECOND // 165
DRIVER = Voice(name="en-gb-x-rp+f2")
VOICES = ("en-us", "en-us+f5", "en-gb-scotland+f2", "en-gb-x-rp+m3")
QUESTIONS = (
    "How is the car?",
    "What can you tell me about the weather today?",
    "Is there anything else that I should know about?",
)
INTERRUPTION = "Wait a moment, I wanted to know something else."
ANSWERS = (
    "Everything is as it should be, and nothing has to be done.",
    "The sky is clear, and it stays as warm as it is now.",
    "All windows are closed, and the fan is at level two.",
    "Your next meeting begins at ten, on the other side of town.",
    "There is enough charge for the way home and back again.",
    "It takes five more minutes until we are there.",
)


@dataclass(frozen=True, slots=True)
class InSound:
    """Figures of many sessions in sound at once.

    `frame_late_ms` is how late frames of the microphone reached an agent, `wall_per_simulated` how
    long turns took against their plan. CPU time is that of gateway, cars, bus and record.
    """

    sessions: int
    turns: int
    voice: str
    harness_error_ms: Percentiles
    excluded_turns: int
    frame_late_ms: Percentiles
    wall_per_simulated: float
    cpu_ms_per_session_s: float
    sessions_per_core: int
    lead_in_0_error_ms: Percentiles
    lead_in_120_error_ms: Percentiles
    lead_in_480_error_ms: Percentiles
    barge_stop_error_ms: Percentiles


async def sound(settings: RunSettings, world: World, *, sessions: int, turns: int) -> InSound:
    """Sessions of so many turns, all at once; the last answer but one is interrupted."""
    late_ns: list[int] = []
    noted = asyncio.Semaphore(0)

    def note(line: bytes) -> None:
        late_ns.extend(orjson.loads(line)["late_ns"])
        noted.release()

    with TemporaryDirectory(prefix="codriver-bench-") as folder:
        voice, answers, utterances = await _voices(Path(folder))
        interrupted = Answer(" ".join(ANSWERS[:2]), _tones(" ".join(ANSWERS[:2])).samples)
        talk = SoundTalk(answers, interrupted, QUESTIONS, INTERRUPTION)
        for source in SOURCES:
            source_loop(source)
        async with (
            bench(settings, world) as up,
            remote_players(up, talk, sessions, play_listening_agents, note) as drivers,
        ):
            with without_long_pauses():
                began_s = time.process_time()
                records = await _records(up, drivers, utterances, sessions, turns)
                cpu_s = time.process_time() - began_s
            async with asyncio.timeout(NOTED_WITHIN_S):
                for _ in records:
                    await noted.acquire()
    return _figures(voice, talk, utterances, records, late_ns, cpu_s)


async def _records(
    up: Bench, drivers: DrivesSessions, utterances: Utterances, sessions: int, turns: int
) -> list[Record]:
    speech = Speech(speech_profile("constant"), said=utterances)

    async def play(number: int) -> Record:
        await asyncio.sleep(number * BEGIN_WITHIN_S / sessions)
        sid = session_id(number, turns)
        noise = CabinNoise(CABIN, sid)
        plan = SessionPlan(
            *(sid, sid), speech=speech, sound=DriverSound(utterances, lambda _: noise)
        )
        return await play_small_talk(up, sid, turns, drivers, plan=plan)

    async with asyncio.TaskGroup() as tasks:
        played = [tasks.create_task(play(number)) for number in range(sessions)]
    return [each.result() for each in played]


# --- voices


async def _voices(folder: Path) -> tuple[str, Sequence[Answer], Utterances]:
    """The name of who speaks, what agents say, and drivers of whom all is spoken already.

    Where nothing is installed that speaks, words are tones.
    """
    try:
        voice = await espeak()
    except NoSynthesiser:
        voice = TONES
        for text in (*QUESTIONS, INTERRUPTION, *ANSWERS):
            for name in (DRIVER, *_answering()):
                (folder / f"{voice.key(text, name)}.sound").write_bytes(_tones(text).to_bytes())
    else:
        folder = said_folder()
    utterances = Utterances(DRIVER, voice, folder)
    for text in (*QUESTIONS, INTERRUPTION):
        await utterances.prepare(text)
    answers = [
        _answer(text, await spoken(text, name, voice, folder))
        for text in ANSWERS
        for name in _answering()
    ]
    return voice.name, answers, utterances


def _answering() -> Iterator[Voice]:
    yield from (Voice(name=name, words_per_minute=175) for name in VOICES)


def _answer(text: str, said: Sound) -> Answer:
    """From the first to the last sound, as the synthesis tells them."""
    begin, end = (ns * RATE // SECOND for ns in (said.words[0].begins_ns, said.ends_ns))
    return Answer(text, said.samples[begin:end])


def _tones(text: str) -> Sound:
    words = text.split()
    whole = Interval(0, len(words) * WORD_NS)
    period = RATE // TONE_HZ
    wave = [TONE if place < period // 2 else -TONE for place in range(period)]
    samples = array("h", wave * (whole.ends_ns * RATE // SECOND // period))
    return Sound(samples, tuple(spread(words, whole)))


# --- figures


def _figures(
    voice: str,
    talk: SoundTalk,
    utterances: Utterances,
    records: Sequence[Record],
    late_ns: Sequence[int],
    cpu_s: float,
) -> InSound:
    turns = [TurnScore.of(turn) for record in records for turn in record.turns]
    session_s = sum(record.end.t_ns for record in records if record.end) / SECOND
    planned = [each for record in records for each in _turn_lengths(record, talk, utterances)]
    cpu_ms = 1000 * cpu_s / session_s
    errors = _lead_in_errors_ns(records, talk)
    stop_errors_ns = [
        abs(stop_ns - stops_ms(record.vin) * MS)
        for record in records
        for turn in record.turns
        if (stop_ns := turn.spans.get("barge_stop")) is not None
    ]
    return InSound(
        sessions=len(records),
        turns=len(turns),
        voice=voice,
        harness_error_ms=percentiles([round(turn.harness_error_ms * MS) for turn in turns], MS),
        excluded_turns=sum(turn.excluded for turn in turns),
        frame_late_ms=percentiles(late_ns, MS),
        wall_per_simulated=round(
            sum(took_ns for took_ns, _ in planned) / sum(plan_ns for _, plan_ns in planned), 4
        ),
        cpu_ms_per_session_s=round(cpu_ms, 2),
        sessions_per_core=int(1000 / cpu_ms),
        lead_in_0_error_ms=percentiles(errors.get(0, ()), MS),
        lead_in_120_error_ms=percentiles(errors.get(120, ()), MS),
        lead_in_480_error_ms=percentiles(errors.get(480, ()), MS),
        barge_stop_error_ms=percentiles(stop_errors_ns, MS),
    )


def _lead_in_errors_ns(records: Iterable[Record], talk: SoundTalk) -> Mapping[int, list[int]]:
    errors: dict[int, list[int]] = {}
    for record in records:
        for turn in record.turns:
            _, lead_in_ms = talk.answer(record.vin, turn.turn)
            found_ns = turn.spans.get("lead_in")
            if found_ns is not None:
                errors.setdefault(lead_in_ms, []).append(abs(found_ns - lead_in_ms * MS))
    return errors


def _turn_lengths(
    record: Record, talk: SoundTalk, utterances: Utterances
) -> Iterator[tuple[int, int]]:
    """How long each turn took that is not interrupted and interrupts none, and was to take."""
    begin_ns: int | None = 0
    reaction_ms = 0  # the driver begins at once
    for turn in record.turns:
        if begin_ns is not None and turn.handed_over:
            answer, lead_in_ms = talk.answer(record.vin, turn.turn)
            waits_ns = (reaction_ms + DELAY_MS + lead_in_ms) * MS + (turn.spans["eou_delay"] or 0)
            asks_ns = utterances.words_end_ns(turn.heard_user)[-1]
            answers_ns = audible(answer.samples)[-1].ends_ns
            yield turn.t_ns - begin_ns, waits_ns + asks_ns + answers_ns
        begin_ns, reaction_ms = turn.t_ns if turn.handed_over else None, REACTION_MS
