"""What to measure next: whatever narrows the interval most, and a script that runs by itself."""

import ast
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import Script

from maya.analyze import Options, Prediction, predict
from maya.analyze.uncertainty import device_uncertainty
from maya.calibration import plan_measurements
from maya.errors import MayaError
from maya.estimate import default_chain, read_measurements
from maya.hardware import find_cluster

H100 = find_cluster("h100:1")
BF16 = {"a_type": 14, "d_type": 14, "compute_type": 68}
LARGE = {"m": 4096, "n": 8192, "k": 4096, "transa": 1}
SMALL = {"m": 64, "n": 64, "k": 64, "transa": 1}
ROW = "kernel,duration_us,m,n,k,batch,type\nproduct,{time},4096,8192,4096,1,bf16\n"


def prediction(path: Path, options: Options | None = None, products: int = 3) -> Prediction:
    script = Script()
    sizes = (LARGE, SMALL)[: 2 * bool(products)]
    gemms = [script.define("cublasLtMatmul", 2, **own, **BF16) for own in sizes]
    for piece in range(4):
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        for _ in range(max(1, products)):
            for work in (*gemms, script.kernel):
                script.call(work, stream=1)
    return predict(run_of([script.save(path)]), H100, options)


def test_what_takes_most_time_and_is_known_least_comes_first(tmp_path: Path) -> None:
    found = prediction(tmp_path)
    plan = plan_measurements(found)
    assert plan.sigma == device_uncertainty(found.job, H100.gpu)
    assert plan.wanted[0].name == "product m=4096 n=8192 k=4096 batch=1 type=bf16"
    left = [plan.sigma, *(one.sigma for one in plan.wanted)]
    assert left == sorted(left, reverse=True)
    assert left[-1] < left[0]


def test_the_interval_becomes_what_the_plan_said(tmp_path: Path) -> None:
    found = prediction(tmp_path)
    said = plan_measurements(found, most=1).wanted[0]
    chain = default_chain()
    large = next(w for w in found.job.captures[0].definitions() if w.number("m") == LARGE["m"])
    file = tmp_path / "m.csv"
    file.write_text(ROW.format(time=chain.estimate(large, H100.gpu).duration_ns / 1e3))
    own = Options(chain=default_chain([read_measurements(file)]))
    again = prediction(tmp_path, own)
    assert device_uncertainty(again.job, H100.gpu) == pytest.approx(said.sigma, rel=1e-3)
    assert again.high_ns - again.low_ns < found.high_ns - found.low_ns
    names = [one.name for one in plan_measurements(again).wanted]
    assert said.name not in names


def test_the_script_is_a_program_that_names_the_products(tmp_path: Path) -> None:
    text = plan_measurements(prediction(tmp_path)).script()
    tree = ast.parse(text)
    items = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "ITEMS"
    )
    assert items[0]["kind"] == "product"
    assert (items[0]["m"], items[0]["n"], items[0]["k"]) == (8192, 4096, 4096)
    assert items[0]["turned"] == [False, True]
    assert items[0]["row"] == {
        "kernel": "product", "m": 4096, "n": 8192, "k": 4096, "batch": 1, "type": "bf16",
    }  # fmt: skip


def test_a_plan_without_anything_to_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="script of its own"):
        plan_measurements(prediction(tmp_path, products=0)).script()
