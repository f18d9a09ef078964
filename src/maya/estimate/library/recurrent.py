"""cuDNN's recurrent networks: input products at once, then one small product a time step."""

from dataclasses import dataclass

from maya.estimate.cost import floor_ns
from maya.estimate.gemm.estimator import gemm_estimate
from maya.estimate.gemm.problem import TYPE_BYTES, GemmProblem, precision
from maya.estimate.parameters import load
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition

_GATES = {0: 1, 1: 1, 2: 4, 3: 3}  # cudnnRNNMode_t: relu, tanh, LSTM, GRU
_STANDARD = 0  # cudnnRNNAlgo_t; the others keep weights on chip
_PERSISTENT_NS = 2500.0  # synchronisation of a step there; chosen, not fitted


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One layer in one direction, without the products of its input."""

    gates: int
    hidden: int
    batch: int
    steps: int
    precision: str
    element_bytes: float

    @property
    def step(self) -> GemmProblem:
        """All gates of one time step."""
        return _product(self.batch, self.gates * self.hidden, self.hidden, self)

    @property
    def gradient(self) -> GemmProblem:
        """Of the recurrent weights, over all steps at once."""
        outs, tokens = self.gates * self.hidden, self.batch * self.steps
        return _product(outs, self.hidden, tokens, self)


@dataclass(frozen=True, slots=True)
class PassCost:
    """Of a time step: several dependent kernels beside the product, whose time is scaled."""

    step_ns: float
    product: float


def pass_ns(layer: Recurrence, name: str, device: Gpu, cost: PassCost) -> float:
    """Time of the recurrent part of fwd, bwd_data or bwd_weights."""
    if name == "bwd_weights":
        gradient = gemm_estimate(layer.gradient, device).duration_ns
        return layer.steps * cost.step_ns + cost.product * gradient
    one = gemm_estimate(layer.step, device).duration_ns
    return layer.steps * (cost.step_ns + cost.product * one)


def rnn_estimate(work: Definition, device: Gpu) -> Estimate | None:
    """Layers and directions one after the other."""
    number = work.number
    hidden, batch, steps = number("hidden"), number("batch"), number("max_length")
    if min(hidden, batch, steps) <= 0:
        return None
    element = number("type")
    rate = precision(element, 77 if number("math_type") else 68, 0)
    size = TYPE_BYTES.get(element, 4.0)
    gates = _GATES.get(number("cell"), 4)
    layer = Recurrence(gates, hidden, batch, steps, rate, size)
    name = work.op.removeprefix("cudnn_rnn_")
    recurrent_ns = pass_ns(layer, name, device, _cost(name, number("algorithm")))
    recurrent = layer.gradient if name == "bwd_weights" else layer.step
    runs = 1 if name == "bwd_weights" else steps
    directions = max(1, number("directions", 1))
    flops, moved, total_ns = 0.0, 0.0, floor_ns(device)
    for index in range(max(1, number("layers", 1))):
        inputs = number("input") if index == 0 else hidden * directions
        tokens = max(1, number("total_length", batch * steps))
        sizes = (tokens, gates * hidden, max(1, inputs))
        m, n, k = (sizes[1], sizes[2], sizes[0]) if name == "bwd_weights" else sizes
        first = gemm_estimate(_product(m, n, k, layer), device)
        total_ns += directions * (first.duration_ns + recurrent_ns)
        flops += directions * (first.flops + runs * recurrent.flops)
        moved += directions * (first.bytes + runs * recurrent.bytes)
    return Estimate(max(1, round(total_ns)), Source.ANALYTICAL, 0.4, flops, moved)


def _cost(name: str, algorithm: int) -> PassCost:
    if algorithm != _STANDARD and name != "bwd_weights":
        return PassCost(_PERSISTENT_NS, 1.0)
    fitted = load("recurrent.json")
    step_ns, product = fitted.get(name, (10_000.0, 1.0))
    if name != "bwd_weights":  # launches of a step take less since CUDA 12, alike both ways
        step_ns *= fitted["today"]
    return PassCost(float(step_ns), float(product))


def _product(m: int, n: int, k: int, layer: Recurrence) -> GemmProblem:
    width = layer.element_bytes
    return GemmProblem(m, n, k, 1, layer.precision, width, width)
