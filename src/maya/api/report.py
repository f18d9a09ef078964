"""A prediction for Python: the typed summary, and its tables as polars frames."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from maya.analyze import Prediction, RunAnswer
    from maya.summary import Summary


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A part of the page, for notebooks: shown where a cell ends with it."""

    html: str
    height: int  # pixels

    def __repr__(self) -> str:
        return f"<Drawing, {len(self.html):,} bytes of HTML: shown in a notebook, or save(path)>"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither page's style reaches the other."""
        from html import escape

        kept = f'srcdoc="{escape(self.html)}" sandbox="allow-scripts"'
        return f'<iframe {kept} style="width:100%;height:{self.height}px;border:0"></iframe>'

    def save(self, path: Path | str) -> Path:
        """As a file for a browser."""
        from maya.rundir import write_whole

        return write_whole(Path(path), self.html, durable=False)


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """`summary` is summary.json, typed; the tables are polars frames.

    A script that ran out of memory, or came to no step, has a summary but no prediction, and its
    tables are empty; `summary.no_step` says why.
    """

    summary: Summary
    prediction: Prediction | None
    run_dir: Path

    @classmethod
    def of(cls, answer: RunAnswer, run_dir: Path) -> Report:
        """What was answered about a run."""
        return cls(answer.summary, answer.prediction, run_dir)

    def __repr__(self) -> str:
        from maya.report import duration

        step = self.summary.step
        time = f"step {duration(step.time_ms)}" if step else self.summary.no_step
        misfit = ", out of memory" if step and self.out_of_memory else ""
        return f"<Report {self.summary.cluster.name}: {time}{misfit}, in {self.run_dir}>"

    def _repr_html_(self) -> str:
        """For notebooks: the top of the page."""
        from html import escape

        from maya.page.facts import facts
        from maya.report import answer_line

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(fact.name)}</th><td>{escape(fact.value)}</td>"
            f"<td>{escape(fact.meaning)}</td></tr>"
            for fact in facts(self.summary)
        )
        return f"<b>{escape(answer_line(self.summary))}</b><table>{rows}</table>"

    def page(self, path: Path | str | None = None) -> Path:
        """Write the page with timeline and memory (`maya report --html`); returns its place."""
        from maya.page import run_page, write_page
        from maya.rundir import names
        from maya.trace import collect

        place = self.run_dir / names.PAGE if path is None else Path(path)
        captures = () if self.prediction else collect(self.run_dir).captures
        return write_page(run_page(self.summary, self.prediction, captures=captures), place)

    def timeline(self, height: int = 420) -> Drawing:
        """The timeline of one step, drawn in a notebook: zoom, search, what each piece is."""
        return self._drawing("timeline", height)

    def memory_plot(self, height: int = 640) -> Drawing:
        """Memory over the step and who holds the peak, drawn in a notebook."""
        return self._drawing("memory", height)

    def _drawing(self, part: str, height: int) -> Drawing:
        from maya.errors import MayaError
        from maya.page import part_page, render

        if self.prediction is None:
            raise MayaError(f"there is no step to draw: {self.summary.no_step}")
        return Drawing(render(part_page(part, self.summary, self.prediction)), height)

    @property
    def step_ms(self) -> float | None:
        """Predicted time of a step."""
        return self.summary.step.time_ms if self.summary.step else None

    @property
    def out_of_memory(self) -> bool:
        """Whether it does not fit."""
        return self.summary.memory.oom

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
        """Steps of all trials when every rank was simulated (`jitter=`, `slow_node=`)."""
        spread = self.prediction.spread if self.prediction else None
        return _frame([{"step_ms": step / 1e6} for step in spread.steps_ns] if spread else [])

    @property
    def memory(self) -> pl.DataFrame:
        """Peak memory by rank."""
        rows = [asdict(rank) for rank in self.summary.memory.per_rank]
        return _frame([{key: row[key] for key in row if key != "holders"} for row in rows])

    @property
    def holders(self) -> pl.DataFrame:
        """Who holds the memory of the fullest GPU."""
        held = self.summary.memory.held.categories
        return _frame([{"category": name, "bytes": size} for name, size in held.items()])


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    from maya.frames import polars

    table: pl.DataFrame = polars("a table of a report").DataFrame(rows)
    return table
