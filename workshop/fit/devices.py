"""GPUs that were measured but are in no catalogue, as variants of ones that are."""

from maya.hardware import Gpu, find_gpu

# Data sheets of NVIDIA Tesla P100 PCIe 16 GB and Tesla P4; L2 from the Pascal tuning guide.
_PASCAL = {
    "Tesla_P100-PCIE-16GB": {
        "id": "p100", "architecture": "pascal", "sm_count": 56, "l2_bytes": 4 << 20,
        "memory_bandwidth_bytes_per_s": 732e9, "flops_per_s": {"fp32": 9.3e12},
    },
    "Tesla_P4": {
        "id": "p4", "architecture": "pascal", "sm_count": 20, "l2_bytes": 2 << 20,
        "memory_bandwidth_bytes_per_s": 192e9, "flops_per_s": {"fp32": 5.5e12},
    },
}  # fmt: skip
_NEUSIGHT = {
    "NVIDIA_A100-PCIE-40GB": "a100-40",
    "Tesla_V100-PCIE-32GB": "v100-32",
    "Tesla_T4": "t4",
}
_VIDUR = {"a100": "a100-80", "h100": "h100", "a40": "a40"}


def neusight_devices() -> dict[str, Gpu]:
    """By the name of NeuSight's files."""
    known = {name: find_gpu(gpu_id) for name, gpu_id in _NEUSIGHT.items()}
    pascal = {name: find_gpu("t4").model_copy(update=facts) for name, facts in _PASCAL.items()}
    return known | pascal


def vidur_devices() -> dict[str, Gpu]:
    """By the name of vidur's folders."""
    return {name: find_gpu(gpu_id) for name, gpu_id in _VIDUR.items()}
