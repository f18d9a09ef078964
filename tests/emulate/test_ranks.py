"""Jobs of many ranks from few processes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from maya.hardware import find_cluster

SCRIPTS = Path(__file__).parent / "workloads"


def maya_run(
    directory: Path,
    environment: Mapping[str, str],
    cluster: str,
    *words: str,
    options: str = "",
    python: Path | str = sys.executable,
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run `maya run` as a person would; the summary is empty when there is none."""
    run_dir = directory / "run"
    line = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", str(run_dir)]
    done = subprocess.run(
        [*line, *options.split(), "--", str(python), "-m", "torch.distributed.run", *words],
        cwd=directory,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    print(done.stderr[-6000:])
    summary = run_dir / "summary.json"
    return done, json.loads(summary.read_text("utf-8")) if summary.exists() else {}


def test_one_process_predicts_data_parallel_on_64_gpus(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = str(SCRIPTS / "ddp.py")
    done, summary = maya_run(
        tmp_path, workload_environment, "h100:8x8", "--nproc-per-node", "8", script
    )
    assert done.returncode == 0
    assert "launching 1 of 64 ranks: all do the same" in done.stderr
    assert summary["emulation"]["launched_ranks"] == 1
    assert summary["emulation"]["virtual_ranks"] == 63
    assert summary["gpus_used"] == 64
    assert summary["communication"]["total_ms"] > 0


def test_checks_of_collectives_are_charged(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    script = str(SCRIPTS / "ddp.py")
    environment = workload_environment | {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    done, summary = maya_run(tmp_path, environment, "h100:8", "--nproc-per-node", "8", script)
    assert done.returncode == 0
    checked_ms = 8 * find_cluster("h100:8").host.calls_ns["check_member"] / 1e6
    assert summary["step"]["time_ms"] > checked_ms
    assert any("TORCH_DISTRIBUTED_DEBUG=DETAIL" in note for note in summary["notes"])


def test_a_launcher_within_a_shell_script_is_taken_over(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    below = tmp_path / "below"
    below.mkdir()
    told = "import os; assert os.environ['NOTE'] == 'told'; " + "exec(open('ddp.py').read())"
    (below / "ddp.py").write_text((SCRIPTS / "ddp.py").read_text("utf-8"), "utf-8")
    (below / "train.py").write_text(told, "utf-8")
    launch = f"{sys.executable} -m torch.distributed.run --nproc-per-node 8 --nnodes 4"
    job = tmp_path / "job.sh"
    job.write_text(f"cd below; export NOTE=told\n{launch} --node-rank 0 train.py\necho after\n")
    line = [sys.executable, "-m", "maya", "run", "--cluster", "h100:8x4", "-o", "run"]
    done = subprocess.run(
        [*line, "--", "bash", str(job)],
        cwd=tmp_path,
        env={**os.environ, **workload_environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "launching 1 of 32 ranks" in done.stderr
    assert "after" not in done.stdout  # the script is ended where the launcher would begin


def test_peers_that_are_no_process_answer_as_their_representative_would(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    words = ("--nproc-per-node", "8", str(SCRIPTS / "virtual_peers.py"), str(tmp_path / "saved"))
    done, _ = maya_run(tmp_path, workload_environment, "h100:8x2", *words, options="--allow-writes")
    assert done.returncode == 0
    assert (tmp_path / "saved" / ".metadata").exists()


FAULTS = {
    "mismatch": r"rank \d calls ncclAllReduce of 104857\d float32 at .*faults.py:\d+.*, but rank",
    "message": r"rank 0 calls ncclSend of 1048576 \S+ at .*faults.py:\d+(.|\n)*"
    r"rank 1 calls ncclRecv of 1048575 \S+ at .*faults.py:\d+",
    "order": r"deadlocks: rank 0 waits in ncclRecv .*faults.py:\d+.*rank 1 waits in ncclRecv",
    "stall": r"wait for each other: rank 0 in ncclBroadcast of 4 float32 .*faults.py:\d+",
    "backward": r"rank 0 in ncclBroadcast of .*; rank 1 in the job's rendezvous store",
    "raise": r"this rank gives up(.|\n)*rank 1 failed with exit code 1",
    "die": r"rank 1 was killed by SIGKILL",
}


@pytest.mark.parametrize("kind", FAULTS)
def test_jobs_that_would_hang_or_fail_say_who_and_where(
    tmp_path: Path, workload_environment: dict[str, str], kind: str
) -> None:
    words = ("--nproc-per-node", "2", str(SCRIPTS / "faults.py"), kind)
    options = "--all-ranks --max-seconds 60"
    environment = workload_environment | {"MAYA_STALL_SECONDS": "4"}
    done, summary = maya_run(tmp_path, environment, "h100:2", *words, options=options)
    assert done.returncode == 2
    assert summary == {}
    assert re.search(FAULTS[kind], done.stderr)


def test_a_rank_that_sleeps_while_another_waits_is_no_deadlock(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    words = ("--nproc-per-node", "2", str(SCRIPTS / "faults.py"), "sleep")
    environment = workload_environment | {"MAYA_STALL_SECONDS": "3", "SLEEP_SECONDS": "9"}
    done, summary = maya_run(tmp_path, environment, "h100:2", *words, options="--all-ranks")
    assert done.returncode == 0, done.stderr[-2000:]
    assert summary["step"]["time_ms"] > 0


def test_ranks_that_do_not_exist_are_refused(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    words = ("--nproc-per-node", "2", str(SCRIPTS / "ddp.py"))
    done, _ = maya_run(tmp_path, workload_environment, "h100:2", *words, options="--ranks 0,2")
    assert done.returncode == 1
    assert "the job has ranks 0 to 1" in done.stderr
