"""NCCL: values between live processes, communicators, wrong use, lost peers, the record."""

import subprocess
import time
from pathlib import Path

import pytest
from fakes import build, environment

from maya.trace.capture import Capture, read_capture

LIBRARIES = ["libnccl.so.2", "libcudart.so.12"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("nccl")
    names = ["collectives", "communicators"]
    return {name: build(f"nccl/{name}.cpp", out / name, LIBRARIES) for name in names}


def run(command: list, run_dir: Path, timeout: float = 60, **extra: str) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        env=environment(run_dir, **extra),
        timeout=timeout,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_collectives_give_the_values_that_the_real_library_gives(programs, tmp_path):
    run([programs["collectives"]], tmp_path)


@pytest.mark.parametrize(
    "what", ["split", "grow", "ring", "late_sender", "wrong_use", "one_thread", "memory"]
)
def test_communicators(programs, tmp_path, what):
    run([programs["communicators"], what], tmp_path)


@pytest.mark.parametrize("sender", ["working_sender", "sleeping_sender"])
def test_a_kernel_waits_for_a_value_as_long_as_other_ranks_work(programs, tmp_path, sender):
    run([programs["communicators"], sender], tmp_path, MAYA_KERNEL_PATIENCE="2")


def test_ranks_go_on_when_a_peer_dies(programs, tmp_path):
    start = time.monotonic()
    run([programs["communicators"], "crash"], tmp_path)
    assert time.monotonic() - start < 10


def test_ranks_go_on_when_a_peer_never_comes(programs, tmp_path):
    run([programs["communicators"], "missing_rank"], tmp_path, MAYA_EXCHANGE_TIMEOUT="1")


def test_nothing_is_left_behind(programs, tmp_path):
    run([programs["communicators"], "crash"], tmp_path)
    assert list((tmp_path / "comm").iterdir()) == []
    before = set(Path("/dev/shm").iterdir())
    run([programs["communicators"], "split"], tmp_path, MAYA_RUN_DIR="")
    assert set(Path("/dev/shm").glob("maya-*")) <= before


def events(capture: Capture, op: str) -> list[tuple[dict, int, int]]:
    """Fields, a and b of each call of this operation."""
    rows = [(capture.definition(int(e["def"])), int(e["a"]), int(e["b"])) for e in capture.events]
    return [(dict(d.fields), a, b) for d, a, b in rows if d.op == op]


def test_communicators_are_recorded_alike_on_all_members(programs, tmp_path):
    run([programs["communicators"], "split"], tmp_path)
    captures = [read_capture(next(tmp_path.glob(f"rank{rank}-*.maya"))) for rank in range(4)]
    worlds, *_ = zip(*(events(capture, "comm") for capture in captures), strict=False)
    assert len({identity for _, identity, _ in worlds}) == 1
    assert [fields["rank"] for fields, _, _ in worlds] == [0, 1, 2, 3]
    assert all(fields["members"] == "0,1,2,3" for fields, _, _ in worlds)
    halves = [events(capture, "comm")[1] for capture in captures]
    assert [fields["members"] for fields, _, _ in halves] == ["0,2", "1,3", "0,2", "1,3"]
    assert halves[0][1] == halves[2][1] != halves[1][1] == halves[3][1]
    assert [fields["origin"] for fields, _, _ in halves] == ["split"] * 4


@pytest.mark.parametrize(("level", "checked"), [("", 0), ("INFO", 0), ("detail", 1)])
def test_communicators_tell_whether_torch_checks_their_collectives(
    programs, tmp_path, level, checked
):
    run([programs["communicators"], "split"], tmp_path, TORCH_DISTRIBUTED_DEBUG=level)
    capture = read_capture(next(tmp_path.glob("rank0-*.maya")))
    assert {fields["checked"] for fields, _, _ in events(capture, "comm")} == {checked}


def test_collectives_are_recorded_with_their_problem(programs, tmp_path):
    run([programs["collectives"]], tmp_path)
    capture = read_capture(next(tmp_path.glob("rank2-*.maya")))
    fields, number, group = events(capture, "ncclAllGather")[0]
    assert fields == {"comm": 1, "count": 2, "datatype": 4, "rank": 2, "nranks": 4, "site": ""}
    assert (number, group) == (0, 0)
    fields, _, _ = events(capture, "ncclReduce")[0]
    expected = {"comm": 1, "count": 4, "datatype": 7, "op": 0, "root": 0, "rank": 2, "nranks": 4}
    assert fields == expected | {"site": ""}
    sends = [group for _, _, group in events(capture, "ncclSend")]
    receives = [group for _, _, group in events(capture, "ncclRecv")]
    assert sends[0] == receives[0] > 0
    assert [fields["what"] for fields, _, _ in events(capture, "group")] == ["start", "end"]
