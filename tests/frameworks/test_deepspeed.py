"""DeepSpeed trains under the emulator with each of its ways to share the states out."""

from pathlib import Path

import pytest
from launch import WORKLOADS, train

SCRIPT = WORKLOADS / "deepspeed_engine.py"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param("--stage 0", {"ncclAllReduce"}, id="zero0"),
        pytest.param("--stage 1", {"ncclAllGather"}, id="zero1"),
        pytest.param("--stage 2", {"ncclAllGather", "ncclAllReduce"}, id="zero2"),
        pytest.param("--stage 2 --offload", {"ncclAllGather", "ncclAllReduce"}, id="zero2-offload"),
        pytest.param("--pipeline", {"ncclSend", "ncclRecv"}, id="pipeline"),
        pytest.param("--stage 3", {"ncclAllGather", "ncclReduceScatter"}, id="zero3"),
    ],
)
def test_states_are_shared_out(
    arguments: str,
    expected: set[str],
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    outcome = train(
        SCRIPT,
        arguments,
        python_frameworks,
        tmp_path,
        frameworks_environment,
        stdout=("first step done",),
        # The optimiser's states lie in memory of the host that the device can reach.
        allocations=("device", "pinned") if "--offload" in arguments else ("device",),
        # The bf16 optimiser goes on only where the norm of the gradients is above zero.
        norms=("bf16_optimizer.*norm 2",) if "--pipeline" in arguments else (),
    )
    # Of the whole run: with the optimiser on the host the device shows where no step ends.
    assert expected <= set(outcome.summary.collectives)
