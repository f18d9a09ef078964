"""Groups of recipes: one model on one number of GPUs, trained in dozens of measured ways.

They let us ask what people ask: predict every recipe, take the one that is predicted to be the
fastest, and look up what it really did.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.errors import ExitCode, MayaError
from maya.hardware import find_cluster
from maya.prediction import predict
from maya.trace import collect
from workshop.measurements.store import Measurements
from workshop.validate.case import Case
from workshop.validate.data import read_rows
from workshop.validate.emulation import EmulationFailedError, Emulator
from workshop.validate.sources.ultrascale import case_of

Times = npt.NDArray[np.float64]
_TABLE = "ultrascale_nanotron_h100.csv"
_OUT_OF_MEMORY = "out of memory"  # in what a script says that ran out of it
_BYTES_PER_GB = 1e9


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to train, and what came of it."""

    group: str
    case: Case
    ran: bool  # else it ran out of memory or failed: the table does not tell them apart
    memory_gb: float


@dataclass(frozen=True, slots=True)
class Tried:
    """A prediction of it."""

    recipe: Recipe
    step_ms: float = 0.0  # 0: none
    memory_gb: float = 0.0
    fits: bool = True
    failure: str = ""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """How well the recipes of a group were told apart; shares are of one."""

    group: str
    predicted: int  # that ran and have a predicted step
    failed: int
    regret: float  # of the recipe that is predicted to be the fastest, over the best measured
    rank_correlation: float
    median_error: float
    memory_error: float
    fits_and_ran: int
    fits_but_crashed: int
    misfit_but_ran: int
    misfit_and_crashed: int


def find_recipes(
    data: Measurements, group: str, most_gpus: int, most_micro_batches: int
) -> list[Recipe]:
    """By group, as the table has them; those measured twice count once."""
    found: dict[tuple[str, ...], Recipe] = {}
    for row in read_rows(data, _TABLE):
        name = f"{row['model']} on {row['gpus']}"
        small = int(row["gpus"]) <= most_gpus and int(row["grad_acc"]) <= most_micro_batches
        if not small or (group and name != group):
            continue
        case = case_of(row, seen=True)
        ran = row["ok"] == "1"
        found.setdefault(case.arguments, Recipe(name, case, ran, float(row["gpu_mem_gb"] or 0)))
    return list(found.values())


def try_recipe(recipe: Recipe, emulator: Emulator) -> Tried:
    """Emulate, or take the run that is kept, and predict."""
    try:
        run = collect(emulator.run(recipe.case))
        summary = predict(run, find_cluster(recipe.case.cluster)).summary
    except EmulationFailedError as error:
        if _OUT_OF_MEMORY in str(error).lower():
            return Tried(recipe, fits=False)
        return Tried(recipe, failure=str(error))
    except MayaError as error:
        if error.exit_code == ExitCode.OUT_OF_MEMORY:
            return Tried(recipe, fits=False)
        return Tried(recipe, failure=error.message)
    memory, step = summary.memory, summary.step
    # The table gives what PyTorch's allocator had reserved; NCCL and cuBLAS come on top.
    reserved = memory.peak_reserved_bytes - (memory.library_bytes or 0)
    if memory.oom or step is None:
        return Tried(recipe, fits=not memory.oom, failure="" if memory.oom else "no step")
    return Tried(recipe, step.time_ms, reserved / _BYTES_PER_GB)


def figures_of(tried: Sequence[Tried]) -> Iterator[GroupFigures]:
    """For each group in its order."""
    for name in dict.fromkeys(one.recipe.group for one in tried):
        yield _figures(name, [one for one in tried if one.recipe.group == name])


def _figures(name: str, tried: Sequence[Tried]) -> GroupFigures:
    known = [one for one in tried if not one.failure]
    both = [one for one in known if one.recipe.ran and one.step_ms]
    predicted = np.array([one.step_ms for one in both])
    measured = np.array([one.recipe.case.measured_ms for one in both])
    memory = [one.memory_gb / one.recipe.memory_gb - 1 for one in both if one.recipe.memory_gb]
    counts = [
        sum(one.fits is fits and one.recipe.ran is ran for one in known)
        for fits in (True, False)
        for ran in (True, False)
    ]
    return GroupFigures(
        name,
        len(both),
        len(tried) - len(known),
        float(measured[predicted.argmin()] / measured.min() - 1) if both else 0.0,
        rank_correlation(predicted, measured),
        float(np.median(np.abs(predicted / measured - 1))) if both else 0.0,
        float(np.median(np.abs(memory))) if memory else 0.0,
        *counts,
    )


def rank_correlation(first: Times, second: Times) -> float:
    """Spearman's; 0 where there is nothing to compare."""
    if len(first) < 2:
        return 0.0
    ranks = [np.argsort(np.argsort(values)) for values in (first, second)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
