"""The name of every file in a run's directory.

The native core writes some of them (native/core/include/maya/run_files.h), the code inside Python
others (emulator/inside/maya_inside/run_files.py): a test holds the three lists together.
"""

import re

MARKER = ".maya-run"  # tells an interrupted run from somebody's files; locked while it is written
RUN = "run.json"  # written last: without it a run is not complete
DEVICE = "device.txt"  # the GPU as the native core reads it
REPRESENTATIVES = "representatives.txt"  # for every rank the launched one that does the same
GROUPS = "groups.txt"  # that the program declared
PARTNERS = "partners-{rank}.txt"  # ranks that are no process and that this one has messages for
LAUNCHER = "launcher.json"  # how a launcher was called that the command came to

STOP = "stop"  # why the emulator ended the program
ERROR = "error"  # why recording failed
STRICT = "strict"  # the unsupported call that ended the program
FAILURE = "failure"  # why the job as a whole cannot go on
KILLED_CHILD = "killed-child"  # id of a process that the program started and somebody killed
FAILED_RANK = "failed-rank{rank}"  # exit code of a rank, and when it failed (monotonic, ns)

SERVED = "served-{process}.jsonl"  # iterations and requests of a server, in virtual time
STACKS = "stacks"  # of threads of a server that were asked where they are
CLIENTS = "clients.json"  # the environment of programs that join the job's clock

CLOCK = "clock"  # the job's virtual time, in shared memory
RANK_CLOCK = "clock-rank{rank}"  # the same of a launcher's rank, which has a clock of its own
BOARD = "board"  # what ranks tell each other, in shared memory
EXCHANGE = "comm"  # directory of what collectives exchange
CACHES = "caches"  # directory of compiled kernels, where the home cannot be written to
HELD_FILES = "held-files"  # directory of what the program wrote instead of the user's files
HELD_AT_LAUNCH = "held-files.launch"  # the same, as it was when a launcher was about to begin

CAPTURE_SUFFIX = ".maya"
DURATIONS = ".durations"  # behind the name of a capture: what maya answers about its work
ALLOCATOR_SUFFIX = ".memory.json"  # beside a capture: what PyTorch's allocator held
SNAPSHOT_SUFFIX = ".snapshot.json"  # beside a capture: its blocks and changes in the second step

SUMMARY = "summary.json"  # the prediction that was made last
KERNELS = "kernels.json"  # a prediction's table of kernels
PREDICTIONS = "predictions"  # directory of all predictions, each in one of its own
ESTIMATES = "estimates.json"  # of its kernels, for the next prediction
EXPORTS = ("kineto", "perfetto", "sqlite", "chakra", "csv", "parquet", "memory")  # of `maya export`
PAGE = "report.html"  # of `maya report --html`
DIFF_PAGE = "diff.html"  # of `maya diff --html`, in the second run

_TOLD = (STOP, ERROR, STRICT, FAILURE, KILLED_CHILD)
_FIXED = (RUN, DEVICE, REPRESENTATIVES, GROUPS, LAUNCHER, *_TOLD, CLIENTS, STACKS)
_SHARED = (BOARD, CLOCK)
_PREDICTED = (SUMMARY, KERNELS, PREDICTIONS, ESTIMATES, *EXPORTS, PAGE, DIFF_PAGE)
_NUMBERED = (PARTNERS, RANK_CLOCK, FAILED_RANK, SERVED)
_MADE = (*_FIXED, *_SHARED, EXCHANGE, CACHES, HELD_FILES, *_PREDICTED, *_NUMBERED)
_STEM = r"(?:rank(?P<rank>\d+)-)?\d+"
_CAPTURE = re.compile(_STEM + re.escape(CAPTURE_SUFFIX))
_ENDS = "|".join(map(re.escape, (ALLOCATOR_SUFFIX, SNAPSHOT_SUFFIX, CAPTURE_SUFFIX + DURATIONS)))
_BESIDE = re.compile(rf"{_STEM}(?:{_ENDS})")


def _pattern(name: str) -> str:
    return re.sub(r"\\\{[a-z]+\\\}", "[0-9]+", re.escape(name))


# While a file is being written its name has a dot before it or something behind it.
_OURS = re.compile(
    rf"\.?(?:{'|'.join(map(_pattern, _MADE))}"
    rf"|{_BESIDE.pattern})(?:\.\w+)?"
)


def is_capture(name: str) -> bool:
    """Whether a process that used the device may have written a file of this name."""
    return _CAPTURE.fullmatch(name) is not None


def is_run_file(name: str) -> bool:
    """Whether a run may leave such a file; all others in its directory are somebody else's."""
    return is_capture(name) or _OURS.fullmatch(name) is not None


def rank_and_name(name: str) -> tuple[int, str]:
    """The order of captures; those of programs without a launcher have no rank."""
    match = _CAPTURE.fullmatch(name)
    return int(match["rank"]) if match and match["rank"] else -1, name
