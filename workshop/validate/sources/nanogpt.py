"""GPT-2 124M on eight H100 with torch.compile: speed runs of modded-nanogpt."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows

_LATER = "2024-10-18"  # the record from which on Muon is shared, by the date in its name


def cases(data: Measurements) -> list[Case]:
    """Both rows."""
    return [_case(row) for row in read_rows(data, "modded_nanogpt_sample.csv")]


def _case(row: Row) -> Case:
    record = row["record"].rpartition("/")[2]
    arguments = (
        *("--width", row["n_embd"], "--heads", row["n_head"], "--layers", row["n_layer"]),
        *("--seq-len", row["sequence_length"], "--batch-size", row["device_batch_size"]),
        *(["--later"] if record >= _LATER else []),
    )
    return Case(
        source="nanogpt",
        name=record,
        script="nanogpt_muon.py",
        arguments=arguments,
        cluster=f"h100:{row['n_gpu_lines']}",
        measured_ms=float(row["marginal_step_ms_20_80"]),
        seen=False,
    )
