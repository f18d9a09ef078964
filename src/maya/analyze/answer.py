"""What can be said of a recorded run: a prediction, or why there is none."""

from dataclasses import dataclass

from maya.analyze.checks import check_run
from maya.analyze.options import Options
from maya.analyze.predicting import Prediction, Progress, predict
from maya.analyze.summary import summary_of
from maya.analyze.summary_memory import script_ran_out_of_memory
from maya.analyze.tables import kernel_table
from maya.analyze.without_step import OUT_OF_MEMORY, no_step, summary_without_step
from maya.hardware import Cluster
from maya.summary import KernelRow, Summary
from maya.trace import Run


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """The summary, and the prediction behind it where there is a step to predict."""

    summary: Summary
    prediction: Prediction | None = None

    def kernels(self) -> tuple[KernelRow, ...]:
        """Where the device time of a step goes; nothing is known of it without a step."""
        return kernel_table(self.prediction) if self.prediction else ()


def answer_of(
    run: Run,
    cluster: Cluster,
    options: Options | None = None,
    progress: Progress = lambda _: None,
) -> RunAnswer:
    """Judge how the run ended, and predict it where it can be predicted."""
    options = options or Options()
    if not script_ran_out_of_memory(run):  # that is an answer too, however the script ended
        check_run(run)
    reason = no_step(run)
    if reason is None:
        prediction = predict(run, cluster, options, progress)
        return RunAnswer(summary_of(prediction, run), prediction)
    if reason != OUT_OF_MEMORY and len(run.captures) > 1:
        predict(run, cluster, options, progress)  # ranks that deadlock are found here
    return RunAnswer(summary_without_step(run, cluster, reason, options.plain()))
