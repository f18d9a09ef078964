"""docs/trainers.md from what the runs left."""

import re
from collections.abc import Mapping

from outcome import Outcome
from table import Table, Trainer

_HEAD = """# Trainers

Programs as their projects ship them, run with `maya run` on a machine without a GPU.
`make test-trainers` writes this page. Repositories are fetched by whoever runs it; data are made
up and models are made from their configurations, because neither data sets nor checkpoints are at
hand. The batch is right if samples and tokens a step are those that the command asks for, or if
nothing is said where a number would mislead. What some rows expect was written down after a first
run had been looked at: the tokens of trl-dpo, mingpt-adder, llama-factory-lora and torchtune-lora,
the sample of MONAI, no numbers for nanochat (whose batch is not seen), GRPO and reinforcement
learning. A third of the programs are quick starts written after a project's own documentation,
where it ships no script that runs offline. Steps are from a crowded machine, which matters where
the CPU bounds them.
A row stays until its program is run again, so rows are from several states of Maya: about half were
last run with an older one.

"""
_DIRECTORIES = re.compile(r"(?<![\w.])/\S*/(?=[\w.-]+/[\w.-]+\.py:)")
_TITLES = ("program", "outcome", "step", "batch", "attention", "values read")
_STEP, _RIGHT = "a step", ", right"
_BATCH = _TITLES.index("batch")
_COLUMNS = f"| {' | '.join(_TITLES)} |\n|{'---|' * len(_TITLES)}\n"


def page(table: Table, outcomes: Mapping[str, Outcome], before: str = "") -> str:
    """Markdown: a table, then the commands. What was not run anew stands as on the page before."""
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in before.splitlines()}
    lines = {name: line for name, line in lines.items() if line.count(" | ") == len(_TITLES) - 1}
    rows = {
        row: _row(row, outcomes[row.name]) if row.name in outcomes else lines[row.name]
        for row in table.trainers
        if row.name in outcomes or row.name in lines
    }
    cells = [line.split(" | ") for line in rows.values()]
    stepped = sum(outcome == _STEP for _, outcome, *_ in cells)
    right = sum(cell[_BATCH].endswith(_RIGHT) for cell in cells)
    counts = f"{len(rows)} programs ran: {stepped} gave a step, {right} the right answer.\n\n"
    made = "".join(f"{line}\n" for line in rows.values())
    return "".join(
        (
            _HEAD,
            counts,
            _COLUMNS,
            made,
            _absent(table),
            "\n## Commands\n\n",
            _commands(table, [*rows]),
        )
    )


def _absent(table: Table) -> str:
    lines = "".join(f"* {name}: {why}\n" for name, why in table.absent.items())
    return f"\n## Not run\n\n{lines}"


def _row(row: Trainer, seen: Outcome) -> str:
    step = "" if seen.step_ms is None else f"{seen.step_ms:.3g} ms"
    outcome = _STEP if seen.step_ms is not None else _cell(seen.reason)
    cells = (row.name, outcome, step, _batch(row, seen), ", ".join(seen.attention) or "none")
    notes = _cell("; ".join(seen.notes)) or "nothing"
    return f"| {' | '.join(cells)} | {notes} |"


def _batch(row: Trainer, seen: Outcome) -> str:
    told = _amount(seen.samples, seen.tokens, seen.unit)
    wanted = _amount(row.samples, row.tokens, row.unit)
    return f"{told}{_RIGHT}" if seen.right else f"{told}, not {wanted}"


def _amount(samples: float | None, tokens: float | None, unit: str) -> str:
    parts = [] if samples is None else [f"{samples:,.0f} {unit}"]
    parts += [] if tokens is None else [f"{tokens:,.0f} tokens"]
    return ", ".join(parts) or "not told"


def _commands(table: Table, rows: list[Trainer]) -> str:
    return "".join(
        f"* {row.name}{_origin(row, table)}: `{' '.join(row.command)}`\n" for row in rows
    )


def _origin(row: Trainer, table: Table) -> str:
    packages = ", ".join(table.environments[row.environment])
    source = f"{row.source} {row.revision}".strip()
    return f" ({'; '.join(part for part in (source, packages) if part)})"


def _cell(text: str) -> str:
    """Files by their last two names: where they lay is of no interest."""
    return _DIRECTORIES.sub("", text.replace("|", "/").replace("\n", " "))
