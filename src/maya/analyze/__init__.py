"""Turns simulated time into answers: steps, utilisation, memory, cost."""

from maya.analyze.answer import RunAnswer, answer_of
from maya.analyze.options import Options
from maya.analyze.other_hosts import steps_with_hosts
from maya.analyze.predicting import Prediction, predict
from maya.analyze.summary import summary_of
from maya.analyze.summary_memory import script_ran_out_of_memory

__all__ = [
    "Options",
    "Prediction",
    "RunAnswer",
    "answer_of",
    "predict",
    "script_ran_out_of_memory",
    "steps_with_hosts",
    "summary_of",
]
