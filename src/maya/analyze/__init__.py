"""Turns simulated time into answers: steps, utilisation, memory, cost."""

from maya.analyze.answer import answer_of
from maya.analyze.predict import Options, Prediction, predict
from maya.analyze.summary import read_summary, summary_of, write_summary

__all__ = [
    "Options",
    "Prediction",
    "answer_of",
    "predict",
    "read_summary",
    "summary_of",
    "write_summary",
]
