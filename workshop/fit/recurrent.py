"""Recurrent layers of DeepBench on V100: what a time step costs beside its product."""

import json
import zlib

import numpy as np
import numpy.typing as npt

from maya.estimate.library.recurrent import PassCost, Recurrence, pass_ns
from maya.hardware import find_gpu
from workshop.fit import deepbench
from workshop.fit.dataset import HELD_OUT
from workshop.fit.errors import Accuracy, accuracy
from workshop.paths import PARAMETERS

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

    content = {}
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
    path = PARAMETERS / "recurrent.json"
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for label, result in evaluate().items():
        print(f"{label}: {result.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """On the shapes kept from the fit."""
    stored = json.loads((PARAMETERS / "recurrent.json").read_text("utf-8"))
    rows = [row for row in deepbench.recurrent() if kept(row)]
    return {
        f"v100 fp16 rnn {name}": accuracy(
            predict(rows, name, PassCost(*stored[name])),
            np.array([row.time_ns[name] for row in rows]),
        )
        for name in PASSES
    }
