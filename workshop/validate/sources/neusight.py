"""Hugging Face models in FP32, eager and compiled: labels published with NeuSight."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_GPUS = {
    "NVIDIA_A100-PCIE-40GB": "a100-pcie-40",
    "NVIDIA_L4": "l4",
    "Tesla_T4": "t4",
    "Tesla_V100-PCIE-32GB": "v100-32",
}
_COUNT = 28  # and as many unseen: every row
# PyTorch 2.9 has no code for compute capability 6: the programs would not run there.
_NOT_IN_PYTORCH = ("Tesla_P100-PCIE-16GB", "Tesla_P4")
_UNPUBLISHED = ("switch4",)  # its configuration
# Copies of keys and values, which the library makes today and did not make then, do not fit.
_WITHOUT_CACHE = (("gpt3_27", "8"), ("gpt3_xl", "8"), ("opt_13", "8"))


def cases(data: Measurements) -> list[Case]:
    """All rows that can be run."""
    rows = read_rows(data, "neusight_labels_fp32_sample.csv")
    return [_case(row, seen) for row, seen in spread(rows, _COUNT) if _can_run(row)]


def _can_run(row: Row) -> bool:
    return row["device"] not in _NOT_IN_PYTORCH and row["model"] not in _UNPUBLISHED


def _case(row: Row, seen: bool) -> Case:
    words = [row["model"], row["mode"], f"{row['batch']}x{row['seq_len']}", row["variant"]]
    arguments = (
        *("--model", row["model"]),
        *("--batch-size", row["batch"]),
        *("--seq-len", row["seq_len"]),
        *(["--train"] if row["mode"] == "train" else []),
        *(["--compile"] if row["variant"] == "fusion" else []),
    )
    cacheless = (row["model"], row["batch"]) in _WITHOUT_CACHE
    return Case(
        source="neusight",
        name=" ".join(word for word in words if word),
        script="transformers_no_cache.py" if cacheless else "transformers_eager.py",
        arguments=arguments,
        cluster=f"{_GPUS[row['device']]}:1",
        measured_ms=float(row["e2e_ms"]),
        seen=seen,
        without_optimizer=True,
    )
