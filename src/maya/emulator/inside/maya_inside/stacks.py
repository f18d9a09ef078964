"""Where a thread of a server is: maya asks the thread with a signal, whatever it is doing."""

import faulthandler
import os
import signal

from maya_inside import run_files

SIGNAL = signal.SIGRTMAX - 2  # nobody else's: maya/serving/spinning.py sends it


def activate() -> None:
    """Only in the processes of a server, whose threads wait for each other's time."""
    if os.environ.get("MAYA_CLOCK_PATIENT") == "1" and os.environ.get("MAYA_RECORD") == "1":
        path = os.path.join(os.environ["MAYA_RUN_DIR"], run_files.STACKS)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        faulthandler.register(SIGNAL, file=file, all_threads=False)
