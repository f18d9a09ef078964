"""Attention on Blackwell, both directions: cuDNN and FlashAttention 2, of cudnn-frontend."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maya.estimate.attention import AttentionParameters, AttentionProblem, attention_ns
from maya.estimate.parameters import device_parameters
from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.fit.dataset import HELD_OUT
from workshop.fit.errors import Accuracy, accuracy
from workshop.fit.flash import carried_over
from workshop.measurements.store import measurements
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_GPUS = {"NVIDIA_B200": "b200", "GB200": "gb200", "gb200": "gb200", "h200": "h200"}
_IMPLEMENTATIONS = {
    "cudnn": "cudnn",
    "pyt_cudnn": "cudnn",
    "cudnn_fe": "cudnn",
    "pyt_flash_attention": "flash2",
    "flash_attention": "flash2",
}  # by backend
_START = {"forward": 0.5, "backward": 0.4, "small_head": 0.9, "large_head": 1.0, "diagonal": 1.0}
_PRIOR = 0.02
_LEAST_MS = 0.3  # shorter calls show the host
_TIMES = {
    "fwd": ("forward_time", "fwd_time_ms"),
    "bwd": ("backward_time", "bwd_time_ms"),
}


@dataclass(frozen=True, slots=True)
class AttentionSample:
    """One direction of one problem."""

    gpu: str
    problem: AttentionProblem
    time_ns: float
    kept: bool  # one shape in five is never fitted


def samples(implementation: str, *gpus: str) -> list[AttentionSample]:
    """bf16 without windows; newer releases of cuDNN and older ones."""
    rows = measurements().table("cudnn_attention").iter_rows(named=True)
    found = (sample for row in rows for sample in _samples(row))
    return [s for s in found if s.gpu in gpus and s.problem.implementation == implementation]


def _samples(row: dict[str, Any]) -> Iterator[AttentionSample]:
    gpu = next((_GPUS[part] for part in _GPUS if part in row["raw_file"]), "")
    named = row["backend"] in _IMPLEMENTATIONS
    narrow = "fp8" in f"{row['data_type']} {row['precision']} {row['backend']} {row['raw_file']}"
    if not gpu or not named or (narrow and row["data_type"] != "bfloat16"):
        return
    if row["sliding_window_size"] or row["success"] is False:
        return
    for direction in _TIMES:
        time_ms = _time_ms(row, direction)
        if time_ms and time_ms > _LEAST_MS:
            problem = _problem(row, direction == "bwd")
            key = (problem.batch, problem.heads, problem.queries, problem.dim, problem.causal)
            kept = zlib.crc32(",".join(map(str, key)).encode()) % HELD_OUT == 0
            yield AttentionSample(gpu, problem, time_ms * NS_PER_MS, kept)


def _time_ms(row: dict[str, Any], direction: str) -> float | None:
    if row["profile_pass"] == direction and row["time_ms"]:
        return float(row["time_ms"])
    found = (row[name] for name in _TIMES[direction] if row[name])
    return next((float(time) for time in found if np.isfinite(time) and time > 0), None)


def _problem(row: dict[str, Any], backward: bool) -> AttentionProblem:
    """Heads of two sizes count by their mean: one product has either."""
    inner, outer = row["head_dim_qk"] or row["head_dim"], row["head_dim_vo"] or row["head_dim"]
    causal = bool(row["is_causal"]) or row["attn_mask"] == "top_left"
    return AttentionProblem(
        row["batch_size"], row["num_q_heads"], row["num_kv_heads"], row["q_seqlen"],
        row["kv_seqlen"], (inner + outer) / 2, causal, backward, _IMPLEMENTATIONS[row["backend"]],
    )  # fmt: skip


def predict(rows: Sequence[AttentionSample], fitted: AttentionParameters) -> Array:
    """As the estimator would."""
    found = []
    for row in rows:
        gpu = find_gpu(row.gpu)
        busy_ns = float(attention_ns(row.problem, gpu, fitted))
        found.append(device_parameters(gpu).floor_ns + busy_ns)
    return np.array(found)


def fit(rows: Sequence[AttentionSample]) -> AttentionParameters:
    """Five numbers, robustly."""
    from scipy.optimize import least_squares

    first = np.log(list(_START.values()))
    measured = np.log([row.time_ns for row in rows])

    def unpack(point: Array) -> AttentionParameters:
        return AttentionParameters(**dict(zip(_START, np.exp(point).tolist(), strict=True)))

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, unpack(point))) - measured
        return np.concatenate([error, _PRIOR * (point - first)])

    found = least_squares(residuals, first, loss="soft_l1", f_scale=0.1)
    values = [float(f"{value:.4g}") for value in np.exp(found.x)]
    return AttentionParameters(**dict(zip(_START, values, strict=True)))


def fit_all() -> None:
    """Into attention.json, for Blackwell."""
    path = PARAMETERS / "attention.json"
    content = json.loads(path.read_text("utf-8"))
    for implementation in ("cudnn", "flash2"):
        rows = [row for row in samples(implementation, "b200", "gb200") if not row.kept]
        content[implementation]["blackwell"] = asdict(fit(rows))
    content["efficient"]["blackwell"] = carried_over(content, "blackwell")
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for label, found in evaluate().items():
        print(f"{label}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """Both sides and directions on Blackwell, and Hopper's fit on H200, which took no part."""
    stored = json.loads((PARAMETERS / "attention.json").read_text("utf-8"))
    result = {}
    for implementation in ("cudnn", "flash2"):
        fitted = AttentionParameters(**stored[implementation]["blackwell"])
        rows = samples(implementation, "b200", "gb200")
        for kept in (False, True):
            for backward in (False, True):
                chosen = [r for r in rows if r.kept == kept and r.problem.backward == backward]
                side = f"{'backward' if backward else 'forward'}, {'kept' if kept else 'fitted'}"
                result[f"blackwell {implementation} {side}"] = _accuracy(chosen, fitted)
    hopper = AttentionParameters(**stored["cudnn"]["hopper"])
    return result | {"h200 cudnn, not fitted": _accuracy(samples("cudnn", "h200"), hopper)}


def leave_one_out() -> dict[str, Accuracy]:
    """cuDNN's on each GPU with the other's fit."""
    rows, result = samples("cudnn", "b200", "gb200"), {}
    for gpu in ("b200", "gb200"):
        others = fit([row for row in rows if row.gpu != gpu and not row.kept])
        result[gpu] = _accuracy([row for row in rows if row.gpu == gpu], others)
    return result


def _accuracy(rows: Sequence[AttentionSample], fitted: AttentionParameters) -> Accuracy:
    return accuracy(predict(rows, fitted), np.array([row.time_ns for row in rows]))
