"""Does the emulation work on this machine? Every check runs in a process of its own."""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from maya.emulator.device import write_device_file
from maya.emulator.environment import child_environment
from maya.emulator.exports import Support, read_exports
from maya.emulator.native import CORE, libraries, native_dir, preload
from maya.emulator.target import find_torch, require_cuda_torch
from maya.errors import MayaError
from maya.hardware import find_gpu

# How each library tells its version: function, and which of its forms:
# "int*", "int* int*" (major, minor), "size_t", "property" (major through an enumeration).
_VERSION_CALLS = {
    "libcudart": ("cudaRuntimeGetVersion", "int*"),
    "libcuda": ("cuDriverGetVersion", "int*"),
    "libcublas": ("cublasGetProperty", "property"),
    "libcublasLt": ("cublasLtGetVersion", "size_t"),
    "libcudnn": ("cudnnGetVersion", "size_t"),
    "libnccl": ("ncclGetVersion", "int*"),
    "libcupti": ("cuptiGetVersion", "int*"),
    "libnvrtc": ("nvrtcVersion", "int* int*"),
    "libnvJitLink": ("nvJitLinkVersion", "int* int*"),
    "libcufft": ("cufftGetVersion", "int*"),
    "libcurand": ("curandGetVersion", "int*"),
    "libcusolver": ("cusolverGetVersion", "int*"),
    "libcusparse": ("cusparseGetProperty", "property"),
    "libcusparseLt": ("cusparseLtGetProperty", "property"),
    "libcufile": ("cuFileGetVersion", "int*"),
}

_LOAD = """
import ctypes, json, os, sys
path, function, form = sys.argv[1:]
library = ctypes.CDLL(path, os.RTLD_NOW)
version = ""
call = getattr(library, function, None) if function else None
a, b, c = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
if call is not None and form == "int*" and call(ctypes.byref(a)) == 0:
    version = str(a.value)
elif call is not None and form == "int* int*" and call(ctypes.byref(a), ctypes.byref(b)) == 0:
    version = f"{a.value}.{b.value}"
elif call is not None and form == "size_t":
    call.restype = ctypes.c_size_t
    version = str(call())
elif call is not None and form == "property":
    ok = [call(n, ctypes.byref(x)) == 0 for n, x in enumerate((a, b, c))]
    version = f"{a.value}.{b.value}.{c.value}" if all(ok) else ""
print(json.dumps(version))
"""

_TORCH = """
import json, torch
available = torch.cuda.is_available()
answer = {"available": available, "count": torch.cuda.device_count() if available else 0}
if available:
    answer["name"] = torch.cuda.get_device_name(0)
    x = torch.ones(64, 64, device="cuda")
    answer["matmul"] = list((x @ x).shape)
    torch.cuda.synchronize()
print("\\n" + json.dumps(answer))
"""


@dataclass(frozen=True, slots=True)
class LibraryCheck:
    """One library: whether it loads and what it can do."""

    name: str
    soname: str
    version: str
    counts: dict[Support, int]
    problem: str | None

    @property
    def exported(self) -> int:
        """All functions."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class TorchCheck:
    """Whether torch sees the emulated device and can use it."""

    version: str | None
    cuda: str | None
    device: str | None
    problem: str | None


def check_libraries() -> list[LibraryCheck]:
    """Load every emulated library."""
    if not (native_dir() / CORE).exists():
        preload(12)  # raises, with what to do
    return [_check_library(library.path) for library in libraries()]


def check_torch(interpreter: str = sys.executable, gpu: str = "h100") -> TorchCheck:
    """Import torch under the emulated libraries and multiply two matrices."""
    try:
        torch = find_torch(interpreter)
        require_cuda_torch(torch, interpreter)
        assert torch is not None
        answer = _run_torch(interpreter, gpu, torch.cuda_major or 12)
    except MayaError as error:
        found = locals().get("torch")
        version, cuda = (found.version, found.cuda) if found else (None, None)
        return TorchCheck(
            version, cuda, None, f"{error.message} ({error.hint})" if error.hint else error.message
        )
    fine = answer.get("available") and answer.get("matmul") == [64, 64]
    problem = None if fine else "torch.cuda.is_available() is False under the emulated libraries"
    return TorchCheck(torch.version, torch.cuda, str(answer.get("name")), problem)


def _check_library(path: Path) -> LibraryCheck:
    exports = read_exports(path)
    counts = {support: exports.count(support) for support in Support}
    function, form = _VERSION_CALLS.get(path.name.partition(".")[0], ("", ""))
    # The core's thread-local storage has its place only when it is loaded at start.
    env = os.environ | {"LD_PRELOAD": f"{native_dir() / CORE}:{path}"}
    asked = _run([sys.executable, "-c", _LOAD, str(path), function, form], env)
    problem = None if asked.returncode == 0 else _complaint(asked)
    if problem is None and exports.soname != path.name:
        problem = f"its SONAME is {exports.soname}"
    version = json.loads(asked.stdout) if asked.returncode == 0 else ""
    return LibraryCheck(path.name, exports.soname, version, counts, problem)


def _run_torch(interpreter: str, gpu: str, cuda_major: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="maya-doctor-") as directory:
        device_file = write_device_file(Path(directory), find_gpu(gpu))
        env = child_environment(
            os.environ,
            preload=preload(cuda_major),
            run_dir=Path(directory),
            device_file=device_file,
            gpus=1,
            steps=0,
            max_seconds=120,
            strict=False,
            record=True,
        )
        asked = _run([interpreter, "-c", _TORCH], env)
    if asked.returncode != 0:
        raise MayaError(f"torch fails under the emulated libraries: {_complaint(asked)}")
    answer: dict[str, object] = json.loads(asked.stdout.splitlines()[-1])
    return answer


def _run(argv: list[str], env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv, check=False, capture_output=True, text=True, timeout=180, env=env
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, -1, "", "no answer within 180 s")


def _complaint(asked: subprocess.CompletedProcess[str]) -> str:
    """The line of a traceback that tells most, or the last one."""
    lines = asked.stderr.strip().splitlines() or [f"ended with code {asked.returncode}"]
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (errors or lines)[-1]
