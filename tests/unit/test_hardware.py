"""The catalogue and the file made from it for the native core."""

import pytest
from pydantic import ValidationError

from maya.errors import MayaError
from maya.hardware import device_file_text, find_gpu, list_gpus
from maya.hardware.catalogue import parse_gpu
from maya.hardware.model import Gpu
from maya.units import GIB

IDS = (
    "a10 a100-40 a100-80 a100-pcie-40 a100-pcie-80 a40 a6000 a800 b200 b300 gb200 gb300 gh200 h100 "
    "h100-96 h100-pcie h20 h200 h800 l4 l40 l40s rtx3090 rtx4090 rtx5090 rtxpro6000 t4 v100-16 "
    "v100-32"
)
KEYS = (
    "name major minor sm_count clock_khz memory_clock_khz memory_bus_bits total_memory "
    "context_bytes l2_bytes shared_per_sm shared_per_block shared_per_block_optin regs_per_sm "
    "regs_per_block max_threads_per_sm max_blocks_per_sm ecc tcc pci_gen nvlinks power_limit_mw"
)


def test_catalogue_holds_every_promised_gpu() -> None:
    assert {gpu.id for gpu in list_gpus()} >= set(IDS.split())


@pytest.mark.parametrize("gpu", list_gpus(), ids=lambda gpu: gpu.id)
def test_every_number_has_a_source_and_is_plausible(gpu: Gpu) -> None:
    assert all(gpu.sources[key].strip() for key in gpu.facts())
    assert 14 * GIB < gpu.usable_memory_bytes < gpu.total_memory_bytes < 288 * GIB
    assert gpu.flops_per_s["fp32"] >= gpu.flops_per_s["fp64"]
    # Two transfers per clock: the data sheet and the driver must tell the same story.
    driver = 2 * gpu.memory_clock_mhz * 1e6 * gpu.memory_bus_bits / 8
    assert gpu.memory_bandwidth_bytes_per_s == pytest.approx(driver, rel=0.05)


def test_no_name_means_two_gpus() -> None:
    names = [n.lower() for gpu in list_gpus() for n in (gpu.id, gpu.name, *gpu.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("H100", "h100"), ("a100", "a100-80"), ("V100", "v100-32"), ("nvidia h200", "h200")],
)
def test_names_are_found_in_any_case_and_by_alias(name: str, expected: str) -> None:
    assert find_gpu(name).id == expected


def test_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(MayaError, match="unknown GPU 'h1000'") as caught:
        find_gpu("h1000")
    assert "h100" in (caught.value.hint or "")


def test_unknown_fact_is_refused() -> None:
    with pytest.raises(ValidationError):
        parse_gpu(
            'id: x\nname: X\naliases: []\narchitecture: y\ncompute_capability: "9.0"\n'
            "sources: {s: t}\nwheels: [4, s]\n"
        )


def test_device_file_has_exactly_the_keys_of_the_native_core() -> None:
    lines = device_file_text(find_gpu("h100")).splitlines()
    values = dict(line.split("=", 1) for line in lines)
    assert list(values) == KEYS.split()
    assert values["name"] == "NVIDIA H100 80GB HBM3"
    assert values["clock_khz"] == "1980000"
    assert values["total_memory"] == "85017755648"
    assert values["ecc"] == "1"
