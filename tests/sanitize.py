"""python -m tests.sanitize CHECKS: the native libraries with sanitizers, under all that uses them.

CHECKS is `address,undefined` or `thread`. They are built in build/<checks>, away from what is
installed, and run by the native tests and by two training scripts, one of them with two ranks. A
report ends its process, so that whatever runs to its end was clean. (Tests of parts of the core
alone are built with the address sanitizer anyway, in `make test`.)
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = [
    f"tests/native/test_{name}.py"
    for name in ("cudart", "driver", "mathlibs", "cudnn", "nccl", "cupti", "nvml", "nvtx")
]
# A thread of PyTorch's profiler outlives the end of its process, where TSan's memory is gone.
LEFT_OUT = {"thread": "not profile_of_torch"}
WORKLOADS = ROOT / "tests/emulate/workloads"
SCRIPTS = (["gpt.py"], ["-m", "torch.distributed.run", "--nproc-per-node", "2", "ddp.py"])
RUNTIMES = {"address,undefined": "libasan.so", "thread": "libtsan.so"}
OPTIONS = {
    # Python and PyTorch leave much behind on purpose. The launcher puts its libraries first.
    "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:halt_on_error=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    # What PyTorch, which has no instruments, orders by its own atomics would be called a race.
    "TSAN_OPTIONS": "halt_on_error=1:ignore_noninstrumented_modules=1:report_signal_unsafe=0",
}


def main() -> None:
    """Build, then run; the first failure ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument("checks", choices=list(RUNTIMES))
    parser.add_argument("--jobs", default="1")
    options = parser.parse_args()
    environment = _environment(options.checks, _build(options.checks, options.jobs))
    chosen = ["-k", LEFT_OUT[options.checks]] if options.checks in LEFT_OUT else []
    _run([sys.executable, "-m", "pytest", "-q", "-x", *TESTS, *chosen], environment)
    for script in SCRIPTS:
        _run(_emulated(script), environment)
    print(f"clean under {options.checks}")


def _build(checks: str, jobs: str) -> Path:
    directory = ROOT / "build" / checks.replace(",", "-")
    tools = Path(sys.executable).parent
    make = [f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", f"-DMAYA_SANITIZE={checks}"]
    _run([tools / "cmake", "-S", ROOT, "-B", directory, "-G", "Ninja", *make])
    _run([tools / "cmake", "--build", directory, "--parallel", jobs])
    return directory / "_native"


def _environment(checks: str, libraries: Path) -> dict[str, str]:
    command = ["g++", f"-print-file-name={RUNTIMES[checks]}"]
    runtime = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return OPTIONS | {"MAYA_NATIVE_DIR": str(libraries), "LD_PRELOAD": runtime}


def _emulated(script: list[str]) -> list[str | Path]:
    *launcher, name = script
    # TSan delivers signals later than the layer over files, which lives by one, can bear.
    options = ["--gpu", "h100", "--steps", "2", "--max-seconds", "300", "--allow-writes"]
    options += ["-o", str(ROOT / "build" / "sanitized-run"), "--force"]
    maya = [sys.executable, "-m", "maya", "emulate", *options, "--"]
    return [*maya, sys.executable, *launcher, WORKLOADS / name]


def _run(words: list[str | Path], environment: dict[str, str] | None = None) -> None:
    print(*words, flush=True)
    done = subprocess.run(words, cwd=ROOT, env=os.environ | (environment or {}), check=False)
    if done.returncode:
        sys.exit(f"failed with {done.returncode}")


if __name__ == "__main__":
    main()
