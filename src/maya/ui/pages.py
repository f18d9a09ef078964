"""The pages behind the list: a run, two runs side by side, a search."""

from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.page import Side, diff_page, render, run_page
from maya.prediction import predict_again
from maya.recipe_search.names import PAGE
from maya.summary import KeptPrediction, read_prediction
from maya.trace import collect


def run_html(path: Path) -> str:
    """The page of `maya report --html`, without the simulations of what would help."""
    kept = read_prediction(path)
    prediction, run = _prediction(path, kept), collect(path)
    return render(run_page(kept.summary, prediction, what_if=False, captures=run.captures))


def diff_html(before: Path, after: Path) -> str:
    """The page of `maya diff --html`."""
    sides = []
    for path in (before, after):
        kept = read_prediction(path)
        name = f"{path.name} ({kept.summary.cluster.name})"
        sides.append(Side(name, kept, _prediction(path, kept)))
    return render(diff_page(*sides))


def search_html(path: Path) -> str | None:
    """What `maya search` wrote at its end; None before."""
    page = path / PAGE
    return page.read_text("utf-8") if page.is_file() else None


def _prediction(path: Path, kept: KeptPrediction) -> Prediction | None:
    return predict_again(collect(path), kept.summary) if kept.summary.step else None
