"""megatron-core trains under the emulator; what a step asks of the network is what theory says."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from launch import ROOT, train
from steps import collectives, kernels

SCRIPT = ROOT / "examples/train_megatron.py"
LAYERS = 2


@dataclass(frozen=True)
class Case:
    arguments: str
    ring: dict[str, int]  # collectives of a step, the same on both ranks
    flash_forward: int


CASES = {
    # A layer gathers and scatters twice in the forward pass; in the backward pass it gathers four
    # times (twice for the weights' gradients) and scatters twice. The embedding's gradient and the
    # head add three gathers and a scatter; a recomputed layer does its forward pass again.
    "tensor-sequence-recompute": Case(
        "--tp 2 --sequence-parallel --recompute full --recompute-num-layers 1",
        {"ncclAllGather": 6 * LAYERS + 3 + 2, "ncclReduceScatter": 4 * LAYERS + 1 + 2},
        flash_forward=LAYERS + 1,
    ),
    # Heads are exchanged for sequence: q, k, v and the result, both ways, with two peers.
    "context-distributed-optimizer": Case(
        "--cp 2 --distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
        {
            "ncclAllGather": 1,
            "ncclReduceScatter": 1,
            "ncclSend": 2 * 4 * 2 * LAYERS,
            "ncclRecv": 2 * 4 * 2 * LAYERS,
        },
        flash_forward=LAYERS,
    ),
    "data-selective-recompute": Case(
        "--distributed-optimizer --overlap-grad-reduce --overlap-param-gather"
        " --recompute selective",
        {"ncclAllGather": 1, "ncclReduceScatter": 1},
        flash_forward=2 * LAYERS,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_collectives_of_a_step_follow_from_the_parallelism(
    case: Case, tmp_path: Path, python_frameworks: Path, frameworks_environment: dict[str, str]
) -> None:
    outcome = train(
        SCRIPT,
        f"--layers {LAYERS} {case.arguments}",
        python_frameworks,
        tmp_path,
        frameworks_environment,
        stdout=("first step done",),
    )
    for capture in outcome.run.captures:
        found = collectives(capture)
        found.pop("ncclAllReduce")  # norms and shared weights
        assert found == case.ring
        assert kernels(capture, "flash_fwd") == case.flash_forward
        # Gradients are clipped: each is multiplied by a number.
        scaled = kernels(capture, "AUnaryFunctor<float, float, float, .*MulFunctor")
        assert 0 < kernels(capture, "NormTwoOps") <= scaled


def test_interleaved_pipeline_sends_between_virtual_stages(
    tmp_path: Path, python_frameworks: Path, frameworks_environment: dict[str, str]
) -> None:
    micro_batches, virtual_stages = 4, 4
    outcome = train(
        SCRIPT,
        f"--layers 4 --pp 2 --vpp 2 --global-batch {micro_batches}",
        python_frameworks,
        tmp_path,
        frameworks_environment,
    )
    # Three borders between four virtual stages, crossed forward and backward by every micro-batch.
    crossings = (virtual_stages - 1) * 2 * micro_batches
    sent = [collectives(capture)["ncclSend"] for capture in outcome.run.captures]
    received = [collectives(capture)["ncclRecv"] for capture in outcome.run.captures]
    assert sent == received == [crossings // 2] * 2


# Of the 512 choices of two ranks, by the policy; rank 0 has the first two of four experts.
@pytest.mark.parametrize(
    ("dispatcher", "routing", "heights"),
    [
        pytest.param("alltoall", "balanced", ([128, 128], [128, 128]), id="alltoall-balanced"),
        pytest.param("allgather", "zipf:1", ([246, 123], [82, 61]), id="allgather-zipf"),
        pytest.param("alltoall", "weights.txt", ([192, 128], [128, 64]), id="alltoall-file"),
    ],
)
def test_experts_share_the_tokens_of_the_routing_policy(
    dispatcher: str,
    routing: str,
    heights: tuple[list[int], list[int]],
    tmp_path: Path,
    python_frameworks: Path,
    frameworks_environment: dict[str, str],
) -> None:
    (tmp_path / "weights.txt").write_text("3 2 2 1\n", encoding="utf-8")
    outcome = train(
        SCRIPT,
        f"--layers 1 --experts 4 --ep 2 --topk 2 --sequence 128 --dispatcher {dispatcher}",
        python_frameworks,
        tmp_path,
        frameworks_environment,
        routing=routing,
        value_policies=("token_dispatcher|moe_utils|router",),
    )
    for capture in outcome.run.captures:
        gemms = [d for d in capture.definitions() if d.op == "cublasGemmEx"]
        sizes = {d.number(side) for d in gemms for side in ("m", "n")}
        assert set(heights[capture.header.rank]) <= sizes, sizes
