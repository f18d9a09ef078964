"""GPT-3 145.6B by megatron-core on 1,024 to 12,288 H100: eight launched ranks each.

Run by name, because each takes minutes: `python -m benchmarks gpt3_on_12288`, once `make test` has
made `.venv-frameworks`.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.result import Result

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv-frameworks/bin/python"
TENSOR, STAGES, GLOBAL_BATCH, MICRO_BATCHES = 8, 8, 12_288, 64
MODEL = "--layers 80 --hidden 12288 --heads 96 --vocabulary 51200 --sequence 2048 --dropout 0"
RECIPE = (
    f"--tp {TENSOR} --pp {STAGES} --sequence-parallel --distributed-optimizer "
    f"--overlap-grad-reduce --overlap-param-gather --global-batch {GLOBAL_BATCH}"
)
LIMIT_S = 300.0
# GPUs -> layers of a stage's ten that are recomputed, the least that fits. A layer keeps some
# 110 MB for each sample of the eight micro-batches in flight. With three at 1,024 GPUs the first
# stage runs out of memory; 2,048 need none, and from there on micro-batches only get smaller.
RECOMPUTED = {1024: 4, 2048: 0, 3072: 0, 4096: 0, 6144: 0, 12288: 0}
PUBLISHED_S = {1024: 44.40, 2048: 22.38, 3072: 15.93, 4096: 12.44, 6144: 8.97, 12288: 5.74}


def command(gpus: int, recomputed: int) -> list[str]:
    """The training command of one point, as it would be typed on that cluster."""
    replicas = gpus // (TENSOR * STAGES)
    micro_batch = GLOBAL_BATCH // (replicas * MICRO_BATCHES)
    recompute = f"--recompute full --recompute-num-layers {recomputed}" if recomputed else ""
    words = f"{MODEL} {RECIPE} --micro-batch {micro_batch} {recompute}"
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "8", "--nnodes", str(gpus // 8)]
    return [str(PYTHON), *torchrun, str(ROOT / "examples/train_megatron.py"), *words.split()]


def predict(gpus: int, recomputed: int, run_dir: Path) -> dict[str, Any]:
    """The summary of `maya run` on so many H100."""
    return predict_on(f"h100:8x{gpus // 8}", command(gpus, recomputed), run_dir)


def predict_on(cluster: str, words: list[str], run_dir: Path) -> dict[str, Any]:
    """The summary of `maya run` of one step of a training command."""
    options = ["--cluster", cluster, "--steps", "1", "-o", str(run_dir), "--json"]
    options += ["--max-seconds", "3000"]  # beside other work it takes what it takes
    line = [sys.executable, "-m", "maya", "run", *options, "--", *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    found = done.stdout[done.stdout.find("{") :]
    if not found:
        raise SystemExit(f"{' '.join(line)}\nreturned {done.returncode} and no summary")
    summary: dict[str, Any] = json.loads(found)
    return summary


def _point(gpus: int) -> Result | None:
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make test` makes it", file=sys.stderr)
        return None
    recomputed = RECOMPUTED[gpus]
    begin, used = time.monotonic(), children_cpu_s()
    with tempfile.TemporaryDirectory(prefix="maya-gpt3-") as directory:
        summary = predict(gpus, recomputed, Path(directory) / "run")
    seconds = time.monotonic() - begin
    detail = f"{_detail(summary, gpus)}; {children_cpu_s() - used:.0f} s of CPU time"
    return Result(f"GPT-3 on {gpus:,} GPUs, command to answer", seconds, LIMIT_S, "s", detail)


def children_cpu_s() -> float:
    """Of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _detail(summary: dict[str, Any], gpus: int) -> str:
    step, memory = summary["step"], summary["memory"]
    if step is None or memory["oom"]:
        return f"out of memory with {RECOMPUTED[gpus]} of 10 layers recomputed"
    return (
        f"step {step['time_ms'] / 1e3:.2f} s, published {PUBLISHED_S[gpus]:.2f} s; "
        f"MFU {summary['mfu']:.1%}; {RECOMPUTED[gpus]} of 10 layers recomputed; "
        f"{memory['peak_allocated_bytes'] / 2**30:.1f} GiB allocated; "
        f"{summary['emulation']['launched_ranks']} launched"
    )


def gpt3_on_1024() -> Result | None:
    """Sixteen replicas."""
    return _point(1024)


def gpt3_on_2048() -> Result | None:
    """32 replicas."""
    return _point(2048)


def gpt3_on_3072() -> Result | None:
    """48 replicas."""
    return _point(3072)


def gpt3_on_4096() -> Result | None:
    """64 replicas."""
    return _point(4096)


def gpt3_on_6144() -> Result | None:
    """96 replicas."""
    return _point(6144)


def gpt3_on_12288() -> Result | None:
    """192 replicas."""
    return _point(12288)
