"""What can be said of a recorded run: a prediction, or why there is none."""

from typing import Any

from maya.analyze.checks import check_run
from maya.analyze.predict import Options, Prediction, Progress, predict
from maya.analyze.summary import summary_of
from maya.analyze.summary_memory import script_ran_out_of_memory
from maya.analyze.without_step import OUT_OF_MEMORY, no_step, summary_without_step
from maya.hardware import Cluster
from maya.trace import Run


def answer_of(
    run: Run,
    cluster: Cluster,
    options: Options | None = None,
    progress: Progress = lambda _: None,
    *,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
) -> tuple[dict[str, Any], Prediction | None]:
    """summary.json, and the prediction behind it where there is a step to predict."""
    if not script_ran_out_of_memory(run):  # that is an answer too, however the script ended
        check_run(run)
    reason = no_step(run)
    if reason == OUT_OF_MEMORY:
        return summary_without_step(run, cluster, reason), None
    if reason is not None:
        if len(run.captures) > 1:
            predict(run, cluster, options, progress)  # ranks that deadlock are found here
        return summary_without_step(run, cluster, reason), None
    prediction = predict(run, cluster, options, progress)
    batch = {"tokens_per_step": tokens_per_step, "samples_per_step": samples_per_step}
    return summary_of(prediction, run, **batch), prediction
