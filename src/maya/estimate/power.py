"""What a lowered power limit leaves of a GPU's arithmetic."""

from maya.estimate.parameters import fitted_as, load
from maya.estimate.sustained import load_parameters
from maya.hardware import Gpu, list_gpus

# How much higher the clock may be where not every instruction is a fused multiplication: fitted to
# pooling, depthwise convolutions and rotations of KernelBench and Liger (fit rows).
_LIGHTER = 1.1
_TENSOR = ("bf16", "fp16", "tf32", "fp8", "int8", "fp4")


def as_catalogued(device: Gpu) -> Gpu:
    """The catalogue's model of which this is a variant; the GPU itself where there is none."""
    return next((gpu for gpu in list_gpus() if gpu.id == device.id), device)


def within_power(device: Gpu) -> Gpu:
    """The GPU with the rates that its power limit allows.

    Products on tensor cores draw all the power there is. With less than the catalogue's model has,
    clock and voltage fall together, so the rate follows about the root of the power; assumed, not
    fitted. Kernels bound by memory or other units draw less, and keep their pace. More power than
    a model was measured with is not taken to help. Where the energy of operations is known, the
    clock of each kernel follows from it later (`sustained.py`).
    """
    usual = as_catalogued(device)
    if load_parameters(device) is not None or device.power_limit_w >= usual.power_limit_w:
        return device
    share = (device.power_limit_w / usual.power_limit_w) ** 0.5
    rates = {
        name: min(rate, usual.flops_per_s.get(name, rate) * share) if name in _TENSOR else rate
        for name, rate in device.flops_per_s.items()
    }
    return device.model_copy(update={"flops_per_s": rates})


def busy_clock_mhz(device: Gpu) -> float:
    """The clock while all SMs issue instructions without rest.

    Products in fp32 do just that, and were measured on boards with few and with many watts for an
    operation: what the watts take from their share of the peak is the clock's fall (L4: half).
    """
    fitted = load("gemm.json")["simt"].get(fitted_as(device), {})
    if "watt_share" not in fitted:
        return device.clock_mhz
    watts = device.power_limit_w / (device.flops_per_s["fp32"] * 1e-12)
    share: float = _LIGHTER * fitted["watt_share"] * watts**0.5 / fitted["efficiency"]
    return device.clock_mhz * min(1.0, share)
