"""Run a command under the emulator and judge whether what it left can be predicted."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from maya.analyze import script_ran_out_of_memory
from maya.emulator import EmulationOptions, EmulationResult, emulate
from maya.errors import ExitCode, MayaError
from maya.hardware import Cluster
from maya.simulator.stages.reader import StageReader
from maya.trace import Run, collect


@dataclass(frozen=True, slots=True)
class Recording:
    """A run that can be predicted, and how its command ended."""

    run: Run
    result: EmulationResult
    out_of_memory: bool  # the script failed for that reason, which is an answer too


class RecordingFailedError(MayaError):
    """The command left nothing to predict from."""

    def __init__(self, result: EmulationResult) -> None:
        super().__init__(
            _reason(result),
            hint=f"`maya inspect {shlex.quote(str(result.run_dir))}` shows what was recorded"
            if result.captures
            else "many scripts use a GPU only when told to, with an option such as --device cuda",
            exit_code=result.status or ExitCode.ERROR,
        )
        self.result = result


def record(
    command: Sequence[str], target: Cluster, options: EmulationOptions | None = None
) -> Recording:
    """Emulate `command` on the target's GPUs; raises RecordingFailedError."""
    own = replace(
        options or EmulationOptions(),
        gpu=target.gpu,
        gpus=target.per_node,
        nodes=target.nodes,
        stages=StageReader(),
    )
    result = emulate(command, own)
    if not result.captures:
        raise RecordingFailedError(result)
    run = collect(result.run_dir)
    out_of_memory = script_ran_out_of_memory(run)
    if result.status != ExitCode.OK and not out_of_memory:
        raise RecordingFailedError(result)
    return Recording(run, result, out_of_memory)


def _reason(result: EmulationResult) -> str:
    if result.status != ExitCode.OK:
        return result.failure or f"the command failed with exit code {result.exit_code}"
    if result.ended_by == "cpu-only":
        return "the script trains on the CPU: its optimiser made 50 steps, nothing ran on the GPU"
    if result.ended_by == "max-seconds":
        return "the program had not used the GPU when its time was over (--max-seconds)"
    return "nothing was recorded: the program did not use the GPU"
