"""Writes the measured accuracy into docs/estimator-results.md."""

from collections.abc import Iterator
from pathlib import Path

from maya.errors import MayaError
from maya.estimate.gemm.learned import trees_of
from maya.estimate.gemm.roofline import RooflineParameters
from maya.estimate.parameters import load
from workshop.fit import (
    attention,
    convolution,
    cudnn_attention,
    flash,
    gemm,
    gemm_fp8,
    grouped,
    memory,
    normalisation,
    planar,
    recurrent,
    simt,
    simt_power,
)
from workshop.fit.errors import Accuracy

_START, _END = "<!-- report: begin -->\n", "<!-- report: end -->\n"
_HEAD = "| {} | rows | median | 90th percentile | bias |\n|---|---|---|---|---|"


def write() -> None:
    """Replace what stands between the marks."""
    path = Path("docs/estimator-results.md")
    tables = "\n".join(lines())  # takes minutes: the page may change meanwhile
    before, start, rest = path.read_text("utf-8").partition(_START)
    _, end, after = rest.partition(_END)
    if not start or not end:
        raise MayaError(f"{path} has no marks for the report", hint=f"add {_START!r} and {_END!r}")
    path.write_text(before + _START + tables + "\n" + _END + after, "utf-8")


def lines() -> Iterator[str]:
    """All tables."""
    yield from _gemm()
    yield "\n### fp8 products (the same tables, one scale a tensor; roofline alone)\n"
    yield _HEAD.format("GPU, shapes kept from the fit")
    yield from (_row(name, found) for name, found in gemm_fp8.evaluate().items())
    yield "\n### Grouped products (layers of experts in bf16, with the kernels around them)\n"
    yield _HEAD.format("GPU, shapes kept from the fit")
    yield from (_row(name, found) for name, found in grouped.evaluate().items())
    yield "\n### fp32 products without tensor cores (NeuSight: linear and batched)\n"
    yield _HEAD.format("GPU, shapes kept from the fit")
    yield from (_row(name, found) for name, found in simt.evaluate().items())
    yield "\n### fp32 products on Hopper, Ada and Blackwell (KernelBench)\n"
    yield from _both_sides(simt_power.evaluate(), simt_power.leave_one_out())
    yield from _convolution()
    yield "\n### Convolutions in TF32 (KernelBench)\n"
    yield from _both_sides(planar.evaluate(), planar.leave_one_out())
    yield from _normalisation()
    yield from _attention()
    yield from _memory()


def _gemm() -> Iterator[str]:
    table = load("gemm.json")["tensor"]
    yield "### bf16 matrix products (aiconfigurator, TensorRT-LLM tables)\n"
    yield _HEAD.format("GPU, shapes kept from the fit")
    for gpu_id in gemm.SOURCES:
        fitted = RooflineParameters(**table[gpu_id])
        yield _row(gpu_id, gemm.evaluate(gpu_id, fitted, trees_of(gpu_id)))
        yield _row(f"{gpu_id}, roofline alone", gemm.evaluate(gpu_id, fitted, None))
    yield "\nSustained clocks: medians of large products by how long they last.\n"
    yield "| GPU | 0.3 to 3 ms | from 10 ms on | ratio |\n|---|---|---|---|"
    for gpu_id in gemm.SOURCES:
        short, long = (rate / 1e12 for rate in gemm.sustained(gpu_id))
        yield f"| {gpu_id} | {short:,.0f} TFLOP/s | {long:,.0f} TFLOP/s | {long / short:.2f} |"
    yield "\nMeasurements among themselves: 3 to 6 rows against those of one more and one less.\n"
    yield _HEAD.format("GPU")
    smooth = {gpu_id: gemm.neighbours(gpu_id) for gpu_id in gemm.SOURCES}
    yield from (_row(gpu_id, found) for gpu_id, found in smooth.items() if found)
    yield "\nLeave one GPU out: neither the roofline nor the trees have seen any row of the GPU.\n"
    yield _HEAD.format("GPU left out")
    for gpu_id in gemm.SOURCES:
        plain, learned = gemm.leave_one_out(gpu_id)
        yield _row(f"{gpu_id}, roofline of the others", plain)
        yield _row(f"{gpu_id}, with the others' trees", learned)


def _convolution() -> Iterator[str]:
    yield "\n### Convolutions, recurrent layers and fp16 products on V100 (DeepBench; NeuSight)\n"
    yield _HEAD.format("GPU, type and pass, shapes kept from the fit")
    yield from (_row(name, found) for name, found in convolution.evaluate().items())
    yield from (_row(name, found) for name, found in recurrent.evaluate().items())


def _normalisation() -> Iterator[str]:
    yield "\n### Batch normalisation in NCHW (profiler trace of ResNet-50 on V100, fp32)\n"
    yield _HEAD.format("GPU and pass, each shape by a fit to the others")
    yield from (_row(name, found) for name, found in normalisation.evaluate().items())


def _attention() -> Iterator[str]:
    yield "\n### Attention forward (aiconfigurator, causal and encoder, bf16)\n"
    yield _HEAD.format("GPU, shapes kept from the fit")
    for gpu_id in attention.SOURCES:
        yield from (_row(name, found) for name, found in attention.evaluate(gpu_id).items())
    yield "\n### Attention in both directions (FlashAttention's authors; all rows are fitted)\n"
    yield _HEAD.format("GPU and implementation")
    yield from (_row(name, found) for name, found in flash.evaluate().items())
    yield "\n### Attention on Blackwell in both directions (cudnn-frontend)\n"
    yield from _both_sides(cudnn_attention.evaluate(), cudnn_attention.leave_one_out())


def _both_sides(found: dict[str, Accuracy], left_out: dict[str, Accuracy]) -> Iterator[str]:
    """Rows of the fit, kept ones, and each GPU with the others' parameters."""
    yield _HEAD.format("Rows")
    yield from (_row(name, accuracy) for name, accuracy in found.items())
    yield from (_row(f"{gpu} left out", accuracy) for gpu, accuracy in left_out.items())


def _memory() -> Iterator[str]:
    yield "\n### Kernels bound by memory (vidur: vLLM's fp16 kernels; NeuSight: PyTorch's fp32)\n"
    yield _HEAD.format("GPU and operation, shapes kept from the fit")
    yield from (_row(name, found) for name, found in memory.evaluate().items())
    yield "\nLeave one GPU out, among those of one harness (NeuSight: above the host's floor).\n"
    yield _HEAD.format("GPU left out, with the others' parameters")
    yield from (_row(name, found) for name, found in memory.evaluate_others().items())


def _row(name: str, found: Accuracy) -> str:
    return f"| {name} | {found.as_row()} |"
