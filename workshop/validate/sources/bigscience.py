"""GPT 1.3B on two nodes of four V100 (Megatron-DeepSpeed): BigScience's notes on topologies.

The notes give parameters, sequence length and batch; layers, width and heads are those usual for
1.3 billion. Rows of other sections are left out: they do not say the model's shape, or need
hundreds of ranks or micro-batches.
"""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_SECTION, _TABLE = "32GB node", "1"
_BATCH, _NODES, _PER_NODE = 512, 2, 4
_MOST_MICRO_BATCHES = 32
_MODEL = ("--layers", "24", "--hidden", "2048", "--heads", "16", "--seq-len", "2048")


def cases(data: Measurements) -> list[Case]:
    """Rows of the 1.3B model on 32 GB GPUs with recomputation and few micro-batches."""
    rows = [
        row
        for row in read_rows(data, "bigscience_v100.csv")
        if row["source"].endswith("tr3m-1B3.md") and row["section"] == _SECTION
        if row["table_no"] == _TABLE and row["Speed"].isdigit()
        if _BATCH // int(row["DP"]) // int(row["MBS"]) <= _MOST_MICRO_BATCHES
    ]
    return [_case(row, seen) for row, seen in spread(rows, len(rows))]


def _case(row: Row, seen: bool) -> Case:
    shape = [word for name in ("TP", "DP", "PP") for word in (f"--{name.lower()}", row[name])]
    return Case(
        source="bigscience",
        name=f"GPT 1.3B tp{row['TP']} dp{row['DP']} pp{row['PP']} {row['MBS']}/{_BATCH}",
        script="megatron_gpt_zero1.py",
        arguments=(*_MODEL, "--global-batch", str(_BATCH), "--micro-batch", row["MBS"], *shape),
        cluster=f"v100-32:{_PER_NODE}x{_NODES}",
        measured_ms=1e3 * float(row["Speed"]),
        seen=seen,
    )
