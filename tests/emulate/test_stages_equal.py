"""A prediction from six of eight pipeline stages equals the prediction from all of them."""

from pathlib import Path

import pytest
from few_and_all import hold_few_against_all

PIPELINE = Path(__file__).parent / "workloads/parallel_pipeline.py"
STAGES = 8

# Ranks that must be launched, script and arguments.
JOBS = {
    "gpipe": (6, f"{PIPELINE} --schedule gpipe --micro-batches 16"),
    "1f1b": (6, f"{PIPELINE} --schedule 1f1b --micro-batches 16"),
    "interleaved": (6, f"{PIPELINE} --schedule interleaved --micro-batches 16"),
    "zero-bubble": (6, f"{PIPELINE} --schedule zero-bubble --micro-batches 16"),
    "unlike": (7, f"{PIPELINE} --schedule 1f1b --micro-batches 16 --larger 5"),
}


@pytest.mark.long
@pytest.mark.parametrize(("launched", "command"), JOBS.values(), ids=JOBS.keys())
def test_few_stages_predict_what_all_predict(
    tmp_path: Path, workload_environment: dict[str, str], launched: int, command: str
) -> None:
    environment = {**workload_environment, "MAYA_EQUAL_STAGES": str(STAGES)}
    hold_few_against_all(tmp_path, environment, STAGES, launched, command.split())
