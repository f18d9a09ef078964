"""Every rank of a large job, simulated with noise of its own: recorded once, then timed."""

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.emulated import SCRIPTS
from benchmarks.gpt3 import children_cpu_s
from benchmarks.result import Result

GPUS = 12_288
CLUSTER = f"h100:8x{GPUS // 8}"
LIMIT_S = 60.0
_OPTIONS = ("--jitter", "0.03", "--trials", "1", "--slow-node", "3=1.1")


def every_rank_12288() -> Result:
    """One step of Llama 7B with FSDP2, 3 % of noise and a slow node; in seconds of CPU time."""
    with tempfile.TemporaryDirectory(prefix="maya-every-rank-") as directory:
        run = str(Path(directory) / "run")
        launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "8"]
        script = [sys.executable, *launcher, str(SCRIPTS / "fsdp_llama.py")]
        _maya("run", "--cluster", CLUSTER, "--steps", "1", "-o", run, "--", *script)
        used = children_cpu_s()
        printed = _maya("simulate", run, "--cluster", CLUSTER, *_OPTIONS)
        seconds = children_cpu_s() - used
    found = re.search(r"every rank +(.*)", printed)
    if found is None:
        raise RuntimeError(f"no line of every rank in:\n{printed}")
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    detail = f"{found[1]}; at most {resident:.1f} GiB; the whole command"
    return Result(f"every one of {GPUS:,} ranks, CPU time", seconds, LIMIT_S, "s", detail)


def _maya(*words: str) -> str:
    line = [sys.executable, "-m", "maya", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(line)}\n{done.stderr}")
    return done.stdout
