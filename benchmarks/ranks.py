"""Predictions of large jobs from few processes, timed from command to answer."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.emulated import SCRIPTS
from benchmarks.result import Result
from maya.rundir import names


def ddp_on_64() -> Result:
    """GPT-2 with DDP on 64 GPUs."""
    seconds, summary = _predict("h100:8x8", "ddp_gpt2.py")
    return Result("GPT-2 DDP on 64 GPUs", seconds, 20, "s", _detail(summary))


def fsdp_on_1024() -> Result:
    """A 7B Llama with FSDP2 on 1,024 GPUs."""
    seconds, summary = _predict("h100:8x128", "fsdp_llama.py")
    return Result("Llama-7B FSDP2 on 1,024 GPUs", seconds, 60, "s", _detail(summary))


def _predict(cluster: str, script: str) -> tuple[float, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", directory]
        command += ["--force", "--", sys.executable, "-m", "torch.distributed.run"]
        command += ["--nproc-per-node", "8", str(SCRIPTS / script)]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
        if done.returncode != 0:
            raise RuntimeError(f"{script} failed:\n{done.stderr}")
        summary = json.loads((Path(directory) / names.SUMMARY).read_text("utf-8"))
    return seconds, summary


def _detail(summary: dict[str, Any]) -> str:
    launched = summary["emulation"]["launched_ranks"]
    return (
        f"{launched} launched; step {summary['step']['time_ms']:.0f} ms, MFU {summary['mfu']:.0%}"
    )
