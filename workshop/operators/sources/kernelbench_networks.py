"""KernelBench's networks (level 3) that are layers one after the other, and blocks of attention."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from workshop.operators.sources.kernelbench_layers import Constants

Step = str | list[Any]
_VGG = ((64, 64), (128, 128), (256,) * 4, (512,) * 4, (512,) * 4)


def _convolution(channels: int, outs: int, taps: int, **more: Any) -> list[Step]:
    places = {name: [value] * 2 for name, value in more.items()}
    sizes = {"channels": channels, "outs": outs, "kernel_size": [taps] * 2, "bias": True, **places}
    return [["convolution", sizes], "relu"]


def _linear(*widths: int) -> list[Step]:
    steps = list[Step]()
    for inputs, outs in pairwise(widths):
        steps += [["linear", inputs, outs], "relu"]
    return steps[:-1]


def _chain(shape: list[int], *parts: list[Step]) -> tuple[str, dict[str, Any]]:
    return "chain", {"shape": shape, "steps": [step for part in parts for step in part]}


def _mlp(c: Constants) -> tuple[str, dict[str, Any]]:
    widths = (c["input_size"], *c["hidden_layer_sizes"], c["output_size"])
    return _chain([c["batch_size"], c["input_size"]], _linear(*widths))


def _lenet(c: Constants) -> tuple[str, dict[str, Any]]:
    pool: list[Step] = [["pool", "max_pool2d", 2]]
    layers = [*_convolution(1, 6, 5), *pool, *_convolution(6, 16, 5), *pool, "flatten"]
    return _chain([c["batch_size"], 1, 32, 32], layers, _linear(400, 120, 84, c["num_classes"]))


def _alexnet(c: Constants) -> tuple[str, dict[str, Any]]:
    pool: list[Step] = [["pool", "max_pool2d", 3, 2]]
    layers = [
        *_convolution(3, 96, 11, stride=4, padding=2), *pool,
        *_convolution(96, 256, 5, padding=2), *pool,
        *_convolution(256, 384, 3, padding=1), *_convolution(384, 384, 3, padding=1),
        *_convolution(384, 256, 3, padding=1), *pool, "flatten",
    ]  # fmt: skip
    shape = [c["batch_size"], 3, 224, 224]
    return _chain(shape, layers, _linear(9216, 4096, 4096, c["num_classes"]))


def _vgg(c: Constants) -> tuple[str, dict[str, Any]]:
    layers, channels = list[Step](), 3
    for stage in _VGG:
        for outs in stage:
            layers += _convolution(channels, outs, 3, padding=1)
            channels = outs
        layers.append(["pool", "max_pool2d", 2])
    shape = [c["batch_size"], 3, 224, 224]
    return _chain(shape, [*layers, "flatten"], _linear(25088, 4096, 4096, c["num_classes"]))


def _transition(c: Constants) -> tuple[str, dict[str, Any]]:
    channels, outs = c["num_input_features"], c["num_output_features"]
    point = {"channels": channels, "outs": outs, "kernel_size": [1, 1]}
    pool = ["pool", "avg_pool2d", 2]
    steps: list[Step] = [["batch_norm", channels], "relu", ["convolution", point], pool]
    return _chain([c["batch_size"], channels, *c["(height, width)"]], steps)


def _gpt_block(c: Constants) -> tuple[str, dict[str, Any]]:
    shape = [c["batch_size"], c["seq_len"], c["n_embd"]]
    return "small_gpt_block", {"shape": shape, "heads": c["n_head"]}


def _relu_attention(c: Constants) -> tuple[str, dict[str, Any]]:
    shape = [c["batch_size"], c["max_seqlen"], c["n_embd"]]
    return "plain_attention", {"shape": shape, "heads": c["n_head"], "scores": "relu"}


NETWORKS: dict[str, Callable[[Constants], tuple[str, dict[str, Any]]]] = {
    "2_ShallowWideMLP": _mlp,
    "4_LeNet5": _lenet,
    "5_AlexNet": _alexnet,
    "12_VGG19": _vgg,
    "13_DenseNet121TransitionLayer": _transition,
    "44_MiniGPTBlock": _gpt_block,
    "50_ReLUSelfAttention": _relu_attention,
}
