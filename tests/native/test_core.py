"""Parts of the core on their own, compiled from their sources with sanitizers."""

import re
import subprocess

import pytest
from fakes import FLAGS, ROOT

_DETECTOR = (
    "steps/detector.cpp steps/boundary.cpp steps/gradients.cpp steps/pieces.cpp steps/watch.cpp"
    " steps/steadiness.cpp steps/alike.cpp steps/plain_loop.cpp steps/periodicity.cpp"
    " steps/executables.cpp"
)
_VALUES = "known_values.cpp blocks.cpp assumptions.cpp"
PROGRAMS = {
    "periodicity": "steps/periodicity.cpp",
    "steps": _DETECTOR,
    "settling": "",
    "held_core": "steps/held_core.cpp",
    "capture_file": "capture_file.cpp clock.cpp",
    "known_values": _VALUES,
    "attention_lengths": f"kernels/attention_lengths.cpp {_VALUES}",
    "unused_bytes": "kernels/unused_bytes.cpp",
    "tensor_lists": "kernels/layouts/tensor_list.cpp",
    "shares": "kernels/shares.cpp",
    "stream_times": "virtual/stream_times.cpp virtual/settings.cpp",
}
CASES = [
    (program, case)
    for program in PROGRAMS
    for case in re.findall(r'\{"(\w+)",\s+\1\}', (ROOT / f"tests/core/{program}.cpp").read_text())
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("core")
    for name, sources in PROGRAMS.items():
        command = ["g++", *FLAGS, "-fsanitize=address,undefined", f"-I{ROOT / 'core'}"]
        command += [f"-I{ROOT / 'core/include'}"]
        command += [str(ROOT / f"tests/core/{name}.cpp")]
        command += [str(ROOT / "core" / source) for source in sources.split()]
        subprocess.run([*command, "-o", str(out / name)], check=True, timeout=120)
    return out


@pytest.mark.parametrize(("program", "case"), CASES)
def test_case(programs, program, case):
    done = subprocess.run([programs / program, case], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
