"""KernelBench's problems, by the sizes in its table of parameters."""

import json
from collections import defaultdict
from statistics import median
from typing import Any

from maya.hardware import find_gpu
from maya.units import NS_PER_MS
from workshop.measurements.store import Measurements
from workshop.operators.case import Case, Program
from workshop.operators.sources.gpus import GPUS
from workshop.operators.sources.kernelbench_chains import chain, is_linear, steps_of
from workshop.operators.sources.kernelbench_layers import (
    CONVOLUTIONS,
    PRODUCTS,
    Constants,
    Read,
    convolution,
)
from workshop.operators.sources.kernelbench_networks import NETWORKS
from workshop.operators.sources.kernelbench_sizes import CURRENT

SOURCE = "kernelbench"
# Compiled rows of this set would need twenty times the bandwidth of an H100.
_IMPOSSIBLE = "1e2c63f"
_MODES = {"torch": False, "torch_compile_inductor_default": True}

# Products and convolutions that are shorter show nothing but launches.
_LEAST_MS = {False: 0.25, True: 0.5}  # eager, compiled


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

_SMALL_TOO = frozenset(family for family, _ in PROBLEMS.values())


def cases(data: Measurements) -> list[Case]:
    """The median over repetitions of each problem, size and mode on each GPU."""
    constants = {
        row["problem_blob"]: json.loads(row["constants"])
        for row in data.table("kernelbench_parameters").iter_rows(named=True)
    }
    times: dict[tuple[str, str, Program, str], dict[bool, list[float]]] = defaultdict(dict)
    for row in data.table("kernelbench_timing").iter_rows(named=True):
        problem = row["problem"].removesuffix(".py")
        sizes, gpu = constants.get(row["problem_blob"]), GPUS.get(row["hardware"])
        if row["commit"].startswith(_IMPOSSIBLE) or row["config"] not in _MODES:
            continue
        found = _find(row["level"], problem, sizes) if sizes and gpu else None
        if found and gpu:
            family, (name, parameters) = found
            program = Program(name, parameters, compiled=_MODES[row["config"]])
            found_at = times[problem, family, program, gpu]
            found_at.setdefault(row["date"] >= CURRENT, []).append(row["mean_ms"])
    return [
        Case(SOURCE, *key, median(found[max(found)]) * NS_PER_MS,
             outdated=key[2].compiled and not max(found))
        for key, found in times.items()
        if not _other_library(key[0], key[3], max(found)) and _long(key[1:3], found[max(found)])
    ]  # fmt: skip


def _other_library(problem: str, gpu: str, current: bool) -> bool:
    """cuDNN's kernels for three dimensions on Hopper became several times slower since."""
    volume = "conv" in problem.lower() and "3d" in problem.lower()
    return volume and not current and find_gpu(gpu).architecture == "hopper"


def _long(of: tuple[str, Program], times_ms: list[float]) -> bool:
    family, program = of
    return family in _SMALL_TOO or median(times_ms) > _LEAST_MS[program.compiled]


def _find(level: str, problem: str, sizes: Constants) -> tuple[str, tuple[str, Any]] | None:
    """Family and program."""
    number = int(problem.partition("_")[0])
    if level == "level1" and problem in PROBLEMS:
        family, read = PROBLEMS[problem]
        return family, read(sizes)
    if level == "level1" and number in PRODUCTS:
        return "product", PRODUCTS[number](sizes)
    if level == "level1" and number in CONVOLUTIONS:
        return "convolution", convolution(number, sizes)
    if level == "level2" and steps_of(problem):
        family = "product, fused" if is_linear(problem) else "convolution, fused"
        return family, chain(problem, sizes)
    if level == "level3" and problem in NETWORKS:
        return "network", NETWORKS[problem](sizes)
    return None
