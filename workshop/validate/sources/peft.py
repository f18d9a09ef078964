"""Adapters of PEFT on Llama-3.2-3B, on one L40S: the project's own comparison of its methods."""

import json

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_COUNT = 8  # and as many unseen
_TASK = "MetaMathQA"  # the other trains an image model of a library that is not at hand
_OTHER = ("ADALORA",)  # prunes ranks while it trains, so its steps change over the run
_NOT_OURS = ("peft_version", "base_model_name_or_path")
_MODEL = "llama-3.2-3B-"
_IMPLIED = {"OFT": {"oft_block_size": 0}}  # where a row leaves out what the installed PEFT asks for


def cases(data: Measurements) -> list[Case]:
    """Rows evenly over the file, which goes by the adapter's name."""
    rows = [row for row in read_rows(data, "peft_l40s.csv") if _can_run(row)]
    return [_case(row, seen) for row, seen in spread(rows, _COUNT)]


def _can_run(row: Row) -> bool:
    own = row["task"] == _TASK and row["optimizer"] == "AdamW" and row["status"] == "success"
    return own and json.loads(row["peft_config"])["peft_type"] not in _OTHER


def _case(row: Row, seen: bool) -> Case:
    told = {k: v for k, v in json.loads(row["peft_config"]).items() if k not in _NOT_OURS}
    adapter = _IMPLIED.get(told["peft_type"], {}) | told
    seconds = float(row["train_time_sum_s"]) / int(row["steps"])
    tokens = round(float(row["mean_tokens_s"]) * seconds) - int(row["batch"])  # ends are counted
    words = {
        "adapter": json.dumps({"task_type": "CAUSAL_LM"} | adapter, sort_keys=True),
        "batch": row["batch"],
        "tokens": str(tokens),
    }
    return Case(
        source="peft",
        name=row["experiment"].replace(_MODEL, ""),
        script="peft_llama.py",
        arguments=tuple(word for name, value in words.items() for word in (f"--{name}", value)),
        cluster="l40s:1",
        measured_ms=1e3 * seconds,
        seen=seen,
        frameworks=True,
    )
