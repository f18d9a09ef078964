"""When work counts as done, and what ends with what: programs of one case a process."""

import re
import subprocess

import pytest
from fakes import ROOT, build, environment

PROGRAMS = {
    "progress": ["libcudart.so.12"],
    "lifetimes": ["libcudart.so.12", "libcuda.so.1"],
}
CASES = [
    (program, case)
    for program in PROGRAMS
    for case in re.findall(r'\{"(\w+)",\s+\1\}', (ROOT / f"tests/cudart/{program}.cpp").read_text())
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("semantics")
    define = ["-DMAYA_CUDA_MAJOR=12", f"-I{ROOT / 'core/include'}"]
    return {
        name: build(f"cudart/{name}.cpp", out / name, libraries, "cu12", extra=define)
        for name, libraries in PROGRAMS.items()
    }


@pytest.mark.parametrize(("program", "case"), CASES)
def test_case(programs, program, case, tmp_path):
    done = subprocess.run(
        [programs[program], case],
        env=environment(tmp_path),
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
