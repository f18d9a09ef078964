"""Arguments that make no sense: the launch is counted, named, and its time called a guess."""

import struct
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import DIMENSIONS, Script

from maya.analyze import Options, predict, summary_of
from maya.estimate import Source, default_chain
from maya.estimate.kernels import optimizer
from maya.estimate.kernels.signature import signature
from maya.hardware import find_cluster, find_gpu
from maya.testing.works import POINTER, kernel

H100 = find_gpu("h100")
LIST = "void at::native::multi_tensor_apply_kernel<{}, {}>({})"
ADAM = LIST.format(
    "at::native::FusedOptimizerTensorListMetadata<4>",
    "at::native::FusedAdamMathFunctor<float, 4>",
    "",
)
LOSS = "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>()"
NOT_UNDERSTOOD = 2  # layout of a launch


def _loss(rows: int, **fields: int):
    return kernel(LOSS, POINTER * 6 + struct.pack("<q", rows), **fields)


def test_a_list_of_another_layout_is_a_guess_and_says_so():
    digest = struct.pack("<QQ", 600 * 1024, 600)
    read = default_chain().estimate(kernel(ADAM, digest, grid=(600,), layout=1), H100)
    lost = default_chain().estimate(kernel(ADAM, grid=(600,), layout=NOT_UNDERSTOOD), H100)
    assert (read.source, read.understood) == (Source.ANALYTICAL, True)
    assert (lost.source, lost.understood, lost.uncertainty) == (Source.ASSUMED, False, 1.0)


def test_sizes_are_bounded_by_the_memory_behind_the_addresses():
    """Half an address was read as 1.3 billion rows once: 780 ms."""
    misread = _loss(1_300_000_000, reach_bytes=20 << 20)
    answer = default_chain().estimate(misread, H100)
    assert not answer.understood
    assert answer.duration_ns < 1_000_000
    fits = default_chain().estimate(_loss(100_000, reach_bytes=20 << 20), H100)
    assert (fits.source, fits.understood) == (Source.ANALYTICAL, True)


def test_a_guess_is_bounded_by_the_memory_behind_the_addresses_too():
    lost = {"grid": (320,), "layout": NOT_UNDERSTOOD}
    near = default_chain().estimate(kernel(ADAM, reach_bytes=2 << 20, **lost), H100)
    anywhere = default_chain().estimate(kernel(ADAM, **lost), H100)
    assert near.bytes == 8 * 2 << 20
    assert near.duration_ns < anywhere.duration_ns / 10


def test_a_kernel_that_nobody_knows_is_no_launch_that_was_misread():
    answer = default_chain().estimate(kernel("nobody_knows_me", grid=(256,)), H100)
    assert (answer.source, answer.understood) == (Source.ASSUMED, True)


@pytest.mark.parametrize(
    ("metadata", "depth"),
    [
        ("TensorListMetadata<2>", 2),
        ("TensorListScalarListMetadata<float, 3>", 3),
        ("TensorListScalarListMetadata<c10::complex<double>, 1>", 1),
    ],
)
def test_lists_are_counted_whatever_else_their_type_tells(metadata: str, depth: int):
    name = LIST.format(f"at::native::{metadata}", "at::native::SomeFunctor", "")
    assert optimizer.passes(kernel(name), signature(name)) == 1 + depth


def test_the_summary_names_what_was_not_understood(tmp_path: Path):
    script = Script()
    fields = {"kernel": ADAM, **DIMENSIONS, "layout": NOT_UNDERSTOOD}
    lost = script.define("kernel", 1, **fields)
    for piece in range(4):
        script.call(script.gemm, stream=1)
        script.call(lost, stream=1)
        script.call(script.boundary, a=piece + 1, cpu_ns=0)
    script.steady(4, 2)
    capture = script.save(tmp_path)
    run = run_of([capture])
    prediction = predict(run, find_cluster("h100:1"), Options())
    summary = summary_of(prediction, run)
    told = "3 of the launches of fused_adam were not understood"
    assert any(note.startswith(told) for note in summary.notes)
    assert summary.not_understood == {"fused_adam": 3}
