"""The record of a search, in Optuna's storage: any tool that reads a study reads ours.

Every trial is written before it starts and again when it ends, each time at once, so a process that
is killed leaves trials that are done, or are to be run again, and nothing in between.
"""

import contextlib
import logging
import warnings
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState

from maya.errors import MayaError
from maya.recipe_search.choice.history import MAXIMIZED, Done, losses
from maya.recipe_search.space.space import Point, Space, tokens_per_step
from maya.recipe_search.trials.jobs import TrialOutcome

_IDENTITY, _OUTCOME = "recipe", "outcome"
_COLUMNS = {"step_ms", "mfu", "peak_bytes"}  # that optuna-dashboard shows beside the objectives


class Record:
    """The trials of one study."""

    def __init__(self, url: str, name: str, space: Space, facts: dict[str, Any]) -> None:
        """`facts` must be those with which the study began; they decide what is proposed."""
        logging.getLogger("optuna").setLevel(logging.WARNING)
        self._space = space
        objectives = space.file.objectives
        try:
            self._storage = optuna.storages.RDBStorage(url)
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=name,
                load_if_exists=True,
                directions=["maximize" if o in MAXIMIZED else "minimize" for o in objectives],
            )
        except Exception as error:  # SQLAlchemy's and its drivers', without a common base
            raise MayaError(
                f"cannot open the storage {url}: {str(error).splitlines()[0]}",
                hint="give a URL such as sqlite:///search.db, in a directory where you may write",
            ) from error
        with warnings.catch_warnings():  # it is experimental, and shows objectives by their names
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study.set_metric_names(list(objectives))
        self._id = self._storage.get_study_id_from_name(name)
        self.facts = self._agree(name, facts)

    def _agree(self, name: str, facts: dict[str, Any]) -> dict[str, Any]:
        old = self._study.user_attrs.get("maya")
        if old is None:
            self._study.set_user_attr("maya", facts)
            return facts
        for key in ("space", "sampler", "seed"):
            if old.get(key) != facts[key]:
                raise MayaError(
                    f"the study {name!r} was begun with another {key}",
                    hint="give this search another --name, or another directory with -o",
                )
        return dict(old)

    def trials(self) -> list[tuple[int, Point, TrialOutcome | None]]:
        """Every trial in order; without outcome if it was running when its process died."""
        found = []
        for trial in self._study.get_trials(deepcopy=False):
            point = self._space.by_identity.get(trial.user_attrs.get(_IDENTITY, ""))
            if point is None:
                raise MayaError(
                    f"trial {trial.number} of the study does not belong to this search file"
                )
            text = trial.user_attrs.get(_OUTCOME)
            outcome = TrialOutcome.from_json(text) if text else None
            if outcome is not None and not trial.state.is_finished():
                self._tell(Done(trial.number, point, outcome, tokens_per_step(self._space, point)))
            found.append((trial.number, point, outcome))
        return found

    def begin(self, number: int, point: Point) -> None:
        """Write a trial down, with its place in the numbering."""
        params = {"cluster": point.cluster, **point.knobs}
        values = {"cluster": tuple(self._space.clusters)} | {
            name: _all_values(self._space, name) for name in self._space.names
        }
        self._study.add_trial(
            optuna.create_trial(
                state=TrialState.RUNNING,
                params=params,
                distributions={n: CategoricalDistribution(v) for n, v in values.items()},
                user_attrs={_IDENTITY: point.identity},
            )
        )
        written = len(self._study.get_trials(deepcopy=False))
        if written != number + 1:
            raise MayaError(
                "another process writes to the same study", hint="give this search another --name"
            )

    def finish(self, done: Done) -> None:
        """Write the outcome: first the whole of it, then the values that Optuna ranks by."""
        for name in _COLUMNS & done.outcome.metrics.keys():
            self._set(done.number, name, done.outcome.metrics[name])
        self._set(done.number, _OUTCOME, done.outcome.to_json())
        self._tell(done)

    def _tell(self, done: Done) -> None:
        found = losses(done, self._space.file)
        if found is None:
            with contextlib.suppress(ValueError):  # it was told already
                hopeless = done.outcome.status == "hopeless"
                state = TrialState.PRUNED if hopeless else TrialState.FAIL
                self._study.tell(done.number, state=state, skip_if_finished=True)
            return
        objectives = self._space.file.objectives
        values = [-v if o in MAXIMIZED else v for o, v in zip(objectives, found, strict=True)]
        self._study.tell(done.number, values, skip_if_finished=True)

    def _set(self, number: int, key: str, value: Any) -> None:
        trial = self._storage.get_trial_id_from_study_id_trial_number(self._id, number)
        self._storage.set_trial_user_attr(trial, key, value)

    def importance(self, numbers: set[int]) -> dict[str, float]:
        """How much each knob decides who is good at the first objective; empty if unknown."""
        from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

        trials = self._study.get_trials(deepcopy=False)
        chosen = [t for t in trials if t.number in numbers and t.values is not None]
        if len(chosen) < 4:
            return {}
        judged = optuna.create_study(directions=self._study.directions)
        judged.add_trials(chosen)
        evaluator = PedAnovaImportanceEvaluator()
        with contextlib.suppress(Exception), warnings.catch_warnings():
            # Too few different values, by its own rules, is no answer; low is good, as it assumes.
            warnings.simplefilter("ignore")
            found = get_param_importances(
                judged, evaluator=evaluator, target=lambda trial: float(trial.values[0])
            )
            tried = {name: {trial.params[name] for trial in chosen} for name in found}
            shares = {n: share for n, share in found.items() if share > 0 and len(tried[n]) > 1}
            return {name: share / sum(shares.values()) for name, share in shares.items()}
        return {}


def _all_values(space: Space, name: str) -> tuple[Any, ...]:
    knob = space.file.knobs[name]
    values = space.values[name]
    off = () if knob.otherwise is None or knob.otherwise in values else (knob.otherwise,)
    return (*values, *off)
