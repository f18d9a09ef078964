"""Shared by all tests."""

import os

import pytest

# Work that comes with every tenth step is looked for where a test is about it: that takes seconds.
os.environ.setdefault("MAYA_WATCH_STEPS", "0")


@pytest.fixture(scope="session")
def workload_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """For emulated programs: no network, few threads, compiler caches that begin empty."""
    caches = tmp_path_factory.mktemp("caches")
    return {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
        "XDG_CACHE_HOME": str(caches),
    }
