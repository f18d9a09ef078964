"""The use case, once: record a command, predict it on a cluster, keep the answer."""

from maya.analyze.predicting import Progress
from maya.prediction.answering import predict, predict_again
from maya.prediction.assigning import CLUSTER_VARIABLE, Assignment, assignment
from maya.prediction.clock import chosen_clock
from maya.prediction.comparing import Candidate, predict_each
from maya.prediction.options import find_target, prediction_options
from maya.prediction.recording import Recording, RecordingFailedError, record
from maya.simulator.every_rank import check_slow_nodes

__all__ = [
    "CLUSTER_VARIABLE",
    "Assignment",
    "Candidate",
    "Progress",
    "Recording",
    "RecordingFailedError",
    "assignment",
    "check_slow_nodes",
    "chosen_clock",
    "find_target",
    "predict",
    "predict_again",
    "predict_each",
    "prediction_options",
    "record",
]
