"""A prediction from few ranks equals the prediction from all of them."""

from pathlib import Path

import pytest
from few_and_all import hold_few_against_all

SCRIPTS = Path(__file__).parent / "workloads"

# Ranks of the job, ranks that must be launched, script and arguments.
JOBS = [
    (2, 1, "parallel_ddp.py"),
    (2, 1, "parallel_ddp.py --accumulate 2"),
    (2, 1, "parallel_ddp.py --static-graph"),
    (2, 1, "parallel_fsdp1.py"),
    (2, 1, "parallel_fsdp2.py --keep-unsharded"),
    (2, 1, "parallel_fsdp2.py --mixed"),
    (4, 1, "parallel_fsdp2.py --replicas 2"),
    (2, 1, "parallel_fsdp2.py --offload"),
    (2, 1, "parallel_tensor.py --tp 2 --sequence-parallel"),
    (4, 1, "parallel_symmetric.py"),
    (2, 2, "parallel_pipeline.py --schedule gpipe"),
    (4, 2, "parallel_pipeline.py --schedule 1f1b --pp 2"),
    (2, 2, "parallel_pipeline.py --schedule interleaved"),
    (2, 2, "parallel_pipeline.py --schedule zero-bubble"),
    (2, 2, "parallel_context.py --rotate alltoall"),
]


@pytest.mark.parametrize(("ranks", "launched", "command"), JOBS, ids=[job[2] for job in JOBS])
def test_representatives_predict_what_all_ranks_predict(
    tmp_path: Path,
    workload_environment: dict[str, str],
    ranks: int,
    launched: int,
    command: str,
) -> None:
    words = str(SCRIPTS / command).split()
    hold_few_against_all(tmp_path, workload_environment, ranks, launched, words)
