"""Asks accelerate what `accelerate launch` would start: the answer is JSON in the file ANSWER.

ANSWER, then the launcher's own words. Runs in the program's interpreter, under the emulated
libraries, because accelerate looks at the GPUs. Everything is accelerate's own code up to the point
where it would start processes.
"""

import json
import os
import sys
from types import SimpleNamespace
from typing import Any

import torch.distributed.run as torchrun
from accelerate.commands import launch
from accelerate.utils import launch as preparing

_DEFAULT_PORT = 29500  # which accelerate fills in


class WouldStart(BaseException):
    """Not an Exception: accelerate handles those."""

    def __init__(self, env: "dict[str, str]", ranks: bool) -> None:
        super().__init__()
        self.env, self.ranks = env, ranks


def _start_ranks(_: Any) -> None:
    raise WouldStart(dict(os.environ), ranks=True)


def _start_program(command: "list[str]", env: "dict[str, str]") -> None:
    raise WouldStart(env, ranks=command[0] == "deepspeed")


def ask(words: "list[str]") -> "dict[str, Any]":
    """What would be started, where, and with which changes to the environment."""
    before = dict(os.environ)
    torchrun.run = _start_ranks
    launch.subprocess = SimpleNamespace(Popen=_start_program)
    preparing.is_port_in_use = lambda *_: False  # the job gets a port of its own
    args = launch.launch_command_parser().parse_args(words)
    args.machine_rank = 0
    # Written where deepspeed on other machines would read the environment.
    os.environ["DS_ENV_FILE"] = os.devnull
    try:
        launch.launch_command(args)
    except WouldStart as started:
        port = args.main_process_port
        return {
            "ranks": started.ranks,
            "processes": args.num_processes,
            "machines": args.num_machines,
            "port": None if port in (None, _DEFAULT_PORT) else port,
            "module": bool(args.module),
            "no_python": bool(args.no_python),
            "script": [args.training_script, *args.training_script_args],
            "env": {
                name: value
                for name, value in started.env.items()
                if before.get(name) != value and name != "DS_ENV_FILE"
            },
        }
    raise SystemExit("accelerate started nothing")


if __name__ == "__main__":
    answer = ask(sys.argv[2:])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(answer, file)
