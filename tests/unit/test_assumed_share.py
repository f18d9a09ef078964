"""The share of a step that nobody knows: it counts with the most that it may take."""

from types import SimpleNamespace

import numpy as np
import pytest

from maya.analyze.uncertainty import provenance
from maya.estimate.types import Estimate, Source


def test_a_kernel_that_was_guessed_too_short_does_not_hide():
    estimates = {
        1: Estimate(900, Source.ANALYTICAL, 0.1),
        2: Estimate(10, Source.ASSUMED, 1.0, most_ns=100),
    }
    job = SimpleNamespace(
        captures=[SimpleNamespace(definition=lambda number: number)],
        ranks=[SimpleNamespace(rows=SimpleNamespace(definition=np.array([1, 2])))],
        definition_tables=[SimpleNamespace(estimates=estimates)],
        matches=[],
        communication=[],
    )
    assert provenance(job)["assumed"] == pytest.approx(0.1)
