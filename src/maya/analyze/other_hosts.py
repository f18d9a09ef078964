"""What a step would be with hosts of another pace."""

from collections.abc import Iterable

from maya.analyze.predicting import Prediction, scaled, step_time_of


def steps_with_hosts(prediction: Prediction, factors: Iterable[float]) -> dict[float, float]:
    """The step in nanoseconds by what its host takes, relative to the host that was predicted."""
    program = prediction.job.program
    return {factor: step_time_of(prediction, scaled(program, 1.0, factor)) for factor in factors}
