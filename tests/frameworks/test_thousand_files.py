"""A directory of a thousand files is as it was after scripts that save and prune at every step."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from file_layer import snapshot
from launch import WORKLOADS
from titan_assets import make_assets
from users_files import make_users_files

from maya.rundir import RunDirectory

pytestmark = pytest.mark.long
SCRIPTS = WORKLOADS / "saving"
TITAN = (
    "torchtitan.train --model.name llama3 --model.flavor debugmodel --training.seq_len 128"
    " --training.local_batch_size 4 --training.steps 600000 --job.dump_folder outputs"
    " --checkpoint.enable --checkpoint.interval 1 --checkpoint.keep_latest_k 2"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    directory = tmp_path / "home"
    make_users_files(directory)
    return directory


def _maya(
    home: Path, command: list[str], environment: dict[str, str], gpus: int, *more: str
) -> str:
    words = [sys.executable, "-m", "maya", "run", "--cluster", f"h100:{gpus}", *more]
    words += ["-o", str(home.parent / "run"), "--max-seconds", "240", "--", *command]
    result = subprocess.run(
        words, cwd=home, env=os.environ | environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "gpus", "said"),
    [
        pytest.param(["nano_gpt.py"], 1, "resumed at", id="nanogpt"),
        pytest.param(["trainer.py"], 1, "resumes from", id="trainer"),
        pytest.param(["lightning_fit.py"], 1, "resumes from", id="lightning"),
        pytest.param(["deepspeed_engine.py"], 2, "resumed from", id="deepspeed"),
        pytest.param([TITAN], 2, "Loading the checkpoint from outputs", id="torchtitan"),
    ],
)
def test_nothing_of_the_users_changes(
    words: list[str],
    gpus: int,
    said: str,
    home: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    command = [str(python_frameworks)]
    if gpus > 1:
        command += ["-m", "torch.distributed.run", f"--nproc-per-node={gpus}"]
    if words == [TITAN]:
        command += ["-m", *TITAN.split(), *make_assets(home.parent, lines=200, repeats=40).split()]
    else:
        command.append(str(SCRIPTS / words[0]))
    if words[0] in ("nano_gpt.py", TITAN):  # they begin with a checkpoint that they find
        _maya(home, command, frameworks_environment, gpus, "--allow-writes")
    before = snapshot(home)
    assert said in _maya(home, command, frameworks_environment, gpus)
    assert snapshot(home) == before
    facts = RunDirectory(home.parent / "run").read_facts()
    assert facts is not None
    assert facts.held_files is not None
    assert facts.held_files.files > 0
