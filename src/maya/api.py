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


@dataclass(frozen=True, slots=True)
class Report:
    """A prediction: `summary` is summary.json, the tables are polars frames."""

    summary: dict[str, Any]
    prediction: Prediction
    run_dir: Path

    @property
    def step_ms(self) -> float:
        """Predicted time of a step."""
        return float(self.summary["step"]["time_ms"])

    @property
    def kernels(self) -> pl.DataFrame:
        """Device time of a step by kernel."""
        import polars as pl

        from maya.analyze.tables import kernel_table

        return pl.DataFrame([asdict(row) for row in kernel_table(self.prediction)])

    @property
    def ranks(self) -> pl.DataFrame:
        """Where the time of a step goes, by rank."""
        import polars as pl

        return pl.DataFrame([asdict(rank) for rank in self.prediction.ranks])

    @property
    def memory(self) -> pl.DataFrame:
        """Peak memory by rank."""
        import polars as pl

        rows = [asdict(rank) for rank in self.prediction.memory]
        return pl.DataFrame([{k: v for k, v in row.items() if k != "holders"} for row in rows])


def run(command: Sequence[str], *, cluster: str = "h100:1", **options: Any) -> Report:
    """Emulate a command and predict it; options are those of `maya.emulate`."""
    from maya.emulate import emulate
    from maya.hardware import find_cluster

    target = find_cluster(cluster)
    result = emulate(
        command, gpu=target.gpu.id, gpus=target.per_node, nodes=target.nodes, **options
    )
    if result.status != ExitCode.OK:
        raise MayaError(
            f"the command failed with exit code {result.exit_code}", exit_code=result.status
        )
    return simulate(result.run_dir, cluster=cluster)


def simulate(run_dir: Path | str, *, cluster: str, **options: Any) -> Report:
    """Predict a recorded run on a cluster; options are those of `maya.analyze.Options`."""
    from maya.analyze import Options, predict, summary_of
    from maya.hardware import find_cluster
    from maya.trace import collect

    recorded = collect(run_dir)
    prediction = predict(recorded.captures, find_cluster(cluster), Options(**options))
    return Report(summary_of(prediction, recorded), prediction, Path(run_dir))


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
