"""What came of a run: read from the summary that `maya run` left."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from table import Trainer

_CLOSE = 0.02
_ON_VALUES = re.compile(r"\b(?:values?|masks?)\b.*\b(?:kernels?|computed|norms?)\b")
_ATTENTION = ("flash", "fmha", "sdpa", "attn", "attention")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row of the page."""

    name: str
    exit_code: int
    seconds: float
    step_ms: float | None = None
    samples: float | None = None
    tokens: float | None = None
    unit: str = "samples"
    right: bool = False
    attention: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # on values that the program read
    reason: str = ""


def read_outcome(row: Trainer, exit_code: int, seconds: float, run: Path) -> Outcome:
    """Compare the batch with the row's; without a step its reason must be the row's."""
    path = run / "summary.json"
    if not path.exists():
        return Outcome(row.name, exit_code, seconds, reason="no summary")
    summary = json.loads(path.read_text("utf-8"))
    step = (summary.get("step") or {}).get("time_ms")
    if step is None:
        reason = str(summary["no_step"])
        right = bool(row.reason) and row.reason in reason
        return Outcome(row.name, exit_code, seconds, right=right, reason=reason)
    rates = summary["throughput"]
    samples, tokens = (_per_step(rates[k], step) for k in ("samples_per_s", "tokens_per_s"))
    right = _same(samples, row.samples) and _same(tokens, row.tokens)
    return Outcome(
        row.name,
        exit_code,
        seconds,
        step,
        samples,
        tokens,
        rates["sample_unit"],
        right and rates["sample_unit"] == row.unit,
        _attention(run),
        tuple(note for note in summary["notes"] if _ON_VALUES.search(note)),
    )


def keep(outcome: Outcome, directory: Path) -> None:
    """For the page, which is written from all of them."""
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(outcome), indent=2) + "\n"
    (directory / f"{outcome.name}.json").write_text(text, "utf-8")


def kept(directory: Path) -> dict[str, Outcome]:
    """By name."""
    found = {}
    for path in sorted(directory.glob("*.json")):
        raw = json.loads(path.read_text("utf-8"))
        lists = {key: tuple(raw[key]) for key in ("attention", "notes")}
        found[path.stem] = Outcome(**{**raw, **lists})
    return found


def _per_step(rate: float | None, step_ms: float) -> float | None:
    return None if rate is None else rate * step_ms / 1e3


def _same(seen: float | None, wanted: float | None) -> bool:
    if seen is None or wanted is None:
        return seen is None and wanted is None
    return abs(seen / wanted - 1) <= _CLOSE


def _attention(run: Path) -> tuple[str, ...]:
    kernels = [json.loads(path.read_text("utf-8")) for path in run.rglob("kernels.json")]
    names = {
        row["name"].partition("<")[0]
        for table in kernels
        for row in table["rows"]
        if any(word in row["name"].lower() for word in _ATTENTION)
    }
    return tuple(sorted(names))
