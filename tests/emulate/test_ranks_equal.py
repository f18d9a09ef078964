"""A prediction from few ranks equals the prediction from all of them."""

from pathlib import Path

import pytest
from test_ranks import maya_run

SCRIPTS = Path(__file__).parent / "workloads"
TOLERANCE = 0.005

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
    words = (
        "--nproc-per-node",
        str(ranks),
        str(SCRIPTS / command.split(maxsplit=1)[0]),
        *command.split()[1:],
    )
    found = []
    for which in ("", "--all-ranks"):
        directory = tmp_path / (which or "few")
        directory.mkdir()
        done, summary = maya_run(
            directory,
            workload_environment,
            f"h100:{ranks}",
            *words,
            options=f"--host-scale 0 --steps 2 --max-seconds 250 --every-rank {which}",
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found.append(summary)
    few, whole = found
    assert few["emulation"]["launched_ranks"] == launched
    assert whole["emulation"]["launched_ranks"] == ranks
    assert few["step"]["time_ms"] == pytest.approx(whole["step"]["time_ms"], rel=TOLERANCE)
    for summary in found:  # without noise, all ranks simulated are their representatives
        every = summary["every_rank"]
        assert every["ranks"] == ranks
        assert every["median_ms"] == pytest.approx(summary["step"]["time_ms"], rel=1e-9)
    peaks = {r["rank"]: r["peak_allocated_bytes"] for r in whole["memory"]["per_rank"]}
    for row in few["memory"]["per_rank"]:
        assert row["peak_allocated_bytes"] == peaks[row["rank"]]
