"""One run on several clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

from maya.analyze import Options
from maya.analyze.predicting import Progress
from maya.errors import MayaError
from maya.hardware import Cluster
from maya.prediction.answering import predict
from maya.summary import PredictionOptions, Summary
from maya.trace import Run


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cluster, and what the run does there; `refused` says why nothing can be said."""

    cluster: Cluster
    summary: Summary | None
    refused: str = ""


def predict_each(
    run: Run,
    targets: Sequence[Cluster],
    options: PredictionOptions | None = None,
    progress: Progress = lambda _: None,
) -> list[Candidate]:
    """In the order of the clusters; each prediction is kept, the last one as the newest."""
    chain = Options.of(
        options or PredictionOptions()
    ).durations()  # knows each kernel after the first
    found = []
    for target in targets:
        try:
            summary = predict(run, target, options, progress, chain=chain).summary
            found.append(Candidate(target, summary))
        except MayaError as error:  # too few GPUs, say; another cluster may do
            found.append(Candidate(target, None, error.message))
    return found
