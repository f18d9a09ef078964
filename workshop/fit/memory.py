"""Bandwidth, cache and latency of each GPU from kernels bound by memory."""

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import row_wise_ns, stream_ns
from maya.estimate.parameters import MOST_EFFICIENCY, DeviceParameters
from maya.hardware import Gpu
from workshop.fit.devices import neusight_devices, vidur_devices
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.memory_data import NEUSIGHT_TENSORS, Samples, neusight, vidur
from workshop.fit.others import of_others
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_NAMES = ("floor_ns", "memory_efficiency", "cached_share", "cache_speedup", "row_ns")
_START = (2000.0, 0.88, 0.6, 1.5, 450.0)
_STARTS = ((250.0, 0.6), (30.0, 0.6), (600.0, 1.5))  # of row_ns and cached_share
_HARNESS = ("other", "softmax", "ln")
_PRIOR = 0.3  # residual of a parameter that is off by a factor of e
_SAMPLE = 400  # rows an operation, for the fit
_PLAIN = set(NEUSIGHT_TENSORS) - {"softmax", "ln", "pow", "powu"}  # pow computes


@dataclass(frozen=True, slots=True)
class Fit:
    """Parameters of a device, and what the harness added to every kernel."""

    parameters: DeviceParameters
    harness_ns: Mapping[str, float]  # by operation: host work and events around the kernel


def predict(samples: Samples, device: Gpu, fit: Fit) -> Array:
    """What the harness would show."""
    fitted = fit.parameters
    slow = np.array([fit.parameters.classes.get(kind, 1.0) for kind in np.unique(samples.kind)])
    slowdown = slow[np.unique(samples.kind, return_inverse=True)[1]]
    if samples.rows:
        busy = row_wise_ns(samples.bytes, samples.rows, device, fitted, slowdown)
    else:
        busy = slowdown * stream_ns(samples.bytes, device, fitted)
    total = fitted.floor_ns + fit.harness_ns.get(samples.operation, fit.harness_ns["other"]) + busy
    return np.asarray(np.maximum(samples.host_ns, total))


def fit_device(samples: Sequence[Samples], device: Gpu, harness: bool) -> Fit:
    """Robust least squares of the logarithm, on rows that are not held out."""
    from scipy.optimize import least_squares

    chosen = [_thin(part) for part in samples]
    kinds = sorted({str(kind) for part in chosen for kind in np.unique(part.kind)} - _PLAIN)
    first = np.log([*_START, *[12000.0] * 3, *[1.1] * len(kinds)])

    def unpack(point: Array) -> Fit:
        values = np.exp(point).tolist()
        if harness:  # a constant cannot be told from the harness's own: keep what is typical
            values[0] = _START[0]
        else:  # every kernel of vLLM has a class of its own: nothing else fixes the bandwidth
            values[1] = _START[1]
        around = values[5:8] if harness else [0.0] * 3
        classes = dict(zip(kinds, values[8:], strict=True))
        named = dict(zip(_NAMES, values[:5], strict=True))
        harness_ns = dict(zip(_HARNESS, around, strict=True))
        return Fit(DeviceParameters(**named, classes=classes), harness_ns)

    def residuals(point: Array) -> Array:
        fit = unpack(point)
        errors = [np.log(predict(part, device, fit) / part.measured_ns) for part in chosen]
        return np.concatenate([*errors, (point - first) * _PRIOR])

    low, high = first - 3.0, first + 3.0
    low[3], high[1] = 0.0, np.log(MOST_EFFICIENCY)  # L2 is not slower than memory
    found = []
    for row_ns, share in _STARTS:
        start = first.copy()
        start[[2, 4]] = np.log([share, row_ns])
        found.append(
            least_squares(residuals, start, bounds=(low, high), loss="soft_l1", f_scale=0.05)
        )
    return _rounded(unpack(min(found, key=lambda result: float(result.cost)).x))


def _rounded(fit: Fit) -> Fit:
    """Four digits: more would claim what was never measured."""

    def short(value: float) -> float:
        return float(f"{value:.4g}")

    values = {name: short(getattr(fit.parameters, name)) for name in _NAMES}
    classes = {name: short(value) for name, value in fit.parameters.classes.items()}
    harness_ns = {name: short(value) for name, value in fit.harness_ns.items()}
    return Fit(DeviceParameters(**values, classes=classes), harness_ns)


def _thin(samples: Samples) -> Samples:
    seen = samples.where(~samples.held_out)
    step = max(1, len(seen.bytes) // _SAMPLE)
    order = np.argsort(seen.bytes, kind="stable")[::step]
    chosen = np.zeros(len(seen.bytes), bool)
    chosen[order] = True
    return seen.where(chosen)


def fit_all() -> None:
    """Write memory.json."""
    fits = {device.id: (device, fit_device(data, device, harness))
            for device, data, harness in sources()}  # fmt: skip
    content: dict[str, dict[str, dict[str, Any]]] = {"gpus": {}, "architectures": {}}
    for gpu_id, (device, fit) in fits.items():
        values = asdict(fit.parameters) | {"harness_ns": fit.harness_ns}
        content["gpus"][gpu_id] = values
        shared = content["architectures"].setdefault(device.architecture, copy.deepcopy(values))
        shared["classes"] = {**fit.parameters.classes, **shared["classes"]}
    path = PARAMETERS / "memory.json"
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"memory {name}: {found.as_row()}", flush=True)


def sources() -> list[tuple[Gpu, list[Samples], bool]]:
    """Every measured device with its samples, and whether its harness adds a constant."""
    # An architecture takes the parameters of its first GPU here.
    by_profiler = [(gpu, vidur(name), False) for name, gpu in vidur_devices().items()]
    by_events = [(gpu, neusight(name), True) for name, gpu in neusight_devices().items()]
    return by_profiler + by_events


def evaluate() -> dict[str, Accuracy]:
    """On held-out rows, by device and operation, with the shipped parameters."""
    stored = json.loads((PARAMETERS / "memory.json").read_text("utf-8"))["gpus"]
    found = {}
    for device, parts, _ in sources():
        values = dict(stored[device.id])
        harness_ns = values.pop("harness_ns")
        fit = Fit(DeviceParameters(**values), harness_ns)
        for part in parts:
            unseen = part.where(part.held_out)
            name = f"{device.id} {part.operation}"
            found[name] = accuracy(predict(unseen, device, fit), unseen.measured_ns)
            if part.host_ns:  # below, the constant of the harness is judged, not the kernel
                slow = unseen.where(unseen.measured_ns > 1.3 * part.host_ns)
                found[f"{name}, above the host's floor"] = accuracy(
                    predict(slow, device, fit), slow.measured_ns
                )
    return found


def evaluate_others() -> dict[str, Accuracy]:
    """All operations of a device together, with the parameters of the other devices.

    Devices of one harness among themselves: kernels of the other are no classes of theirs.
    """
    stored = json.loads((PARAMETERS / "memory.json").read_text("utf-8"))["gpus"]
    result = {}
    for device, parts, by_events in sources():
        alike = [other.id for other, _, events in sources() if events == by_events]
        others = of_others({name: _flat(stored[name]) for name in alike}, alike, device.id)
        named = {name: others[name] for name in _NAMES}
        classes = {name: value for name, value in others.items() if name not in _NAMES}
        fit = Fit(DeviceParameters(**named, classes=classes), stored[device.id]["harness_ns"])
        chosen = [part.where(part.held_out) for part in parts]
        if by_events:
            chosen = [p.where(p.measured_ns > 1.3 * p.host_ns) for p in chosen if p.host_ns]
        found = np.concatenate([predict(part, device, fit) for part in chosen])
        measured = np.concatenate([part.measured_ns for part in chosen])
        result[f"{device.id}, all operations"] = accuracy(found, measured)
    return result


def _flat(values: Mapping[str, Any]) -> dict[str, float]:
    """Parameters and classes side by side."""
    return {name: values[name] for name in _NAMES} | dict(values["classes"])
