"""cuDNN's recurrent networks: input products at once, then one small product a time step."""

from maya.estimate.cost import floor_ns
from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.problem import TYPE_BYTES, GemmProblem, precision
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition

_GATES = {0: 1, 1: 1, 2: 4, 3: 3}  # cudnnRNNMode_t: relu, tanh, LSTM, GRU
_STEP_NS = 2500.0  # synchronisation of a step, in kernels that keep weights on chip


def rnn_estimate(work: Definition, device: Gpu) -> Estimate | None:
    """Layers and directions one after the other."""
    number = work.number
    hidden, batch, steps = number("hidden"), number("batch"), number("max_length")
    if min(hidden, batch, steps) <= 0:
        return None
    gates = _GATES.get(number("cell"), 4)
    element = number("type")
    rate = precision(element, 77 if number("math_type") else 68, 0)
    size = TYPE_BYTES.get(element, 4.0)
    weights = work.op.endswith("weights")
    directions = max(1, number("directions", 1))
    flops, moved, total_ns = 0.0, 0.0, floor_ns(device)
    for layer in range(max(1, number("layers", 1))):
        inputs = number("input") if layer == 0 else hidden * directions
        tokens = max(1, number("total_length", batch * steps))
        products = [_product(tokens, gates * hidden, inputs, weights, rate, size)]
        step = _product(batch, gates * hidden, hidden, False, rate, size)
        if weights:
            products.append(_product(tokens, gates * hidden, hidden, True, rate, size))
        estimates = [gemm_estimate(product, device) for product in products]
        total_ns += directions * sum(estimate.duration_ns for estimate in estimates)
        if not weights:
            one = gemm_estimate(step, device)
            total_ns += directions * steps * max(_STEP_NS, one.duration_ns)
            flops += directions * steps * one.flops
        flops += directions * sum(estimate.flops for estimate in estimates)
        moved += directions * sum(estimate.bytes for estimate in estimates)
    return Estimate(max(1, round(total_ns)), Source.ANALYTICAL, 0.5, flops, moved)


def _product(
    tokens: int, outs: int, inputs: int, transposed: bool, rate: str, size: float
) -> GemmProblem:
    if transposed:
        return GemmProblem(outs, max(1, inputs), tokens, 1, rate, size, size)
    return GemmProblem(tokens, outs, max(1, inputs), 1, rate, size, size)
