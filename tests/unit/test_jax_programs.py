"""What programs of JAX need: flags for XLA, launches that are no steps, a process of many GPUs."""

from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import Script

from maya.analyze import predict
from maya.hardware import find_cluster
from maya.simulator.steps import find_windows
from maya.trace import summarize

INSIDE = Path(__file__).resolve().parents[2] / "src/maya/emulator/inside"


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ("", {"--xla_gpu_autotune_level=0", "--xla_gpu_enable_triton_gemm=false"}),
        (
            "--xla_gpu_autotune_level=4 --xla_dump_to=x",
            {"--xla_gpu_autotune_level=4", "--xla_dump_to=x", "--xla_gpu_enable_triton_gemm=false"},
        ),
    ],
)
def test_products_are_cublas_s_unless_the_user_says_otherwise(
    given: str, flags: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(INSIDE))
    from maya_inside import jax_devices

    assert set(jax_devices.with_flags(given).split()) == flags


def _launches(script: Script, times: int) -> None:
    boundary = script.define("executable_boundary", 20)
    for piece in range(1, times + 1):
        script.call(script.gemm, stream=1)
        script.call(boundary, a=piece, cpu_ns=0)


def test_launches_of_executables_are_steps_only_where_they_were_found_to_be(
    tmp_path: Path,
) -> None:
    script, steady = Script(), Script(rank=1, world=2)
    _launches(script, 9)
    unproven = script.save(tmp_path)
    assert not find_windows([unproven])[0].found
    assert summarize([unproven]).steps == 0
    _launches(steady, 9)
    steady.steady(9, 3)
    proven = steady.save(tmp_path)
    assert find_windows([proven])[0].found
    assert summarize([proven]).steps == 9


def test_a_process_with_two_devices_uses_two_gpus(tmp_path: Path) -> None:
    script = Script()
    for device in (1, 2):
        made = script.define("stream", 9, what="default", device=device, priority=0, flags=0)
        script.call(made, stream=device + 1)
    for piece in range(1, 5):
        script.call(script.gemm, stream=1)
        script.call(script.gemm, stream=2)
        script.call(script.boundary, a=piece, cpu_ns=0)
    assert predict(run_of([script.save(tmp_path)]), find_cluster("h100:4")).gpus_used == 2
