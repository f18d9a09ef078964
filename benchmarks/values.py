"""Which values of small tensors the emulated device gives as the CPU does."""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.emulated import SCRIPTS
from maya.emulator.native import native_dir

PAGE = Path(__file__).parent.parent / "docs" / "emulator.md"
BUILD = """
from torch import version
print(f"PyTorch {version.__version__.partition('+')[0]}, CUDA {version.cuda.partition('.')[0]}")
"""
KINDS = ("bool", "int32", "int64", "float32")


@dataclass
class Tally:
    """Outcomes of all samples, by type and operator."""

    counts: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    begun: int = -1
    operator: str = ""

    def read(self, line: str) -> None:
        """One line of the script's output."""
        told = json.loads(line)
        if "begin" in told:
            self.begun, self.operator = told["begin"], told["operator"]
            return
        by_operator = self.counts.setdefault(told["type"], {})
        by_operator.setdefault(told["operator"], Counter()).update(told["counts"])
        self.notes += told["notes"]

    def total(self, kind: str) -> Counter[str]:
        """Of one type."""
        return sum(self.counts.get(kind, {}).values(), Counter())


def measure(python: Path, *arguments: str) -> Tally:
    """Run the script; begin again behind an operator that ends the process."""
    tally = Tally()
    start = 0
    while True:
        status = _run(python, (*arguments, "--start", str(start)), tally)
        if status == 0:
            return tally
        tally.notes.append(f"{tally.operator}: crash: the process ended with {status}")
        if tally.begun < start:
            return tally  # it fails before its first operator
        start = tally.begun + 1


def _run(python: Path, arguments: Sequence[str], tally: Tally) -> int:
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "--max-seconds", "3000"]
        command += ["--no-record", "-o", directory, "--force", "--", str(python)]
        command += [str(SCRIPTS / "op_values.py"), *arguments]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            for line in process.stdout or ():
                if line.startswith("{"):
                    tally.read(line)
        return process.returncode


def write_row(python: Path, tally: Tally, page: Path = PAGE) -> None:
    """Renew the shares of this build in the table of the page."""
    told = subprocess.check_output([python, "-c", BUILD], text=True, env=_with_libraries())
    build = told.strip()
    shares = (tally.total(kind) for kind in KINDS)
    cells = " | ".join(f"{total['equal'] / total.total() * 100:.1f} %" for total in shares)
    lines = page.read_text("utf-8").splitlines()
    at = next(at for at, line in enumerate(lines) if line.lstrip().startswith(f"| {build}"))
    first_cell = lines[at].index(" |", lines[at].index(build))
    lines[at] = f"{lines[at][:first_cell]} | {cells} |"
    page.write_text("\n".join(lines) + "\n", "utf-8")


def _with_libraries() -> dict[str, str]:
    return {**os.environ, "LD_LIBRARY_PATH": str(native_dir())}


def main(arguments: Sequence[str]) -> int:
    """Print the tally, and every operator that has samples other than equal.

    `--write` renews the row of this build in docs/emulator.md, after all samples.
    """
    python = Path(os.environ.get("MAYA_PYTHON_VALUES", sys.executable))
    options = [word for word in arguments if word != "--write"]
    tally = measure(python, *options)
    if "--write" in arguments:
        if options:
            raise SystemExit("--write wants all samples")
        write_row(python, tally)
    for kind in KINDS:
        total = tally.total(kind)
        shares = (
            f"{name} {count} ({count / total.total():.1%})" for name, count in total.most_common()
        )
        print(f"{kind}: {', '.join(shares)}")
        for operator, counts in tally.counts.get(kind, {}).items():
            if counts.total() != counts["equal"]:
                print(f"  {operator}: {dict(counts)}")
    print(f"wrong or crashed: {len(tally.notes)}")
    for note in tally.notes:
        print(f"  {note}")
    return 1 if tally.notes else 0
