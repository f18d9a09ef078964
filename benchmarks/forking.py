"""What a launched rank costs: forked from a process that has imported for all, and by itself."""

import os
import resource
import subprocess
import sys
import tempfile
from typing import NamedTuple

from benchmarks.emulated import SCRIPTS
from benchmarks.gpt3 import PYTHON
from benchmarks.result import Result

_STAGES = 8
_LIMIT_S = 0.3
_LIMIT_MIB = 60


class Cost(NamedTuple):
    """Of the dearest rank before its first own line, and of the whole command."""

    rank_s: float
    rank_mib: float
    whole_s: float


def forked_rank() -> Result | None:
    """Eight stages that import megatron-core; needs `.venv-frameworks`, which `make test` makes."""
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make test` makes it", file=sys.stderr)
        return None
    forked, plain = _cost("1"), _cost("0")
    detail = (
        f"{forked.rank_mib:.0f} MiB of its own (at most {_LIMIT_MIB}); started by itself "
        f"{plain.rank_s:.2f} s and {plain.rank_mib:.0f} MiB; the command {forked.whole_s:.1f} s "
        f"of CPU time against {plain.whole_s:.1f}"
    )
    seconds = forked.rank_s if forked.rank_mib <= _LIMIT_MIB else float("inf")
    return Result("CPU of a rank before its first own line", seconds, _LIMIT_S, "s", detail)


def _cost(fork: str) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "maya", "run", "--cluster", f"h100:{_STAGES}", "--force"]
        command += ["-o", directory, "--steps", "2", "--", str(PYTHON), "-m"]
        command += ["torch.distributed.run", "--nproc-per-node", str(_STAGES)]
        command += [str(SCRIPTS / "first_line.py"), "100000"]
        env = {**os.environ, "MAYA_FORK": fork}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"first_line.py failed:\n{done.stderr}")
    rows = [line.split()[2:] for line in done.stdout.splitlines() if line.startswith("RANK ")]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(max(float(row[0]) for row in rows), max(float(row[1]) for row in rows), whole)
