"""Runs that a Ray cluster plays. Starting one takes seconds, so there are few tests."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory

import pytest

from evaluator.options import RunOptions
from evaluator.workers.campaign import campaign_of
from evaluator.workers.ray_cluster import join
from tests.evaluator.command_line import INFRA, USAGE, Here, codriver, started
from tests.evaluator.workers.ray_nodes import Tell, ray_nodes
from tests.evaluator.workers.test_processes import UNITS, Results, invocations, results

CANARY = "sk-canary-4711-4711-4711"
pytest.importorskip("ray")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("alone")
    assert codriver(*UNITS, "--workers", 1, "--out", "run", folder=folder).code == 0
    return results(folder / "run")


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[dict[str, str], str, Tell]]:
    """Two nodes that play, beside a head that does not."""
    with (
        TemporaryDirectory(prefix="ray-") as folder,  # its sockets need a short path
        ray_nodes(2, Path(folder)) as nodes,
    ):
        yield nodes


@pytest.mark.timeout(600)
def test_nodes_play_what_one_process_plays_also_when_one_is_killed(
    tmp_path: Path, alone: Results, cluster: tuple[dict[str, str], str, Tell]
) -> None:
    variables, _, tell = cluster
    variables = {**variables, "OPENAI_API_KEY": CANARY}
    with started(*UNITS, "--on", "ray", "--out", "run", folder=tmp_path, **variables) as run:
        run.until("[3/")
        tell("kill 0")
        tell("add")
        ended = run.finish()
    assert ended.code == 0, ended.stderr
    assert "2 workers on ray" in ended.stderr
    assert "was lost" in ended.stderr
    assert "(raylet)" not in ended.stdout
    assert results(tmp_path / "run") == alone
    [noted] = invocations(tmp_path / "run")
    assert (noted.workers, noted.on, noted.hosts) == (2, "ray", (gethostname(),))
    written = Path(variables["RAY_TMPDIR"]).rglob("*")
    assert [file for file in written if file.is_file() and CANARY.encode() in _content(file)] == []


class BusyCluster:
    """Stands for Ray: it starts no server for a client as often as it is told to fail."""

    def __init__(self, failures: int) -> None:
        self.asked, self._failures, self._half_open = 0, failures, False

    def init(self, address: str) -> None:
        assert not self._half_open, "a connection that failed was not closed"
        self.asked += 1
        if self.asked <= self._failures:
            self._half_open = True
            raise ConnectionAbortedError("Initialization failure from server:")

    def shutdown(self) -> None:
        self._half_open = False


def test_a_cluster_that_is_busy_is_asked_three_times() -> None:
    busy, broken = BusyCluster(2), BusyCluster(3)
    join(busy, "ray://127.0.0.1:1")
    with pytest.raises(ConnectionAbortedError):
        join(broken, "ray://127.0.0.1:1")
    assert (busy.asked, broken.asked) == (3, 3)


@pytest.mark.malformed("doctor tries what an agent may read with empty payloads")
@pytest.mark.timeout(1000)
def test_a_client_of_the_cluster_needs_its_token(
    tmp_path: Path, cluster: tuple[dict[str, str], str, Tell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.evaluator.command_line.LIMIT_S", 400)  # 50 at rest
    variables, client, _ = cluster
    one = ("run", "--on", client, "--task-ids", "base_fog_lights", "--pace", "virtual")
    played = codriver(*one, "--out", "run", folder=tmp_path, **variables)
    assert played.code == 0, played.stderr
    assert len(results(tmp_path / "run")) == 1
    examined = codriver("doctor", "--on", "ray", folder=tmp_path, **variables)
    assert examined.code == 0, examined.stderr
    assert re.search(r"ok +cluster +Ray \d.*: [34] nodes, [23] CPUs", examined.stdout)
    refused = codriver(*one, folder=tmp_path, **{**variables, "RAY_AUTH_MODE": "disabled"})
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert "the cluster wants a token: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN" in refused.stderr
    refused = codriver(*one, folder=tmp_path, **{**variables, "RAY_AUTH_TOKEN": "0" * 64})
    assert refused.code == INFRA
    assert "Traceback" not in refused.stderr


@pytest.mark.timeout(600)
def test_a_cluster_that_lets_everybody_in_is_refused(tmp_path: Path) -> None:
    with (
        TemporaryDirectory(prefix="ray-") as folder,
        ray_nodes(0, Path(folder), mode="disabled") as (variables, client, _),
    ):
        for on in ("ray", client):
            refused = codriver("run", "--on", on, folder=tmp_path, **variables)
            assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
            assert (
                "the cluster lets everybody in: start it with RAY_AUTH_MODE=token" in refused.stderr
            )


def test_no_key_travels_to_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("CODRIVER_AGENT_API_KEY", CANARY)
    options = RunOptions(agent="openai:mock", user="llm:mock", judge="mock", agent_token="geheim")
    sent = pickle.dumps(campaign_of(options, "run", 1, 2, 4))
    assert CANARY.encode() not in sent
    assert b"geheim" not in sent


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--on", "dask"), "--on is one of ray, ray:local, ray://HOST:PORT, not 'dask'"),
        (("--on", "ray://"), "--on is one of ray, ray:local, ray://HOST:PORT, not 'ray://'"),
        (("--on", "ray", "--agent", "ws"), "each worker has its own; leave --on out"),
        (("--on", "ray", "--user", "human"), "who sits at one gateway; leave --on out"),
        (
            ("--on", "ray", "--broker", "mqtt://me:geheim@broker.example"),
            "a broker's password would travel to all nodes",
        ),
    ],
)
def test_what_no_cluster_can_play_is_refused(here: Here, given: tuple[str, ...], why: str) -> None:
    refused = here("run", *given)
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert why in refused.stderr
    assert "geheim" not in refused.stderr


def test_nobody_at_the_address_is_one_line(here: Here) -> None:
    refused = here("run", "--on", "ray://127.0.0.1:9")
    assert (refused.code, refused.stderr.count("\n")) == (INFRA, 1)
    assert "no Ray cluster answers at 127.0.0.1:9" in refused.stderr


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
