"""Running a script under the emulator and timing it from outside."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"


def run(
    script: str, *args: str, steps: int = 0, record: bool = True, gpu: str = "h100"
) -> tuple[str, float]:
    """Run a script of benchmarks/scripts; its stdout and the seconds from command to prompt."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "maya", "emulate", "--gpu", gpu, "--steps", str(steps)]
        command += ["-o", directory, "--force", "--record" if record else "--no-record"]
        command += ["--", sys.executable, str(SCRIPTS / script), *args]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
    if done.returncode != 0:
        raise RuntimeError(f"{script} failed:\n{done.stderr}")
    return done.stdout, seconds


def figure(stdout: str, name: str) -> float:
    """The number that the script printed as `name=number`."""
    for line in stdout.splitlines():
        key, _, value = line.partition("=")
        if key == name:
            return float(value)
    raise RuntimeError(f"the script printed no {name}")
