"""What there is to look at below a directory. Things are known by a number that only a listing
gives, so that no request can name a file."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.recipe_search.names import PAGE, STUDY
from maya.report import answer_line
from maya.rundir import names
from maya.summary import read_prediction

_DEPTH = 3  # maya-runs/NAME, maya-searches/NAME, and one more


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run with a prediction."""

    id: str
    name: str
    answer: str
    cluster: str
    step_ms: float | None
    memory_bytes: int
    made_at: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """A search: finished where it has an answer."""

    id: str
    name: str
    trials: dict[str, int]  # state -> how many
    best: float | None  # of the first objective
    objective: str  # its name; empty where the study has none
    has_page: bool


def identity(path: Path) -> str:
    """The same as long as the directory has its name."""
    return hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]


def run_directories(root: Path) -> dict[str, Path]:
    """Those with a prediction, but none inside a search."""
    return {identity(path): path for path in _below(root, names.SUMMARY)}


def search_directories(root: Path) -> dict[str, Path]:
    """Those with a study."""
    return {identity(path): path for path in _below(root, STUDY)}


def state_json(root: Path) -> str:
    """All of it, the newest run first."""
    runs = [one for key, path in run_directories(root).items() for one in _run(root, key, path)]
    runs.sort(key=lambda run: -run.made_at)
    searches = [_search(root, key, path) for key, path in search_directories(root).items()]
    told = {"runs": [asdict(one) for one in runs], "searches": [asdict(one) for one in searches]}
    return json.dumps(told)


def _below(root: Path, name: str) -> Iterator[Path]:
    for depth in range(_DEPTH):
        pattern = "/".join(["*"] * depth + [name])
        for path in sorted(root.glob(pattern)):
            if path.is_file() and names.PREDICTIONS not in path.parts:
                yield path.parent


def _run(root: Path, key: str, path: Path) -> Iterator[RunEntry]:
    with suppress(MayaError, OSError):  # one that is damaged hides none of the others
        summary = read_prediction(path).summary
        yield RunEntry(
            key,
            str(path.relative_to(root)),
            answer_line(summary),
            summary.cluster.name,
            summary.step.time_ms if summary.step else None,
            summary.memory.peak_reserved_bytes,
            (path / names.SUMMARY).stat().st_mtime,
        )


def _search(root: Path, key: str, path: Path) -> SearchEntry:
    name, has_page = str(path.relative_to(root)), (path / PAGE).is_file()
    try:
        counts, best, objective = _trials(path / STUDY)
    except Exception:  # optuna's and SQLAlchemy's: a study that begins this moment has no tables
        counts, best, objective = {}, None, ""
    return SearchEntry(key, name, counts, best, objective, has_page)


def _trials(study: Path) -> tuple[dict[str, int], float | None, str]:
    import optuna

    url = f"sqlite:///{study}"
    (name,) = optuna.get_all_study_names(url)
    kept = optuna.load_study(study_name=name, storage=url)
    counts: dict[str, int] = {}
    values = []
    for trial in kept.get_trials(deepcopy=False):
        state = trial.state.name.lower()
        counts[state] = counts.get(state, 0) + 1
        values += [trial.values[0]] if trial.values else []
    choose = max if kept.directions[0].name == "MAXIMIZE" else min
    objective = (kept.metric_names or [""])[0]
    return counts, choose(values, default=None), objective
