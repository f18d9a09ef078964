"""Fits find parameters that are known, and give what is shipped when they run again."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from maya.errors import MayaError
from maya.estimate.collectives.formula import Protocol, link_bytes
from maya.estimate.gemm.roofline import RooflineParameters, roofline
from maya.hardware import find_gpu, find_node
from workshop.fit import (
    collectives,
    command,
    deepbench,
    flash,
    gemm,
    grouped,
    memory_data,
    normalisation,
    planar,
    recurrent,
)
from workshop.fit.boosting import fit_trees
from workshop.fit.collectives_data import Sample
from workshop.fit.errors import accuracy
from workshop.paths import PARAMETERS


@pytest.fixture(autouse=True)
def the_clones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAYA_DATA", raising=False)


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (flash, "attention.json"),
        (normalisation, "normalisation.json"),
        (recurrent, "recurrent.json"),
        (grouped, "gemm.json"),
        (planar, "convolution.json"),
    ],
    ids=["flash", "normalisation", "recurrent", "grouped", "planar"],
)
def test_fitting_again_gives_the_shipped_parameters(
    family: ModuleType, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = (PARAMETERS / name).read_text("utf-8")
    (tmp_path / name).write_text(shipped, "utf-8")
    monkeypatch.setattr(family, "PARAMETERS", tmp_path)
    family.fit_all()
    again = json.loads((tmp_path / name).read_text("utf-8"))
    assert _numbers(again) == pytest.approx(_numbers(json.loads(shipped)), rel=0.02)


def _numbers(value: object, path: str = "") -> dict[str, float]:
    if isinstance(value, dict):
        items = [(f"{path}/{key}", child) for key, child in value.items()]
    elif isinstance(value, list):
        items = [(f"{path}/{index}", child) for index, child in enumerate(value)]
    else:
        return {path: value} if isinstance(value, int | float) else {}
    return {key: number for at, child in items for key, number in _numbers(child, at).items()}


def test_a_roofline_is_found_from_products_that_follow_one() -> None:
    gpu = find_gpu("h100")
    draw = np.random.default_rng(0)
    rows = pl.DataFrame({name: 2 ** draw.integers(5, 14, 300) for name in ("m", "n", "k")})
    usual = RooflineParameters()
    true = RooflineParameters(floor_ns=3000.0, efficiency=0.6)
    exact = roofline(gemm.as_problems(rows), gpu, gpu.flops_per_s["bf16"], true).total_ns
    rows = rows.with_columns(latency=pl.Series(exact / 1e6))
    before, after = (
        accuracy(gemm.predict(rows, gpu, fitted, None), exact)
        for fitted in (usual, gemm.fit_roofline([(gpu, rows)]))
    )
    assert after.median < 0.02
    assert after.median < before.median / 3


def test_trees_learn_a_step() -> None:
    draw = np.random.default_rng(0)
    inputs = draw.uniform(0, 1, (500, 3))
    target = np.where(inputs[:, 1] > 0.5, 1.0, -1.0)
    trees = fit_trees(inputs, target, trees=60, leaves=4)
    found = trees.predict(np.array([[0.5, 0.1, 0.5], [0.5, 0.9, 0.5]]))
    assert found == pytest.approx([-1.0, 1.0], abs=0.05)


def test_constants_of_a_protocol_are_found_from_times_that_follow_it() -> None:
    link = find_node("hgx-h100").bandwidth_bytes_per_s
    true = Protocol("Simple", 20.0, 0.8, 0.3, np.inf)
    samples = []
    for power in range(10, 34):
        moved_us = link_bytes("all_gather", 2.0**power, 4) / link * 1e6
        samples.append(Sample("hgx-h100", "all_gather", 4, 2.0**power, true.time_us(moved_us)))
    fitted = collectives.fit(samples, nvls=False)
    errors = [collectives._error(fitted, sample) for sample in samples]
    assert max(errors) < 3  # per cent


def test_deepbench_has_all_layouts_and_passes() -> None:
    products = deepbench.products("fp16")
    assert {row.layout for row in products} >= {"nn", "nt", "tn"}
    passes = [problem.direction for problem, _ in deepbench.convolutions("fp32")]
    assert set(passes) == {"fprop", "dgrad", "wgrad"}
    assert {row.gates for row in deepbench.recurrent()} == {1, 3, 4}
    assert all(row.time_ns > 0 for row in products)


def test_samples_of_memory_bound_kernels_are_positive_and_partly_held_out() -> None:
    for found in (*memory_data.neusight("Tesla_T4"), *memory_data.vidur("h100")):
        assert (found.bytes > 0).all()
        assert 0.1 < found.held_out.mean() < 0.3


def test_a_fit_that_needs_what_is_left_out_says_so() -> None:
    with pytest.raises(MayaError, match="licence") as caught:
        command.fit(["collectives"])
    assert "MAYA_DATA" in (caught.value.hint or "")


def test_an_unknown_family_is_refused_before_anything_is_fitted() -> None:
    with pytest.raises(MayaError, match="nonsense"):
        command.fit(["collectives", "nonsense"])
