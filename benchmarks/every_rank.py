"""Every rank of a large job, simulated with noise of its own: recorded once, then timed."""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.emulated import SCRIPTS
from benchmarks.gpt3 import children_cpu_s
from benchmarks.result import Result
from maya.rundir import names

GPUS = 12_288
CLUSTER = f"h100:8x{GPUS // 8}"
LIMIT_S = 60.0
_OPTIONS = ("--jitter", "0.03", "--trials", "1", "--slow-node", "3=1.1")


def every_rank_12288() -> Result:
    """One step of Llama 7B with FSDP2, 3 % of noise and a slow node; in seconds of CPU time."""
    with tempfile.TemporaryDirectory(prefix="maya-every-rank-") as directory:
        run = Path(directory) / "run"
        launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "8"]
        script = [sys.executable, *launcher, str(SCRIPTS / "fsdp_llama.py")]
        _maya("run", "--cluster", CLUSTER, "--steps", "1", "-o", str(run), "--", *script)
        used = children_cpu_s()
        _maya("simulate", str(run), "--cluster", CLUSTER, *_OPTIONS)
        seconds = children_cpu_s() - used
        found = json.loads((run / names.SUMMARY).read_text("utf-8"))["every_rank"]
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    detail = (
        f"{found['ranks']:,} ranks, step {found['median_ms']:.0f} ms ({found['slowdown']:+.1%}); "
        f"at most {resident:.1f} GiB; the whole of `maya simulate`"
    )
    return Result(f"every one of {GPUS:,} ranks, CPU time", seconds, LIMIT_S, "s", detail)


def _maya(*words: str) -> None:
    line = [sys.executable, "-m", "maya", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(line)}\n{done.stderr}")
