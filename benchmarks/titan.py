"""Llama 3 8B, 70B and 405B by torchtitan, with the settings of its own configuration files.

Run by name: `python -m benchmarks titan_8b`, once `make test` has made `.venv-frameworks`.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.gpt3 import children_cpu_s
from benchmarks.result import Result

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv-frameworks/bin/python"
LIMIT_S = 120.0
COMMON = (
    "--model.name llama3 --training.seq_len 8192 --training.max_norm 1.0 --training.steps 1000 "
    "--optimizer.name AdamW --lr_scheduler.warmup_steps 200 --metrics.log_freq 10"
)


def titan_8b() -> Result | None:
    """8B on 64 A100, one sequence each, sharded; some operations of a layer are recomputed."""
    return _point(
        "8B",
        "a100:8x8",
        "--training.local_batch_size 1 --optimizer.lr 3e-4 "
        "--activation_checkpoint.mode selective --activation_checkpoint.selective_ac_option op",
    )


def titan_70b() -> Result | None:
    """70B on 256 H100, 8-way tensor parallel, sharded over the rest; every layer is recomputed."""
    return _point(
        "70B",
        "h100:8x32",
        "--training.local_batch_size 8 --optimizer.lr 1.5e-4 "
        "--parallelism.tensor_parallel_degree 8 --activation_checkpoint.mode full",
    )


def titan_405b() -> Result | None:
    """405B on 512 H100: 8-way tensor parallel, 8 interleaved pipeline stages, compiled layers."""
    return _point(
        "405B",
        "h100:8x64",
        "--training.local_batch_size 16 --optimizer.lr 8e-5 --compile.enable "
        "--parallelism.tensor_parallel_degree 8 --parallelism.pipeline_parallel_degree 8 "
        "--parallelism.pipeline_parallel_schedule Interleaved1F1B "
        "--parallelism.pipeline_parallel_layers_per_stage 8 --activation_checkpoint.mode full",
        limit_s=90.0,
    )


def _point(flavor: str, cluster: str, options: str, limit_s: float = LIMIT_S) -> Result | None:
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make test` makes it", file=sys.stderr)
        return None
    begin, used = time.monotonic(), children_cpu_s()
    with tempfile.TemporaryDirectory(prefix="maya-titan-") as directory:
        summary = _predict(cluster, f"--model.flavor {flavor} {COMMON} {options}", Path(directory))
    seconds = time.monotonic() - begin
    detail = f"{_detail(summary)}; {children_cpu_s() - used:.0f} s of CPU time"
    name = f"torchtitan's Llama 3 {flavor} on {cluster}, command to answer"
    return Result(name, seconds, limit_s, "s", detail)


def _predict(cluster: str, options: str, directory: Path) -> dict[str, Any]:
    made = [sys.executable, str(ROOT / "examples/titan_assets.py"), str(directory)]
    assets = subprocess.run(made, capture_output=True, text=True, check=True).stdout
    line = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "--json"]
    line += ["--steps", "2", "--max-seconds", "3000", "-o", str(directory / "run"), "--"]
    line += [str(PYTHON), "-m", "torch.distributed.run", "--nproc-per-node", "8"]
    line += ["-m", "torchtitan.train", *options.split(), *assets.split()]
    line += ["--job.dump_folder", str(directory / "outputs")]
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(line)}\nreturned {done.returncode}")
    summary: dict[str, Any] = json.loads((directory / "run/summary.json").read_text("utf-8"))
    return summary


def _detail(summary: dict[str, Any]) -> str:
    return (
        f"step {summary['step']['time_ms']:.0f} ms, MFU {summary['mfu']:.1%}, "
        f"{summary['memory']['peak_allocated_bytes'] / 2**30:.1f} GiB allocated; "
        f"{summary['emulation']['launched_ranks']} launched"
    )
