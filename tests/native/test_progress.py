"""When work counts as done: after a wait, after much further work, after patient polling."""

import re
import subprocess

import pytest
from fakes import ROOT, build, environment

CASES = re.findall(
    r'\{"(\w+)",\s+\1\}', (ROOT / "tests/cudart/progress.cpp").read_text()
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    output = tmp_path_factory.mktemp("progress") / "progress"
    define = ["-DMAYA_CUDA_MAJOR=12", f"-I{ROOT / 'core/include'}"]
    return build("cudart/progress.cpp", output, ["libcudart.so.12"], "cu12", extra=define)


@pytest.mark.parametrize("case", CASES)
def test_case(program, tmp_path, case):
    done = subprocess.run(
        [program, case], env=environment(tmp_path), timeout=60, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
