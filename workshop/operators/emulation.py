"""Records programs that no recording holds yet, many in one process."""

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from maya.emulator import EmulationOptions, emulate
from maya.errors import MayaError
from workshop.operators.case import Program
from workshop.operators.recording import Recordings, from_run

GPU = "h100"  # kernels are recorded once, on a GPU that has room for all
_MOST_SECONDS = 3000.0


def missing(programs: Iterable[Program], known: Recordings) -> list[Program]:
    """Each program once, where its work is not known."""
    wanted = {program.key: program for program in programs}
    return [program for key, program in wanted.items() if key not in known.work]


def record_programs(programs: Sequence[Program]) -> Recordings:
    """Run them all in one process under the emulator."""
    with tempfile.TemporaryDirectory() as folder:
        plan, run = Path(folder) / "plan.jsonl", Path(folder) / "run"
        plan.write_text("\n".join(json.dumps(asdict(p)) for p in programs), encoding="utf-8")
        words = [sys.executable, "-m", "workshop.operators.record", str(plan)]
        options = EmulationOptions(gpu=GPU, steps=0, max_seconds=_MOST_SECONDS, output=run)
        result = emulate(words, options)
        if result.exit_code:
            raise MayaError("the programs could not be recorded", hint=f"try {' '.join(words)}")
        return from_run(run, {program.key for program in programs})
