"""GPT of a trillion parameters by megatron-core on 3,072 A100: 64 pipeline stages, few launched.

Run by name, because it takes minutes: `python -m benchmarks gpt_1t`, once `make test` has made
`.venv-frameworks`.
"""

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.gpt3 import PYTHON, ROOT, children_cpu_s, predict_on
from benchmarks.result import Result

MODEL = "--layers 128 --hidden 25600 --heads 160 --vocabulary 51200 --sequence 2048 --dropout 0"
RECIPE = (
    "--tp 8 --pp 64 --sequence-parallel --distributed-optimizer --overlap-grad-reduce "
    "--overlap-param-gather --recompute full --global-batch 3072 --micro-batch 1"
)
NODES = 384
LIMIT_S = 120.0


def gpt_1t() -> Result | None:
    """512 micro-batches a step."""
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make test` makes it", file=sys.stderr)
        return None
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "8", "--nnodes", str(NODES)]
    script = str(ROOT / "examples/train_megatron.py")
    command = [str(PYTHON), *launcher, script, *MODEL.split(), *RECIPE.split()]
    begin, used = time.monotonic(), children_cpu_s()
    with tempfile.TemporaryDirectory(prefix="maya-1t-") as directory:
        summary = predict_on(f"a100:8x{NODES}", command, Path(directory) / "run")
    seconds = time.monotonic() - begin
    detail = (
        f"step {summary['step']['time_ms'] / 1e3:.1f} s, MFU {summary['mfu']:.1%}; "
        f"{summary['emulation']['launched_ranks']} launched; "
        f"{children_cpu_s() - used:.0f} s of CPU time"
    )
    return Result("GPT 1T on 3,072 GPUs, command to answer", seconds, LIMIT_S, "s", detail)
