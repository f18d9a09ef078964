"""Bandwidth, cache and latency of each GPU from kernels bound by memory."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean
from typing import Any

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import row_wise_ns, stream_ns
from maya.estimate.parameters import MOST_EFFICIENCY, DeviceParameters
from maya.hardware import Gpu, find_gpu
from workshop.fit.devices import neusight_devices, vidur_devices
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.memory_data import NEUSIGHT_TENSORS, Samples, neusight, vidur
from workshop.fit.operator_data import gpus_with_operators, operator_samples
from workshop.fit.others import of_others
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_START = {
    "floor_ns": 2000.0,
    "memory_efficiency": 0.88,
    "cached_share": 0.6,
    "cache_speedup": 1.5,
    "block_ns": 2000.0,
    "trip_ns": 600.0,
    "issued_a_cycle": 64.0,
}
# Residual of a parameter that is off by a factor of e: most are known from other GPUs.
_PRIORS = {"memory_efficiency": 5.0, "block_ns": 0.5, "trip_ns": 0.5, "issued_a_cycle": 1.0}
_PRIOR, _CLASS_PRIOR = 0.3, 0.5
_NAMES = tuple(_START)
_STARTS = ((3000.0, 0.6), (600.0, 0.6), (3000.0, 1.5))  # of block_ns and cached_share
_SLOWDOWN = 1.1  # of a class, before anything is known of it
_HARNESS_NS = 12000.0
_HARNESS = ("other", "softmax", "ln")
_WEIGHT = 2.0  # of a published operator against one of thousands of rows of a sweep
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


def fit_device(
    samples: Sequence[Samples], device: Gpu, harness: bool, typical: Mapping[str, float] = _START
) -> Fit:
    """Robust least squares of the logarithm, on rows that are not held out.

    What the rows leave open stays near what is typical of the architecture.
    """
    from scipy.optimize import least_squares

    chosen = [_thin(part) for part in samples]
    operators = operator_samples(device.id)
    kinds = sorted(_kinds(chosen) | (operators.kinds if operators else set()))
    count = len(_NAMES)
    harness_ns = [_HARNESS_NS] * len(_HARNESS)
    named_first = [typical.get(name, _START[name]) for name in _NAMES]
    classes_first = [typical.get(kind, _SLOWDOWN) for kind in kinds]
    first = np.log([*named_first, *harness_ns, *classes_first])
    priors = np.array(
        [*(_PRIORS.get(name, _PRIOR) for name in _NAMES), *[_PRIOR] * len(_HARNESS),
         *[_CLASS_PRIOR] * len(kinds)]
    )  # fmt: skip

    def unpack(point: Array) -> Fit:
        values = np.exp(point).tolist()
        if harness or not samples:  # a constant cannot be told from the harness's own
            values[0] = _START["floor_ns"]
        elif not operators:  # every kernel of vLLM has a class of its own: nothing else fixes it
            values[1] = _START["memory_efficiency"]
        around = values[count : count + len(_HARNESS)] if harness else [0.0] * len(_HARNESS)
        classes = dict(zip(kinds, values[count + len(_HARNESS) :], strict=True))
        named = dict(zip(_NAMES, values[:count], strict=True))
        return Fit(
            DeviceParameters(**named, classes=classes), dict(zip(_HARNESS, around, strict=True))
        )

    def residuals(point: Array) -> Array:
        fit = unpack(point)
        errors = [np.log(predict(part, device, fit) / part.measured_ns) for part in chosen]
        if operators:
            found = operators.predict(device, fit.parameters)
            errors.append(_WEIGHT * np.log(found / operators.measured_ns))
        return np.concatenate([*errors, (point - first) * priors])

    low, high = first - 3.0, first + 3.0
    low[3], high[1] = 0.0, np.log(MOST_EFFICIENCY)  # L2 is not slower than memory
    found = []
    for block_ns, share in _STARTS:
        start = first.copy()
        start[[2, 4]] = np.log([share, block_ns])
        found.append(
            least_squares(residuals, start, bounds=(low, high), loss="soft_l1", f_scale=0.05)
        )
    return _rounded(unpack(min(found, key=lambda result: float(result.cost)).x))


def _kinds(samples: Sequence[Samples]) -> set[str]:
    return {str(kind) for part in samples for kind in np.unique(part.kind)} - _PLAIN


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
    """Write memory.json: each GPU once by itself, then again near what its architecture shows."""
    parts = sources()
    alone = {device.id: fit_device(data, device, harness) for device, data, harness in parts}
    typical = {
        architecture: _typical(
            [alone[device.id] for device, _, _ in parts if device.architecture == architecture]
        )
        for architecture in {device.architecture for device, _, _ in parts}
    }
    gpus = {
        device.id: fit_device(data, device, harness, typical[device.architecture])
        for device, data, harness in parts
    }
    content = {
        "gpus": {
            name: asdict(fit.parameters) | {"harness_ns": fit.harness_ns}
            for name, fit in gpus.items()
        },
        "architectures": {name: _nested(typical[name]) for name in sorted(typical)},
    }
    path = PARAMETERS / "memory.json"
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"memory {name}: {found.as_row()}", flush=True)


def _typical(fits: Sequence[Fit]) -> dict[str, float]:
    """Geometric means, each over the GPUs that tell it."""
    found: dict[str, list[float]] = {}
    for fit in fits:
        for name, value in _flat(asdict(fit.parameters)).items():
            found.setdefault(name, []).append(value)
    return {name: float(f"{geometric_mean(values):.4g}") for name, values in found.items()}


def _nested(values: Mapping[str, float]) -> dict[str, Any]:
    """As a GPU's parameters are written."""
    named: dict[str, Any] = {name: values[name] for name in _NAMES}
    return named | {"classes": {name: v for name, v in values.items() if name not in _NAMES}}


def sources() -> list[tuple[Gpu, list[Samples], bool]]:
    """Every measured device with its samples, and whether its harness adds a constant."""
    # An architecture takes the parameters of its first GPU here.
    by_profiler = [(gpu, vidur(name), False) for name, gpu in vidur_devices().items()]
    by_events = [(gpu, neusight(name), True) for name, gpu in neusight_devices().items()]
    swept = by_profiler + by_events
    known = {gpu.id for gpu, _, _ in swept}
    alone = [find_gpu(name) for name in gpus_with_operators() if name not in known]
    return [*swept, *((gpu, [], False) for gpu in alone)]


def evaluate() -> dict[str, Accuracy]:
    """On held-out rows, by device and operation, with the shipped parameters."""
    stored = json.loads((PARAMETERS / "memory.json").read_text("utf-8"))["gpus"]
    found = {}
    for device, parts, _ in sources():
        values = dict(stored[device.id])
        harness_ns = values.pop("harness_ns")
        fit = Fit(DeviceParameters(**values), harness_ns)
        for part in parts:  # operators are judged by `validate ops`
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
        if not parts:
            continue
        alike = [other.id for other, own, events in sources() if own and events == by_events]
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
