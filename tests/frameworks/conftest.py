"""What the tests of whole frameworks share."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/emulate"))  # how a workload is run


@pytest.fixture(scope="session")
def python_frameworks() -> Path:
    """The interpreter that has megatron-core, DeepSpeed and torchtitan."""
    path = Path(os.environ.get("MAYA_PYTHON_FRAMEWORKS", ROOT / ".venv-frameworks/bin/python"))
    if not path.exists():
        pytest.skip(f"no {path}; `make test` makes it")
    return path


@pytest.fixture(scope="session")
def frameworks_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """No network, few threads, caches that begin empty."""
    caches = tmp_path_factory.mktemp("caches")
    return {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
        "TRITON_CACHE_DIR": str(caches / "triton"),
        "XDG_CACHE_HOME": str(caches),
        "HF_HOME": str(caches / "hf"),
    }
