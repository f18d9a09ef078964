"""The GPU as the native core reads it: flat `key=value` lines."""

from maya.hardware.model import Gpu
from maya.units import KHZ_PER_MHZ, MW_PER_W


def device_file_text(gpu: Gpu) -> str:
    """The text of the file that MAYA_DEVICE_FILE names."""
    return "".join(f"{key}={value}\n" for key, value in _values(gpu).items())


def _values(gpu: Gpu) -> dict[str, int | str]:
    return {
        "name": gpu.name,
        "major": gpu.major,
        "minor": gpu.minor,
        "sm_count": gpu.sm_count,
        "clock_khz": gpu.clock_mhz * KHZ_PER_MHZ,
        "memory_clock_khz": gpu.memory_clock_mhz * KHZ_PER_MHZ,
        "memory_bus_bits": gpu.memory_bus_bits,
        "total_memory": gpu.total_memory_bytes,
        "context_bytes": gpu.context_bytes,
        "l2_bytes": gpu.l2_bytes,
        "shared_per_sm": gpu.shared_bytes_per_sm,
        "shared_per_block": gpu.shared_bytes_per_block,
        "shared_per_block_optin": gpu.shared_bytes_per_block_optin,
        "regs_per_sm": gpu.registers_per_sm,
        "regs_per_block": gpu.registers_per_block,
        "max_threads_per_sm": gpu.max_threads_per_sm,
        "max_blocks_per_sm": gpu.max_blocks_per_sm,
        "ecc": int(gpu.ecc),
        "tcc": 0,
        "pci_gen": gpu.pcie_generation,
        "nvlinks": gpu.nvlinks,
        "power_limit_mw": gpu.power_limit_w * MW_PER_W,
    }
