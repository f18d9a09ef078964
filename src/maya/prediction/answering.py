"""Predict a recorded run, keep the answer beside it, and repeat a kept one exactly."""

import math
import shlex
from dataclasses import replace

from maya.analyze import Options, Prediction, RunAnswer, answer_of
from maya.analyze import predict as predict_step
from maya.analyze.checks import check_run
from maya.analyze.predicting import Progress
from maya.errors import MayaError
from maya.hardware import Cluster
from maya.simulator.work import Durations
from maya.summary import PredictionOptions, Summary, keep_prediction
from maya.trace import Run

_SAME = 1e-9  # relative: the same arithmetic gives the same step


def predict(
    run: Run,
    target: Cluster,
    options: PredictionOptions | None = None,
    progress: Progress = lambda _: None,
    *,
    chain: Durations | None = None,
) -> RunAnswer:
    """The answer, kept in the run's directory. `chain`: estimators that know earlier runs."""
    asked = Options.of(options or PredictionOptions(), chain)
    with run.directory.being_read():
        answer = answer_of(run, target, asked, progress)
        keep_prediction(run.directory.path, answer.summary, answer.kernels())
    return answer


def predict_again(run: Run, summary: Summary, progress: Progress = lambda _: None) -> Prediction:
    """The prediction behind a kept summary, with its cluster and options; refused where it differs.

    Noise of ranks is left out: it changes no timeline.
    """
    check_run(run)
    if summary.step is None:
        raise MayaError(f"this prediction has no timeline: {summary.no_step}")
    options = Options.of(replace(summary.options, variation=None))
    prediction = predict_step(run, summary.cluster, options, progress)
    step_ms = prediction.step_ns / 1e6
    if not math.isclose(step_ms, summary.step.time_ms, rel_tol=_SAME):
        raise MayaError(
            f"this maya predicts a step of {step_ms:.6g} ms, but the kept prediction, made by "
            f"{summary.maya_version}, says {summary.step.time_ms:.6g} ms",
            hint=f"predict again: maya simulate {shlex.quote(str(run.path))} "
            f"--cluster {summary.cluster.name}",
        )
    return prediction
