"""Samples and tokens of a step, from what was recorded."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import DIMENSIONS, FixedDurations, Script

from maya.analyze import Options, predict, summary_of
from maya.analyze.batch import Batch
from maya.hardware import find_cluster
from maya.trace import Capture, collect

LOSS = (
    "_ZN2at6native39_GLOBAL__N__5cd812b1_7_Loss_cu_5b0651e138nll_loss_forward_reduce_cuda_kernel_2d"
    "IfflEEvPT_S4_PKS3_PKT1_S6_bllll"
)
LOOKUP = "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_illllb"
STEPS = 2


def job(
    directory: Path,
    *,
    world: int = 1,
    rows: int = 4096,
    kinds: Sequence[str] = ("lookup", "attention", "loss"),
) -> list[Capture]:
    """Ranks whose steps do these things, in order."""
    return [_rank(directory, rank, world, rows, kinds) for rank in range(world)]


def _rank(directory: Path, rank: int, world: int, rows: int, kinds: Sequence[str]) -> Capture:
    script = Script(rank=rank, world=world)
    members = ",".join(map(str, range(world)))
    script.call(script.define("comm", 21, comm=1, rank=rank, nranks=world, members=members), a=7)
    shape = {"comm": 1, "count": 1 << 20, "datatype": 7, "rank": rank, "nranks": world}
    blob = b"\0" * 48 + struct.pack("<q", rows) + b"\0" * 24
    made = {
        "lookup": script.define("kernel", 1, kernel=LOOKUP, **DIMENSIONS, blob=b"\0" * 65),
        "attention": script.define("cudnn_attention_fwd", 2, b=4, h_q=2, s_q=1024, d_qk=64),
        "loss": script.define("kernel", 1, kernel=LOSS, **DIMENSIONS, blob=blob),
        "image": script.define("cudnn_conv_fprop", 2, n=32, c=3, k=64, x_type=0),
        "reduce": script.define("ncclAllReduce", 12, **shape),
        "gemm": script.gemm,
    }
    for piece in range(STEPS + 2):
        script.call(script.kernel, stream=1)
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        for kind in kinds:
            script.call(made[kind], stream=1)
    script.call(script.kernel, stream=1)
    script.call(script.boundary, a=STEPS + 2, cpu_ns=0)
    script.steady(STEPS + 2, STEPS)
    return script.save(directory)


def seen(captures: list[Capture]) -> Batch:
    chain = Options(chain=FixedDurations())
    return predict(run_of(captures), find_cluster("h100:8"), chain).batch


def test_rows_of_the_loss_are_tokens_of_a_language_model(tmp_path: Path) -> None:
    assert seen(job(tmp_path)) == Batch(samples=4, tokens=4096)


def test_nodes_of_a_graph_are_looked_up_and_are_no_text(tmp_path: Path) -> None:
    assert seen(job(tmp_path, rows=140, kinds=("lookup", "gemm", "loss"))) == Batch()


def test_labels_may_be_a_token_shorter_than_the_sequence(tmp_path: Path) -> None:
    assert seen(job(tmp_path, rows=4 * 1023)) == Batch(samples=4, tokens=4096)


def test_micro_batches_add_up(tmp_path: Path) -> None:
    kinds = ("lookup", "attention", "loss") * 3
    assert seen(job(tmp_path, kinds=kinds)) == Batch(samples=12, tokens=3 * 4096)


def test_data_parallel_ranks_have_samples_of_their_own(tmp_path: Path) -> None:
    kinds = ("lookup", "attention", "loss", "gemm", "reduce")
    assert seen(job(tmp_path, world=4, kinds=kinds)) == Batch(samples=16, tokens=4 * 4096)


def test_ranks_that_reduce_activations_share_their_samples(tmp_path: Path) -> None:
    kinds = ("lookup", "gemm", "reduce", "attention", "loss", "gemm", "reduce")
    assert seen(job(tmp_path, world=4, kinds=kinds)) == Batch(samples=4, tokens=4096)


def test_rows_of_the_loss_are_samples_of_a_classifier(tmp_path: Path) -> None:
    assert seen(job(tmp_path, rows=32, kinds=("gemm", "loss"))) == Batch(samples=32)


def test_first_convolution_tells_the_images(tmp_path: Path) -> None:
    assert seen(job(tmp_path, kinds=("image", "gemm"))) == Batch(samples=32)


def test_patches_are_not_samples(tmp_path: Path) -> None:
    assert seen(job(tmp_path, rows=8, kinds=("image", "loss"))) == Batch(samples=8)


def test_pixels_with_labels_are_not_samples(tmp_path: Path) -> None:
    assert seen(job(tmp_path, rows=4096, kinds=("image", "loss"))) == Batch(samples=32)


def test_batch_that_cannot_be_seen_is_unknown(tmp_path: Path) -> None:
    captures = job(tmp_path, kinds=("gemm",))
    assert seen(captures) == Batch()
    options = Options(chain=FixedDurations(), samples_per_step=10)
    prediction = predict(run_of(captures), find_cluster("h100:1"), options)
    rates = summary_of(prediction, collect(tmp_path)).throughput
    assert rates.tokens_per_s is None
    assert rates.samples_per_s == pytest.approx(1e10 / prediction.step_ns)
