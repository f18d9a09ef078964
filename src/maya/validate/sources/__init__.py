"""One module per published source: rows to cases."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.validate.case import Case
from maya.validate.sources import (
    bigscience,
    convnets,
    mosaic,
    nanogpt,
    neusight,
    timm,
    vtrain,
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where cases come from."""

    about: str
    cases: Callable[[Path], list[Case]]


SOURCES = {
    "timm-nchw": Source("timm's training benchmark, RTX 3090, AMP, NCHW", timm.nchw),
    "timm-nhwc": Source("timm's training benchmark, RTX 3090, AMP, NHWC", timm.nhwc),
    "neusight": Source("Hugging Face models in FP32, labels of NeuSight", neusight.cases),
    "convnets": Source("NVIDIA's ConvNets recipes on DGX A100, AMP and TF32", convnets.cases),
    "mosaic": Source("MPT with FSDP on A100 and H100, table of llm-foundry", mosaic.cases),
    "vtrain": Source("GPT with Megatron's parallelism on 2 to 8 A100, vTrain", vtrain.cases),
    "bigscience": Source("GPT 1.3B on two nodes of four V100, BigScience", bigscience.cases),
    "nanogpt": Source("GPT-2 124M compiled on eight H100, modded-nanogpt", nanogpt.cases),
}


def find_cases(
    data: Path, names: list[str] | None, limit: int | None, seen: bool | None = None
) -> list[Case]:
    """Cases of the named sources and set (default: all), at most `limit` of each."""
    unknown = sorted(set(names or []) - set(SOURCES))
    if unknown:
        raise MayaError(f"unknown source {unknown[0]!r}", hint=f"known: {', '.join(SOURCES)}")
    chosen = names or list(SOURCES)
    return [case for name in chosen for case in _of_set(SOURCES[name].cases(data), seen)[:limit]]


def _of_set(cases: list[Case], seen: bool | None) -> list[Case]:
    return [case for case in cases if seen is None or case.seen == seen]
