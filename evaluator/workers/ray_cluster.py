"""Workers on a Ray cluster: actors that are asked, watched, and given up by us alone.

Ray finds a node, starts the actor there and carries messages. It restarts and repeats nothing: a
chunk whose worker is lost goes back to the others, and what comes of it later is dropped.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, redirect_stdout
from importlib import import_module
from importlib.metadata import version
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, UsageProblem, installed, missing_extra
from evaluator.run.keeping import PackedUnit
from evaluator.run.settings import cores_here
from evaluator.run.units import Unit
from evaluator.task.worlds import world_checksum
from evaluator.workers.campaign import Campaign, campaign_of, chunk_patience_s
from evaluator.workers.crew import Keep, Worker, WorkerCrew, WorkerLost
from evaluator.workers.messages import WorkerFailed
from evaluator.workers.ray_actor import Node, RayWorker
from evaluator.workers.sizes import AUTO, most_workers, sessions_of

LOCAL, CLIENT = "ray:local", "ray://"
CONNECT_S = 60
NOBODY_S = 120  # without any worker
SILENT_S = 15
LATE_S = 60  # how long something may still come of a worker that was lost
TRIES = 3  # to connect as a client
OBJECTS_BYTES = 100 << 20
# A name of a service behind each kind of address; who asks without a token has to be refused.
ASKED_AT_CLIENT = "/ray.rpc.RayletDriver/ClusterInfo"
ASKED_AT_GCS = "/ray.rpc.NodeInfoGcsService/CheckAlive"
ADVICE = (
    "start it with RAY_AUTH_MODE=token (Ray 2.52 or newer), and set RAY_AUTH_MODE=token and "
    "RAY_AUTH_TOKEN here"
)


def check_on(options: RunOptions) -> None:
    """Raises `UsageProblem` for a place where nothing can be played."""
    given = options.on
    if not given:
        return
    if given not in ("ray", LOCAL) and not (given.startswith(CLIENT) and _address(given)):
        raise UsageProblem(f"--on is one of ray, {LOCAL}, ray://HOST:PORT, not {given!r}")
    if not installed("ray"):
        raise missing_extra("--on ray", "ray")
    if "://" in options.broker and "@" in options.broker:
        raise UsageProblem(
            "--on ray: a broker's password would travel to all nodes; name a broker without one, "
            "or leave --broker out: each worker then has its own"
        )


def _address(given: str) -> str:
    """HOST:PORT of `ray://HOST:PORT`; empty if it is none."""
    try:
        parts = urlsplit(given)
        return f"{parts.hostname}:{parts.port}" if parts.hostname and parts.port else ""
    except ValueError:
        return ""


@asynccontextmanager
async def crew_on_ray(options: RunOptions, run_id: str) -> AsyncIterator[WorkerCrew]:
    """Workers of a cluster, which is left as it was when the block ends."""
    with redirect_stdout(StringIO()):  # Ray prints there what happens to nodes
        async with _crew(options, run_id) as crew:
            yield crew


@asynccontextmanager
async def _crew(options: RunOptions, run_id: str) -> AsyncIterator[WorkerCrew]:
    ray = await asyncio.to_thread(connected, options.on, options.workers)
    try:
        cpus = int((await asyncio.to_thread(ray.cluster_resources)).get("CPU", 0))
        workers = min(most_workers(options), max(1, cpus))
        if options.workers != AUTO:
            workers = int(options.workers)
        async with asyncio.TaskGroup() as endings:
            cluster = RayCluster(ray, options, run_id, workers, endings)
            sessions, patience_s = max(cluster.sessions), chunk_patience_s(options)
            yield WorkerCrew(cluster.open_worker, workers, sessions, patience_s, cluster.hosts)
            cluster.leave()
    finally:
        await asyncio.to_thread(ray.shutdown)


def connected(on: str, workers: str) -> Any:
    """Ray, connected to the cluster; raises `Problem`. Blocks for seconds."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    logging.getLogger("ray").setLevel(logging.ERROR)
    more: dict[str, Any] = {}
    if on == LOCAL:
        if os.environ.setdefault("RAY_AUTH_MODE", "token") != "token":
            raise UsageProblem(
                f"--on {LOCAL} starts no cluster without a token: unset RAY_AUTH_MODE"
            )
        number = cores_here() if workers == AUTO else int(workers)
        more = {"num_cpus": number, "object_store_memory": OBJECTS_BYTES}
        more |= {"include_dashboard": False}
        address = "local"
    else:
        address = on if on.startswith(CLIENT) else os.environ.get("RAY_ADDRESS", "auto")
        _refuse_without_token(on, address)
    ray = import_module("ray")
    try:
        join(ray, address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except Exception as error:  # whatever kind Ray chooses
        raise InfraProblem(f"--on {on}: no Ray can be used there: {_first_line(error)}") from error
    return ray


def join(ray: Any, address: str, **more: Any) -> None:
    """Connect; a cluster too busy to start its server for a client in time is asked again."""
    for _ in range(TRIES - 1):
        try:
            ray.init(address, **more)
        except ConnectionAbortedError:
            ray.shutdown()
        else:
            return
    ray.init(address, **more)


def _refuse_without_token(on: str, address: str) -> None:
    """Whoever reaches a cluster without a token may run any program on it."""
    if address.startswith(CLIENT):
        place, service = _address(address), ASKED_AT_CLIENT
    else:
        place, service = _gcs(address), ASKED_AT_GCS
    if not demands_token(place, service):
        raise UsageProblem(f"--on {on}: the cluster lets everybody in: {ADVICE}")
    if os.environ.get("RAY_AUTH_MODE") != "token":
        raise UsageProblem(
            f"--on {on}: the cluster wants a token: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN "
            "(or RAY_AUTH_TOKEN_PATH)"
        )


def _gcs(address: str) -> str:
    if address != "auto":
        return address
    services = import_module("ray._private.services")
    found = sorted(services.find_gcs_addresses())
    if not found:
        raise InfraProblem(
            "--on ray: no Ray cluster runs on this machine; set RAY_ADDRESS, or use --on ray:local"
        )
    return str(found[0])


def demands_token(place: str, service: str) -> bool:
    """Whether a cluster refuses who asks without a token; raises `InfraProblem` if none answers."""
    grpc = import_module("grpc")
    with grpc.insecure_channel(place) as channel:
        try:
            channel.unary_unary(service)(b"", timeout=CONNECT_S, wait_for_ready=False)
        except grpc.RpcError as error:
            code = error.code()
            if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise InfraProblem(f"no Ray cluster answers at {place}") from error
            return code is grpc.StatusCode.UNAUTHENTICATED
    return False


class RayCluster:
    """A cluster that this run is connected to."""

    def __init__(
        self, ray: Any, options: RunOptions, run_id: str, workers: int, endings: asyncio.TaskGroup
    ) -> None:
        self.sessions = sessions_of(options, workers, cores=workers)
        self._ray, self._options, self._run_id = ray, options, run_id
        self._endings = endings
        self.hosts = set[str]()
        self._leaving: list[asyncio.Task[None]] = []
        self._up = 0
        self._kind = ray.remote(RayWorker)
        self._world = world_checksum(options.tasks_from, options.world)

    def leave(self) -> None:
        for each in self._leaving:
            each.cancel()

    def open_worker(self, number: int, late: Keep) -> AbstractAsyncContextManager[Worker]:
        sessions = self.sessions[number - 1]
        workers = len(self.sessions)
        campaign = campaign_of(self._options, self._run_id, number, workers, sessions)
        return self._worker(campaign, late)

    @asynccontextmanager
    async def _worker(self, campaign: Campaign, late: Keep) -> AsyncIterator["RayActor"]:
        kind = self._kind.options(num_cpus=1, max_restarts=0, max_task_retries=0)
        worker = RayActor(self._ray, kind.remote(campaign))
        try:
            self._check(await self._begun(worker))
            self._up += 1
            try:
                yield worker
            finally:
                self._up -= 1
        finally:
            if worker.lost:
                drain = worker.drain(late)
                self._leaving.append(self._endings.create_task(drain, name="drain"))
            else:
                worker.kill()

    async def _begun(self, worker: "RayActor") -> Node | WorkerFailed:
        """Once it is up, however long that takes while others play."""
        beginning = asyncio.create_task(worker.up(), name="a worker begins")
        nobody_s = 0
        try:
            while nobody_s < NOBODY_S:
                done, _ = await asyncio.wait({beginning}, timeout=1)
                if done:
                    return await beginning
                nobody_s = 0 if self._up else nobody_s + 1
        finally:
            beginning.cancel()
        raise InfraProblem(
            f"--on {self._options.on}: no worker was up within {NOBODY_S} s; is a CPU free, and "
            "codriver installed on the nodes?"
        )

    def _check(self, node: Node | WorkerFailed) -> None:
        if isinstance(node, WorkerFailed):
            raise node.error
        here = version("codriver")
        if node.codriver != here:
            raise UsageProblem(
                f"node {node.host} has codriver {node.codriver}, and this machine {here}; install "
                "the same on both"
            )
        if node.world != self._world:
            raise UsageProblem(
                f"node {node.host} has another world than this machine; give both the same files "
                "at the same path"
            )
        self.hosts.add(node.host)


class RayActor:
    """An actor as the conductor sees it."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor
        self._chunks: set[asyncio.Task[Any]] = set()
        self.lost = False

    async def up(self) -> Node | WorkerFailed:
        answer: Node | WorkerFailed = await self._answer(self._actor.up.remote())
        return answer

    async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
        """A chunk comes back as a whole; of one that is given up something may come later."""
        asking = self._answer(self._actor.play.remote(list(units)))
        chunk = asyncio.create_task(asking, name="chunk on a node")
        self._chunks.add(chunk)
        found = await asyncio.shield(chunk)
        self._chunks.discard(chunk)
        if isinstance(found, WorkerFailed):
            raise found.error
        for unit in found:
            yield unit

    async def watch(self) -> None:
        """Raises `WorkerLost` if it does not answer; silence is counted as it passes here."""
        while True:
            beat = asyncio.create_task(self._answer(self._actor.beat.remote()), name="beat")
            try:
                for _ in range(SILENT_S):
                    if (await asyncio.wait({beat}, timeout=1))[0]:
                        break
                else:
                    self.lost = True
                    raise WorkerLost(f"nothing was heard of it for {SILENT_S} s")
                await beat
            finally:
                beat.cancel()
            await asyncio.sleep(1)

    async def drain(self, late: Keep) -> None:
        """Whatever still comes of it is handed on; then it ends."""
        try:
            async with asyncio.timeout(LATE_S):
                for chunk in tuple(self._chunks):
                    found = await chunk
                    for unit in found if isinstance(found, list) else ():
                        await late(unit)
        except (TimeoutError, WorkerLost):
            pass  # nothing comes any more
        finally:
            for chunk in self._chunks:
                chunk.cancel()
            self.kill()

    def kill(self) -> None:
        self._ray.kill(self._actor, no_restart=True)

    async def _answer(self, asked: Any) -> Any:
        try:
            return await asked
        except self._ray.exceptions.RayError as error:
            self.lost = True
            raise WorkerLost(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    """What Ray says, without the many lines of advice."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        return f"{lines[0]} {lines[-1]}"  # a traceback of the server ends with its error
    return lines[0] if lines else type(error).__name__
