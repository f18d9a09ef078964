"""Recurrent layers: what a time step costs beside its product.

DeepBench (V100, CUDA 10) tells the passes and the products apart. KernelBench's LSTM and GRU tell
how much less a step takes today: the launches of its kernels, by the host, alike on every GPU.
"""

import json
import math
import zlib
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from maya.estimate.library.recurrent import PassCost, Recurrence, pass_ns
from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.fit import deepbench
from workshop.fit.dataset import HELD_OUT
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.kernelbench import Timing, timings
from workshop.paths import PARAMETERS

_CELLS = {"LSTM": 4, "LTSM": 4, "GRU": 3}  # gates, by KernelBench's names
_LAYER = (256, 128)  # hidden and input size of all of KernelBench's
PASSES = ("fwd", "bwd_data", "bwd_weights")
_BOUNDS = ((500.0, 0.5), (60_000.0, 2.0))  # of a step's constant, and of the product's factor


def kept(row: deepbench.Recurrent) -> bool:
    """One shape in five is never fitted."""
    return zlib.crc32(f"{row.hidden},{row.batch},{row.steps}".encode()) % HELD_OUT == 0


def predict(rows: list[deepbench.Recurrent], name: str, cost: PassCost) -> npt.NDArray[np.float64]:
    """The recurrent part alone: DeepBench skips the products of the input."""
    gpu = find_gpu(deepbench.GPU)
    layers = [Recurrence(r.gates, r.hidden, r.batch, r.steps, "fp16", 2.0) for r in rows]
    return np.array([pass_ns(layer, name, gpu, cost) for layer in layers])


def fit_all() -> None:
    """Into recurrent.json."""
    from scipy.optimize import least_squares

    content: dict[str, Any] = {}
    rows = [row for row in deepbench.recurrent() if not kept(row)]
    for name in PASSES:
        times = np.array([row.time_ns[name] for row in rows])

        def residuals(
            point: npt.NDArray[np.float64],
            name: str = name,
            times: npt.NDArray[np.float64] = times,
        ) -> npt.NDArray[np.float64]:
            return np.log(predict(rows, name, PassCost(*point.tolist())) / times)

        found = least_squares(
            residuals, (10_000.0, 1.0), bounds=_BOUNDS, x_scale=(1e4, 1.0), loss="soft_l1"
        )
        content[name] = [round(float(found.x[0])), round(float(found.x[1]), 3)]
    content["today"] = _today(content["fwd"])
    path = PARAMETERS / "recurrent.json"
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for label, result in evaluate().items():
        print(f"{label}: {result.as_row()}", flush=True)


@dataclass(frozen=True, slots=True)
class Stack:
    """Layers of KernelBench, forward, on one GPU."""

    gpu: str
    cell: str
    runs: int  # layers times directions
    layer: Recurrence
    time_ns: float
    kept: bool


def stacks() -> list[Stack]:
    """One size of layer, both cells, one and two directions."""
    return [_stack(t) for t in timings("level3") if any(cell in t.name for cell in _CELLS)]


def _stack(timing: Timing) -> Stack:
    given = timing.constants
    cell = next(cell for cell in _CELLS if cell in timing.name)
    steps = given["sequence_length"] if "sequence_length" in given else given["seq_len"]
    width = "tf32" if "tf32" in find_gpu(timing.gpu).flops_per_s else "fp32"
    layer = Recurrence(_CELLS[cell], _LAYER[0], given["batch_size"], steps, width, 4.0)
    runs = given["num_layers"] * (2 if "Bidirectional" in timing.name else 1)
    kept = zlib.crc32(f"{timing.name},{timing.gpu}".encode()) % HELD_OUT == 0
    return Stack(timing.gpu, cell, runs, layer, timing.time_ms * NS_PER_MS, kept)


def _stack_ns(stack: Stack, cost: PassCost) -> float:
    """Products of the inputs are a thousandth of it."""
    return stack.runs * pass_ns(stack.layer, "fwd", find_gpu(stack.gpu), cost)


def _today(fitted: list[float]) -> float:
    """A step's constant against that of CUDA 10: the middle of all stacks that are not kept."""
    logs = []
    for stack in (stack for stack in stacks() if not stack.kept):
        product_ns = _stack_ns(stack, PassCost(0.0, fitted[1]))
        steps = stack.runs * stack.layer.steps
        logs.append(math.log(max(1.0, stack.time_ns - product_ns) / steps / fitted[0]))
    return float(f"{math.exp(median(logs)):.3g}")


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit, and KernelBench's on both sides."""
    stored = json.loads((PARAMETERS / "recurrent.json").read_text("utf-8"))
    rows = [row for row in deepbench.recurrent() if kept(row)]
    found = {
        f"v100 fp16 rnn {name}": accuracy(
            predict(rows, name, PassCost(*stored[name])),
            np.array([row.time_ns[name] for row in rows]),
        )
        for name in PASSES
    }
    cost = PassCost(stored["fwd"][0] * stored["today"], stored["fwd"][1])
    for side in (False, True):
        chosen = [stack for stack in stacks() if stack.kept == side]
        times = np.array([stack.time_ns for stack in chosen])
        label = f"LSTM and GRU today, {'kept' if side else 'fitted'}"
        found[label] = accuracy(np.array([_stack_ns(stack, cost) for stack in chosen]), times)
    return found
