"""NVML: the node as management tools and torch see it."""

import subprocess
import sys

import pytest
from fakes import build, environment

from maya.emulator.native import preload


def test_the_node_is_seen_whole_whatever_cuda_may_see(tmp_path):
    program = build(
        "nvml/queries.cpp", tmp_path / "queries", ["libnvidia-ml.so.1", "libcudart.so.12"]
    )
    done = subprocess.run([program], env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("visible", "count"), [(None, 8), ("3,1", 2), ("", 0), ("1,9,2", 1)])
def test_torch_counts_the_same_devices_by_nvml_and_by_cuda(tmp_path, visible, count):
    script = "import torch; print(torch.cuda._device_count_nvml(), torch._C._cuda_getDeviceCount())"
    extra = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    env = environment(tmp_path, LD_PRELOAD=":".join(map(str, preload(12))), **extra)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == [str(count), str(count)], done.stderr
