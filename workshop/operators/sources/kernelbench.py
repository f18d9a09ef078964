"""KernelBench's problems of one operator, by the sizes in its table of parameters."""

import json
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

from maya.units import NS_PER_MS
from workshop.measurements.store import Measurements
from workshop.operators.case import Case, Program
from workshop.operators.sources.gpus import GPUS

SOURCE = "kernelbench"
# Compiled rows of this set would need twenty times the bandwidth of an H100.
_IMPOSSIBLE = "1e2c63f"
_MODES = {"torch": False, "torch_compile_inductor_default": True}

Constants = dict[str, Any]
Read = Callable[[Constants], tuple[str, dict[str, Any]]]


def _rows(name: str, **more: Any) -> Read:
    return lambda c: (name, {"shape": [c["batch_size"], c["dim"]], **more})


def _matrix(name: str, **more: Any) -> Read:
    return lambda c: (name, {"shape": [c["batch_size"], *c["input_shape"]], **more})


def _planes(name: str, **more: Any) -> Read:
    names = ("batch_size", "features", "dim1", "dim2")
    return lambda c: (name, {"shape": [c[n] for n in names], **more})


def _reduced(function: str) -> Read:
    names = ("batch_size", "dim1", "dim2")
    return lambda c: (
        "reduction",
        {"shape": [c[n] for n in names], "function": function, "dim": 1},
    )


def _pooled(function: str, *names: str) -> Read:
    window = ("kernel_size", "stride", "padding", "dilation")
    return lambda c: (
        "pooling",
        {
            "shape": [c[n] for n in names],
            "function": function,
            **{n: c[n] for n in window if n in c},
        },
    )


def _group_norm(c: Constants) -> tuple[str, dict[str, Any]]:
    name, sizes = _planes("group_norm")(c)
    return name, {**sizes, "groups": c["num_groups"]}


# Family and program of each problem of level 1 that is no product and no convolution.
PROBLEMS: dict[str, tuple[str, Read]] = {
    "5_Matrix_scalar_multiplication": (
        "elementwise",
        lambda c: ("scale", {"shape": [c["M"], c["N"]]}),
    ),
    "20_LeakyReLU": ("elementwise", _rows("leaky_relu")),
    "21_Sigmoid": ("elementwise", _rows("sigmoid")),
    "22_Tanh": ("elementwise", _rows("tanh")),
    "24_LogSoftmax": ("softmax", _rows("softmax", function="log_softmax")),
    "25_Swish": ("elementwise", _rows("swish")),
    "26_GELU_": ("elementwise", _rows("gelu")),
    "28_HardSigmoid": ("elementwise", _rows("hardsigmoid")),
    "29_Softplus": ("elementwise", _rows("softplus")),
    "30_Softsign": ("elementwise", _rows("softsign")),
    "31_ELU": ("elementwise", _rows("elu")),
    "35_GroupNorm_": ("norm", _group_norm),
    "37_FrobeniusNorm_": ("norm", _planes("scaled_by_norm", norm="frobenius")),
    "38_L1Norm_": ("norm", _rows("scaled_by_norm", norm="l1")),
    "39_L2Norm_": ("norm", _rows("scaled_by_norm", norm="l2")),
    "40_LayerNorm": ("norm", _planes("layer_norm")),
    "41_Max_Pooling_1D": (
        "pooling",
        _pooled("max_pool1d", "batch_size", "features", "sequence_length"),
    ),
    "42_Max_Pooling_2D": (
        "pooling",
        _pooled("max_pool2d", "batch_size", "channels", "height", "width"),
    ),
    "43_Max_Pooling_3D": (
        "pooling",
        _pooled("max_pool3d", "batch_size", "channels", "dim1", "dim2", "dim3"),
    ),
    "44_Average_Pooling_1D": (
        "pooling",
        _pooled("avg_pool1d", "batch_size", "in_channels", "input_length"),
    ),
    "45_Average_Pooling_2D": (
        "pooling",
        _pooled("avg_pool2d", "batch_size", "channels", "height", "width"),
    ),
    "47_Sum_reduction_over_a_dimension": ("reduction", _reduced("sum")),
    "48_Mean_reduction_over_a_dimension": ("reduction", _reduced("mean")),
    "49_Max_reduction_over_a_dimension": ("reduction", _reduced("max")),
    "50_Product_reduction_over_a_dimension": ("reduction", _reduced("prod")),
    "51_Argmax_over_a_dimension": ("reduction", _reduced("argmax")),
    "53_Min_reduction_over_a_dimension": ("reduction", _reduced("min")),
    "88_MinGPTNewGelu": ("elementwise", _rows("tanh_gelu")),
    "89_cumsum": ("scan", _matrix("scan", function="cumsum")),
    "90_cumprod": ("scan", _matrix("scan", function="cumprod")),
    "91_cumsum_reverse": ("scan", _matrix("reversed_scan")),
    "92_cumsum_exclusive": ("scan", _matrix("exclusive_scan")),
    "93_masked_cumsum": ("scan", _matrix("masked_scan")),
    "94_MSELoss": ("loss", _matrix("squared_error")),
    "95_CrossEntropyLoss": (
        "loss",
        lambda c: ("cross_entropy", {"shape": [c["batch_size"], c["num_classes"]]}),
    ),
    "97_CosineSimilarityLoss": ("loss", _matrix("cosine_loss")),
    "99_TripletMarginLoss": ("loss", _matrix("triplet_loss")),
    "100_HingeLoss": ("loss", _matrix("hinge_loss")),
}


def cases(data: Measurements) -> list[Case]:
    """The median over repetitions of each problem, size and mode on each GPU."""
    constants = {
        row["problem_blob"]: json.loads(row["constants"])
        for row in data.table("kernelbench_parameters").iter_rows(named=True)
    }
    times: dict[tuple[str, Program, str], list[float]] = defaultdict(list)
    for row in data.table("kernelbench_timing").iter_rows(named=True):
        problem = row["problem"].removesuffix(".py")
        sizes, gpu = constants.get(row["problem_blob"]), GPUS.get(row["hardware"])
        if row["commit"].startswith(_IMPOSSIBLE) or row["config"] not in _MODES:
            continue
        if problem in PROBLEMS and sizes and gpu:
            name, parameters = PROBLEMS[problem][1](sizes)
            program = Program(name, parameters, compiled=_MODES[row["config"]])
            times[problem, program, gpu].append(row["mean_ms"])
    return [
        Case(SOURCE, problem, PROBLEMS[problem][0], program, gpu, median(found) * NS_PER_MS)
        for (problem, program, gpu), found in times.items()
    ]
