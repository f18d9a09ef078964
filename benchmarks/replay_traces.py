"""Replays real profiler traces with their own durations: what error the simulator itself makes.

python benchmarks/replay_traces.py MEASUREMENTS
"""

import sys
from pathlib import Path

from maya.simulate.kineto import replay


def main(root: Path) -> None:
    for path in sorted(root.glob("*_traces/raw/*.json.gz")):
        done = replay(path)
        total = sum(done.simulated_ns) / sum(done.real_ns) - 1
        errors = ", ".join(f"{error:+.1%}" for error in done.errors)
        print(f"{done.name[:40]:<40} {done.operations:>6} operations, total {total:+.2%}: {errors}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
