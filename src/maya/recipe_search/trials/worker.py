"""A process that runs trials: jobs come as lines on stdin, outcomes leave as lines on stdout.

`python -m maya.recipe_search.trials.worker`. It ends when stdin does, with everything it started:
that holds even if the search itself was killed.
"""

import os
import queue
import sys
import threading

from maya.emulator.process import end_descendants
from maya.recipe_search.trials.jobs import TrialJob
from maya.recipe_search.trials.trial import run_trial
from maya.recipe_search.trials.warmth import close


def main() -> None:
    """Serve until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not mix with the answers
    jobs: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(jobs,), daemon=True).start()
    while True:
        outcome = run_trial(TrialJob.from_json(jobs.get()))
        answers.write(outcome.to_json() + "\n")
        answers.flush()


def _read(jobs: "queue.Queue[str]") -> None:
    for line in sys.stdin:
        jobs.put(line)
    end_descendants(os.getpid())
    close()  # the directory of its sockets
    os._exit(0)


if __name__ == "__main__":
    main()
