"""Ranks of a job are forks of one process that has imported what they import."""

import sys
from pathlib import Path

import pytest
from test_ranks import maya_run

ALL_IMPORT = "every rank imported its libraries itself"
# What a rank is before its first own line: where it comes from, and what it has cost so far.
SCRIPT = """
import os, re, time
import torch
import torch.distributed as dist
{more}
cpu_s = time.process_time()
dirty = re.search(r"Private_Dirty: +(\\d+)", open("/proc/self/smaps_rollup").read()).group(1)
forked = "warm_server" in open("/proc/self/cmdline").read()
if {kill} and forked:
    os.kill(os.getppid(), 9)
print(f"RANK {{os.environ['RANK']}} {{forked}} {{cpu_s:.3f}} {{int(dirty) // 1024}}", flush=True)
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
layer = torch.nn.Linear(64, 64, device="cuda")
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
given = torch.ones(8, 64, device="cuda")
for _ in range(1000):
    (dist.send if dist.get_rank() == 0 else dist.recv)(given, 1 - dist.get_rank())
    layer(given).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def told(output: str) -> list[tuple[int, bool, float, int]]:
    """Rank, whether it was forked, seconds of CPU and MiB of its own; one row a start."""
    rows = [line.split()[1:] for line in output.splitlines() if line.startswith("RANK ")]
    return [(int(rank), kind == "True", float(s), int(mib)) for rank, kind, s, mib in rows]


def job(
    directory: Path, environment: dict[str, str], *, more: str = "", kill: bool = False
) -> tuple[list[tuple[int, bool, float, int]], list[str]]:
    """What the ranks of two stages told, and the notes of the prediction."""
    script = directory / "train.py"
    script.write_text(SCRIPT.format(more=more, kill=kill))
    done, summary = maya_run(
        directory,
        environment,
        "h100:2",
        "--nproc-per-node",
        "2",
        str(script),
        options="--steps 2 --max-seconds 250",
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert summary["emulation"]["launched_ranks"] == 2
    return told(done.stdout), summary["notes"]


def test_a_rank_costs_little_before_its_first_own_line(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    rows, notes = job(tmp_path, workload_environment)
    assert {rank for rank, *_ in rows} == {0, 1}
    for _, forked, cpu_s, mib in rows:
        assert forked
        assert cpu_s < 0.3  # 0.006 on a busy machine
        assert mib < 60
    assert not any(ALL_IMPORT in note or "did not answer" in note for note in notes)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import torch; torch.zeros(1, device='cuda')", "touches the device"),
        ("import os; WHO = os.environ['RANK']", "asks for the rank"),
    ],
)
def test_a_program_that_no_fork_could_be_like_is_started_from_nothing(
    tmp_path: Path, workload_environment: dict[str, str], source: str, reason: str
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "eager.py").write_text(source)
    environment = workload_environment | {"PYTHONPATH": str(library)}
    rows, notes = job(tmp_path, environment, more="import eager")
    assert not any(forked for _, forked, *_ in rows)
    assert any(ALL_IMPORT in note and reason in note for note in notes)


def test_ranks_whose_server_dies_are_started_from_nothing(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    rows, notes = job(tmp_path, workload_environment, kill=True)
    assert rows[0][1]
    assert not rows[-1][1]
    assert any("has died" in note for note in notes)


def test_forks_can_be_switched_off(tmp_path: Path, workload_environment: dict[str, str]) -> None:
    rows, notes = job(tmp_path, workload_environment | {"MAYA_FORK": "0"})
    assert not any(forked for _, forked, *_ in rows)
    assert not any(ALL_IMPORT in note for note in notes)


def test_a_module_that_is_run_by_its_name_is_forked(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = tmp_path / "trainer.py"
    script.write_text(SCRIPT.format(more="", kill=False))
    done, _ = maya_run(
        tmp_path,
        workload_environment,
        "h100:2",
        "--nproc-per-node",
        "2",
        "-m",
        "trainer",
        options="--steps 2 --max-seconds 250",
        python=sys.executable,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(forked for _, forked, *_ in told(done.stdout))
