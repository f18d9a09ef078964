"""The commands as functions: `maya.run(...)`, `maya.simulate(...)`, `maya.search(...)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maya.errors import ExitCode, MayaError

if TYPE_CHECKING:
    import polars as pl

    from maya.analyze import Prediction
    from maya.search.answer import Answer
    from maya.simulate.variation import Variation


@dataclass(frozen=True, slots=True)
class Report:
    """A prediction: `summary` is summary.json, the tables are polars frames.

    A script that ran out of memory, or came to no step, has a summary but no prediction, and its
    tables are empty; `summary["no_step"]` says why.
    """

    summary: dict[str, Any]
    prediction: Prediction | None
    run_dir: Path

    @property
    def step_ms(self) -> float | None:
        """Predicted time of a step."""
        step = self.summary["step"]
        return None if step is None else float(step["time_ms"])

    @property
    def out_of_memory(self) -> bool:
        """Whether it does not fit."""
        return bool(self.summary["memory"]["oom"])

    @property
    def kernels(self) -> pl.DataFrame:
        """Device time of a step by kernel."""
        from maya.analyze.tables import kernel_table

        return _frame([asdict(r) for r in kernel_table(self.prediction)] if self.prediction else [])

    @property
    def critical_path(self) -> pl.DataFrame:
        """What the step waits for, the longest first."""
        path = self.prediction.path.contributors if self.prediction else ()
        return _frame([asdict(contributor) for contributor in path])

    @property
    def ranks(self) -> pl.DataFrame:
        """Where the time of a step goes, by rank."""
        return _frame([asdict(rank) for rank in self.prediction.ranks] if self.prediction else [])

    @property
    def every_rank(self) -> pl.DataFrame:
        """Steps of all trials when every rank was simulated (`variation=`)."""
        spread = self.prediction.spread if self.prediction else None
        return _frame([{"step_ms": step / 1e6} for step in spread.steps_ns] if spread else [])

    @property
    def memory(self) -> pl.DataFrame:
        """Peak memory by rank."""
        rows = self.summary["memory"]["per_rank"]
        return _frame([{k: v for k, v in row.items() if k != "holders"} for row in rows])

    @property
    def holders(self) -> pl.DataFrame:
        """Who holds the memory of the fullest GPU."""
        memory = self.summary["memory"]
        held = (memory["failure"] or {}).get("held", memory["peak"])["categories"]
        return _frame([{"category": name, "bytes": size} for name, size in held.items()])


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows)


def run(
    command: Sequence[str],
    *,
    cluster: str = "h100:1",
    variation: Variation | None = None,
    **options: Any,
) -> Report:
    """Emulate a command and predict it; options are those of `maya.emulate`."""
    from maya.analyze.summary import script_ran_out_of_memory
    from maya.emulate import emulate
    from maya.hardware import find_cluster
    from maya.trace import collect

    target = find_cluster(cluster)
    result = emulate(command, gpu=target.gpu, gpus=target.per_node, nodes=target.nodes, **options)
    failed = result.status != ExitCode.OK
    if failed and not (result.captures and script_ran_out_of_memory(collect(result.run_dir))):
        raise MayaError(
            f"the command failed with exit code {result.exit_code}", exit_code=result.status
        )
    return simulate(result.run_dir, cluster=cluster, variation=variation)


def simulate(
    run_dir: Path | str,
    *,
    cluster: str,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
    **options: Any,
) -> Report:
    """Predict a recorded run on a cluster; options are those of `maya.analyze.Options`.

    Like the command, it leaves summary.json and the table of kernels in the run's directory.
    """
    from maya.analyze import Options, answer_of, write_summary
    from maya.analyze.tables import kernel_table, write_table
    from maya.hardware import find_cluster
    from maya.trace import collect

    recorded, target = collect(run_dir), find_cluster(cluster)
    directory = recorded.path if recorded.path.is_dir() else recorded.path.parent
    summary, prediction = answer_of(
        recorded,
        target,
        Options(**options),
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
    )
    write_summary(directory, summary)
    if prediction is not None:
        write_table(directory, kernel_table(prediction))
    return Report(summary, prediction, directory)


def search(file: Path | str | dict[str, Any], **options: Any) -> Answer:
    """The best recipe of a search file, or of the same as a dictionary.

    Options are those of `maya.search.engine.Options`, and keys of the file to replace.
    """
    from dataclasses import fields

    from maya.search.answer import answer_of
    from maya.search.engine import Options
    from maya.search.engine import search as run_search
    from maya.search.file import SearchFile

    own = {field.name for field in fields(Options)}
    how = Options(**{name: value for name, value in options.items() if name in own})
    changes = {name: value for name, value in options.items() if name not in own}
    given = SearchFile.model_validate(file) if isinstance(file, dict) else file
    return answer_of(run_search(given, options=how, **changes))
