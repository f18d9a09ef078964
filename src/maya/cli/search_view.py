"""What `maya search` prints."""

from types import TracebackType

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from maya.cli.render import SafeConsole, stderr
from maya.recipe_search.answers.answer import Answer, recipe_of
from maya.recipe_search.answers.front import places
from maya.recipe_search.answers.plot import plot
from maya.recipe_search.choice.history import Done
from maya.recipe_search.engine import Search
from maya.recipe_search.trials.jobs import Metrics
from maya.report import duration
from maya.units import GIB


class Progress:
    """A bar on a terminal, a line a trial elsewhere."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Bar(*columns, TimeElapsedColumn(), console=stderr)
        self._task = self._bar.add_task("searching", total=None)
        self._best: float | None = None

    def __enter__(self) -> "Progress":
        if stderr.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if stderr.is_terminal:
            self._bar.stop()

    def __call__(self, done: Done, total: int) -> None:
        """A trial has ended."""
        step = done.outcome.metrics.get("step_ms") if done.outcome.status == "ok" else None
        if step is not None:
            self._best = step if self._best is None else min(self._best, step)
        if stderr.is_terminal:
            best = f"best {duration(self._best)}" if self._best is not None else "nothing fits yet"
            self._bar.update(self._task, total=total, advance=1, description=best)
            return
        result = duration(step) if step is not None else _no_result(done)
        stderr.print(
            f"trial {done.number}: {escape(done.point.label())} on {escape(done.point.cluster)}: "
            f"{result} ({done.outcome.how}, {done.outcome.seconds:.1f} s)",
            soft_wrap=True,
        )


def _no_result(done: Done) -> str:
    if done.outcome.status == "hopeless":
        step_ms = done.outcome.metrics["step_ms"] or 0.0
        return f"ended early, cannot win: over {duration(step_ms)}"
    return {"oom": "out of memory"}.get(done.outcome.status, done.outcome.status)


def show(answer: Answer, state: Search, top: int) -> None:
    """The ranked table, why, what matters, and what was not done."""
    if answer.best is None:
        _show_failure(answer)
    else:
        # Rich takes 80 columns where nobody looks, which cuts every number short.
        wide = stderr if stderr.is_terminal else SafeConsole(stderr=True, width=160)
        wide.print(_table(answer, state, top))
        _show_equal(answer)
        _show_front(answer)
        for line in answer.why:
            stderr.print(escape(line), soft_wrap=True)
        _show_importance(answer)
        best = recipe_of(answer.best, state)
        env = "".join(f"{name}={value} " for name, value in best.env.items())
        where = f" on {best.cluster}" if len(state.space.clusters) > 1 else ""
        stderr.print(f"[bold]best{escape(where)}[/]: {escape(env + best.command)}", soft_wrap=True)
    _show_counts(answer)


def _show_failure(answer: Answer) -> None:
    """What the recipes came to, and what the first of the scripts that failed said."""
    counts, failed = answer.document.counts, answer.document.failed
    ends = {"ran out of memory": counts.oom, "failed": counts.failed}
    ends |= {"were ended early": counts.hopeless, "broke a limit": counts.ok}
    told = ", ".join(f"{number} {what}" for what, number in ends.items() if number)
    stderr.print(f"[bold red]No recipe worked[/]: {told or 'none was tried'}.", soft_wrap=True)
    for label, message in list(failed.items())[:1]:
        stderr.print(f"The first error, of {escape(label)}:", soft_wrap=True)
        stderr.print(escape(message), soft_wrap=True)


def _table(answer: Answer, state: Search, top: int) -> Table:
    varied = [n for n in state.space.names if len({d.point.knobs[n] for d in answer.ranked}) > 1]
    clusters = len(state.space.clusters) > 1
    table = Table("", *(["cluster"] if clusters else []), *varied, "step", "interval", "MFU")
    for heading in ("memory", "exposed", "$/1B tokens", "trial"):
        table.add_column(heading)
    front = {done.number for done in answer.front}
    for place, done in enumerate(answer.ranked[:top], start=1):
        metrics = done.outcome.metrics
        mark = "=" if 1 < place <= answer.equal_to_best else ""
        usd = recipe_of(done, state).usd_per_1b_tokens
        table.add_row(
            f"{place}{mark}",
            *([escape(done.point.cluster)] if clusters else []),
            *(escape(str(done.point.knobs[name])) for name in varied),
            duration(metrics["step_ms"] or 0.0),
            _interval(metrics),
            f"{metrics['mfu'] or 0.0:.1%}",
            f"{(metrics['peak_bytes'] or 0.0) / GIB:.1f} GiB",
            duration(metrics["exposed_ms"] or 0.0),
            "" if usd is None else f"{usd:,.2f}",
            f"{done.number}{' *' if len(front) > 1 and done.number in front else ''}",
        )
    return table


def _interval(metrics: Metrics) -> str:
    step, low, high = (metrics[name] or 0.0 for name in ("step_ms", "low_ms", "high_ms"))
    return f"-{1 - low / step:.0%} +{high / step - 1:.0%}" if step else ""


def _show_equal(answer: Answer) -> None:
    if answer.equal_to_best > 1:
        stderr.print(
            f"the first {answer.equal_to_best} are equal within the error (marked =); "
            "take any of them"
        )
    if len(answer.front) > 1:
        stderr.print("* Pareto-optimal: no other recipe is both faster and cheaper")


def _show_front(answer: Answer) -> None:
    """Only where there is a choice to be made."""
    found = places(answer.ranked)
    if len(answer.front) > 1 and len(found.of) == len(answer.ranked):
        front = {done.number for done in answer.front}
        marks = [number in front for number in found.of]
        for line in plot(list(found.of.values()), marks, found.unit):
            stderr.print(line, markup=False, soft_wrap=True)


def _show_importance(answer: Answer) -> None:
    if answer.importance:
        parts = (f"{name} {share:.0%}" for name, share in answer.importance.items())
        stderr.print(f"which knobs matter: {escape(', '.join(parts))}", soft_wrap=True)


def _told(counts: dict[str, int]) -> str:
    """`4 worked, 2 failed`: what there is none of is left out."""
    return ", ".join(f"{number:,} {what}" for what, number in counts.items() if number) or "none"


def _show_counts(answer: Answer) -> None:
    counts, space = answer.document.counts, answer.document.space
    ends = {
        "worked": counts.ok,
        "ran out of memory": counts.oom,
        "ended early because they could not win": counts.hopeless,
        "failed": counts.failed,
        "skipped because a lighter one ran out of memory": counts.pruned,
        "not tried": counts.not_tried,
    }
    how = {
        "emulated": counts.emulated,
        "simulated again from the recording of another": counts.resimulated,
        "the same as one before": counts.reused,
    }
    stderr.print(
        f"{space.feasible:,} of {space.combinations:,} combinations can run: {_told(ends)}. "
        f"{counts.evaluated} were evaluated in {answer.document.seconds:.0f} s ({_told(how)}).",
        soft_wrap=True,
    )
    reasons: dict[str, int] = {}
    for reason in answer.document.pruned.values():
        key = reason.partition(": ")[2]
        reasons[key] = reasons.get(key, 0) + 1
    for key, number in sorted(reasons.items(), key=lambda item: -item[1])[:6]:
        stderr.print(f"  skipped {number}: out of memory, as a lighter one: {escape(key)}")
