"""One module per published source: rows to cases."""

from collections.abc import Callable
from dataclasses import dataclass

from maya.errors import MayaError
from workshop.measurements.store import Measurements
from workshop.validate.case import Case
from workshop.validate.sources import (
    bigscience,
    convnets,
    mosaic,
    nanogpt,
    neusight,
    peft,
    timm,
    titan,
    ultrascale,
    vtrain,
    vtrain_multi,
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where cases come from."""

    about: str
    cases: Callable[[Measurements], list[Case]]
    framework: str
    year: int  # of the measurements
    distributed_language: bool = False  # training of language models on several GPUs
    other_language: bool = False  # of language models, too, but on one

    @property
    def language(self) -> bool:
        """Whether it is on the page of language models."""
        return self.distributed_language or self.other_language


SOURCES = {
    "timm-nchw": Source(
        "timm's own training benchmark on an RTX 3090: PyTorch 1.12, AMP, NCHW. Attention is "
        "written out, as timm had it then.",
        timm.nchw,
        "timm",
        2022,
    ),
    "timm-nhwc": Source("The same with channels last.", timm.nhwc, "timm", 2022),
    "neusight": Source(
        "Hugging Face models in FP32 without TF32, forward, on V100 also backward; `fusion` is "
        "torch.compile: labels of NeuSight, PyTorch 2.1. Nine of 56 rows are left out: eight of "
        "P100 and P4, for which PyTorch 2.9 has no code, so that the program would not run there, "
        "and one of switch4, whose configuration is not published. The rate of the L4 was read "
        "off per-operator labels of the same models. The script keeps keys and values, as "
        "transformers does by default: today by copies, then by references. Batches of eight of "
        "the three largest models, which do not fit with copies, run without.",
        neusight.cases,
        "transformers",
        2024,
    ),
    "convnets": Source(
        "NVIDIA's published throughput of image classifiers on a DGX A100, PyTorch 21.03 "
        "container. Images are in pinned memory from the start: reading, decoding and augmenting "
        "them is left out; an update follows at most eight micro-batches (up to 32 there). Left "
        "out: more than one node, and the widened squeeze-and-excitation variants, which no "
        "library at hand has. After all rows had been looked at, the public source of NVIDIA's "
        "program was read, and the script does since what that does in each micro-batch: waits "
        "for the device, reduces gradients, mixes images in pairs, and updates tensor by tensor.",
        convnets.cases,
        "DeepLearningExamples",
        2021,
    ),
    "mosaic": Source(
        "MPT with FSDP: llm-foundry's table of 2023, PyTorch 1.13 and 2.0. Measured with the "
        "first FlashAttention in Triton; PyTorch's memory-efficient attention stands in. That "
        "choice was made after looking at seen rows (with FlashAttention 2 they came out 27 % too "
        "short). What a micro-batch and a step do beside was taken from the public source of "
        "llm-foundry and Composer of April 2023 after all rows had come out too short: norms in "
        "bf16, a fused loss, two training metrics that each repeat the loss from the logits, a "
        "mask that the host looks into, prefetching after each backward, and results that are "
        "read back after each step. Composer's own work on the host (loggers, data loaders, "
        "callbacks) is left out. The H100's rows are of its first months. Biases were added to "
        "the script after looking at rows: the table's counts of parameters have them. Rows of "
        "FP8 are left out. Above 4,096 tokens the attention that stands in takes a third of the "
        "step and more.",
        mosaic.cases,
        "llm-foundry",
        2023,
        distributed_language=True,
    ),
    "vtrain": Source(
        "GPT with Megatron-DeepSpeed on 2 to 8 A100, fp16, all layers recomputed: vTrain. The "
        "script is Megatron's scheme written out, without DeepSpeed's engine. After small steps "
        "had come out up to 42 % too short, the public source of Megatron-DeepSpeed (2022 and "
        "2023) was read, and two things that it does on the host in every layer were added: the "
        "switch of random states around attention's dropout, and a zero copied to the GPU, "
        "which waits for it. All rows had been looked at by then. Megatron's fused kernels (causal "
        "softmax; bias, dropout and residual) came later, when device-bound rows were too long. "
        "With CPU times of a quiet machine every host-bound row, seen or not, came out 17 to 42 % "
        "short; the speed of the A100 servers' CPU, 0.80 of the reference by a guess, was then "
        "set to 0.68 by its maker's figures (from memory).",
        vtrain.cases,
        "Megatron-DeepSpeed",
        2023,
        distributed_language=True,
    ),
    "vtrain-multi": Source(
        "GPT 3.6B to 175B with Megatron-LM on 64 to 512 A100 with 800 Gb/s a node, fp16, all "
        "layers recomputed: vTrain's clusters. Pipelines of more than four stages are left out.",
        vtrain_multi.cases,
        "Megatron-LM",
        2023,
        distributed_language=True,
    ),
    "torchtitan": Source(
        "Llama 2 and 3 by torchtitan 0.2.0 itself, where the tables of 2024 and 2025 used the "
        "versions of their day; its H100 has 96 GB of HBM2e and 500 W. Left out: float8 (another "
        "package), pipelines of 405B, context parallelism, and AsyncTP, whose copies "
        "between GPUs are charged as copies inside one.",
        titan.cases,
        "torchtitan",
        2024,
        distributed_language=True,
    ),
    "ultrascale": Source(
        "Llama 1B to 80B by nanotron itself (`MAYA_NANOTRON`: a checkout at e24d2483) on H100: the "
        "ultra-scale playbook's benchmark. flash-attn is stood in for by PyTorch's build of it, "
        "its rotary kernel and norm by others of one kernel each. Left out: pipelines of more "
        "than four stages, and more than 64 micro-batches. PyTorch before 2.8 kept tensors of "
        "asynchronous collectives from being used again until the device had done them, so "
        "tensor-parallel recipes with large micro-batches reserved up to half as much again as "
        "they do with PyTorch 2.9. Pipelines over nodes are run with "
        "TORCH_DISTRIBUTED_DEBUG=DETAIL, as nanotron's job script has it: found after the times of "
        "all rows had been looked at. Some of them take five times as long as others of the same "
        "recipe.",
        ultrascale.cases,
        "nanotron",
        2025,
        distributed_language=True,
    ),
    "bigscience": Source(
        "GPT 1.3B with Megatron-DeepSpeed on two nodes of four V100-32GB: BigScience's notes, in "
        "whole seconds. Other sections of the notes do not give the model's shape beside the "
        "time, or need hundreds of ranks or micro-batches, and are left out."
        " The optimiser's state is sharded as in the notes' job scripts (ZeRO, stage 1). Up to a "
        "fault of the recorder, which took dropouts of attention scores for others, pipelines had "
        "come out right (-1 to -2 %).",
        bigscience.cases,
        "Megatron-DeepSpeed",
        2021,
        distributed_language=True,
    ),
    "nanogpt": Source(
        "GPT-2 124M with torch.compile and Muon on eight H100: two speed runs of modded-nanogpt."
        " Both were run once, before a change of the script's text alone: 161.0 ms for "
        "216.4 (-25.6 %) and 144.4 ms for 141.8 (+1.8 %); they have been looked at.",
        nanogpt.cases,
        "modded-nanogpt",
        2024,
        distributed_language=True,
    ),
    "peft": Source(
        "Adapters on Llama-3.2-3B on one L40S: PEFT's comparison of its methods, PyTorch 2.13. "
        "Sequences have the comparison's mean length; in truth lengths differ from step to step. "
        "Left out: AdaLoRA, whose steps change while it trains, LoRA-FA, which has an optimiser of "
        "its own, and adapters of an image model. What the installed PEFT does not know fails.",
        peft.cases,
        "PEFT",
        2026,
        other_language=True,
    ),
}


def find_cases(
    data: Measurements, names: list[str] | None, limit: int | None, seen: bool | None = None
) -> list[Case]:
    """Cases of the named sources and set (default: all), at most `limit` of each."""
    unknown = sorted(set(names or []) - set(SOURCES))
    if unknown:
        raise MayaError(f"unknown source {unknown[0]!r}", hint=f"known: {', '.join(SOURCES)}")
    chosen = names or list(SOURCES)
    return [case for name in chosen for case in _of_set(SOURCES[name].cases(data), seen)[:limit]]


def _of_set(cases: list[Case], seen: bool | None) -> list[Case]:
    return [case for case in cases if seen is None or case.seen == seen]
