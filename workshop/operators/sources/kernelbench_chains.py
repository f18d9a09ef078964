"""KernelBench's products and convolutions with something behind them (level 2), as steps."""

from typing import Any

from workshop.operators.sources.kernelbench_layers import Constants, layer_sizes
from workshop.operators.sources.kernelbench_sizes import layer_of

# Behind the first layer. A word with colons carries what its step is made of.
STEPS = {
    "1": "relu bias",
    "2": "bias clamp scale clamp scale",
    "4": "mish mish",
    "5": "bias tanh",
    "6": "softmax:1 max_pool max_pool",
    "7": "relu leaky_relu gelu sigmoid bias",
    "8": "scale max_pool global_average bias reduced:sum:1",
    "9": "shift scale relu",
    "10": "max_pool hardtanh reduced:mean:2,3 tanh",
    "11": "batch_norm tanh max_pool group_norm",
    "12": "scale leaky_relu",
    "15": "batch_norm centre",
    "16": "mish shift hardtanh scale",
    "17": "instance_norm scale",
    "18": "reduced:sum:1 reduced:max:1 reduced:mean:1 reduced:logsumexp:1 reduced:logsumexp:1",
    "19": "gelu group_norm",
    "20": "residuals",
    "21": "bias times sigmoid group_norm",
    "23": "group_norm reduced:mean:1,2,3,4",
    "25": "reduced:min:1 tanh tanh",
    "29": "mish mish",
    "30": "group_norm hardtanh",
    "32": "scale reduced:min:1",
    "33": "times batch_norm",
    "34": "layer_norm gelu scale",
    "35": "shift hardswish max_pool mish",
    "36": "reduced:min:1 reduced:sum:2 gelu bias",
    "37": "swish bias group_norm",
    "40": "with_half",
    "43": "max_pool reduced:logsumexp:1 relu",
    "44": "scale reduced:mean:2,3 reduced:mean:2,3",
    "46": "shift tanh shift avg_pool",
    "47": "mish tanh",
    "49": "softmax:1 sigmoid",
    "52": "soft_gate batch_norm",
    "53": "scale hardtanh gelu",
    "54": "times leaky_relu gelu",
    "56": "sigmoid reduced:sum:1",
    "57": "relu hard_gate",
    "60": "swish group_norm hardswish",
    "62": "group_norm leaky_relu double",
    "63": "relu scale",
    "64": "reduced:logsumexp:1 leaky_relu leaky_relu gelu gelu",
    "65": "avg_pool sigmoid reduced:sum:1,2,3",
    "66_Matmul_Dropout_Softmax": "dropout softmax:1",
    "67": "gelu global_average",
    "68": "least_of_two shift",
    "69": "hardswish relu",
    "71": "scale leaky_relu",
    "72": "batch_norm avg_pool avg_pool",
    "74": "leaky_relu times leaky_relu max_pool",
    "75": "group_norm reduced:min:1 bias",
    "76": "bias relu",
    "79": "times instance_norm clamp times reduced:max:1",
    "81": "swish scale clamp tanh clamp",
    "82": "tanh scale bias max_pool",
    "83": "group_norm least_of_two clamp dropout",
    "84": "batch_norm times softmax:1",
    "86": "scale gelu",
    "90": "leaky_relu bias clamp gelu",
    "91": "softmax:1 bias scale sigmoid",
    "93": "shift least_of_two gelu scale",
    "95": "bias swish tanh gelu hardtanh",
    "97": "batch_norm bias scale swish",
    "99": "gelu softmax:1",
    "100": "clamp_min scale",
}
_SHAPES = {
    "bias": ("add", ("bias_shape", "sum_tensor_shape", "add_value_shape")),
    "times": ("multiply", ("multiplier_shape", "scale_shape")),
    "residuals": ("residuals", ("bias_shape",)),
}
_POOLS = ("pool_kernel_size", "kernel_size_pool", "pool_size", "maxpool_kernel_size")
_INPUTS, _OUTPUTS = ("in_features", "input_size"), ("out_features", "hidden_size", "output_size")
_LINEAR = ("Gemm", "Matmul")


def steps_of(problem: str) -> str | None:
    """By its number, or by its whole name where two share one."""
    return STEPS.get(problem) or STEPS.get(problem.partition("_")[0])


def is_linear(problem: str) -> bool:
    """Whether its first layer is a product."""
    return problem.partition("_")[2].startswith(_LINEAR)


def chain(problem: str, c: Constants) -> tuple[str, dict[str, Any]]:
    """The first layer, with a bias, and the steps behind it."""
    words = (steps_of(problem) or "").split()
    if is_linear(problem):
        inputs, outs = _first(c, _INPUTS), _first(c, _OUTPUTS)
        shape, first, sides = [c["batch_size"], inputs], ["linear", inputs, outs], 0
    else:
        transposed = "Transpose" in problem
        # Groups of level 2 are those of a norm.
        layer = layer_of(0, {n: v for n, v in c.items() if n != "groups"}, transposed)
        shape, sides = [layer.n, layer.channels, *layer.size], len(layer.size)
        first, outs = ["convolution", layer_sizes(layer, bias=True)], layer.outs
    return "chain", {"shape": shape, "steps": [first, *(_step(w, c, outs, sides) for w in words)]}


def _first(c: Constants, names: tuple[str, ...]) -> Any:
    return next(c[name] for name in names if name in c)


def _step(word: str, c: Constants, outs: int, sides: int) -> str | list[Any]:
    name, *more = word.split(":")
    if name in _SHAPES:
        made, shapes = _SHAPES[name]
        return [made, _first(c, shapes)]
    if name in ("max_pool", "avg_pool"):
        size = next((c[n] for n in _POOLS if n in c), 2)
        return ["pool", f"{name}{sides}d", size[0] if isinstance(size, list) else size]
    if name == "reduced":
        dims = [int(dim) for dim in more[1].split(",")]
        return ["reduced", more[0], dims[0] if len(dims) == 1 else dims]
    made_of: dict[str, list[Any]] = {
        "batch_norm": [outs],
        "global_average": [sides],
        "group_norm": [c.get("num_groups", c.get("groups")), outs],
        "instance_norm": [],
        "layer_norm": [outs],
        "softmax": [1],
    }
    return [name, *made_of[name]] if name in made_of else word
