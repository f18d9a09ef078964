"""What a command and all that it started may leave behind."""

import contextlib
import os
import signal
import stat
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
OTHERS_S = 25.0  # longer, in which another program's helpers remove what it left
VARIABLE = "KILLED_COMMAND"
_SEGMENT = "shared memory "
# The role of a process, by words of its command line; the first that fits.
ROLES: Mapping[str, tuple[str, ...]] = {
    "guard": ("maya_guard",),
    "worker": ("maya.recipe_search.trials.worker",),
    "server": ("warm_server.py",),
    "ray worker": ("ray::",),
    "maya": ("-m maya ",),
    "program": (".py",),
}


@dataclass(frozen=True, slots=True)
class Traces:
    """Of one command: processes by a mark in their environment, files by where they are."""

    directory: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    shared_before: frozenset[str] = field(default_factory=lambda: frozenset(_shared_memory()))

    @property
    def environment(self) -> dict[str, str]:
        """For the command."""
        temporary = self.directory / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        return os.environ | {VARIABLE: self.mark, "TMPDIR": str(temporary)}

    def processes(self) -> dict[int, str]:
        """What lives of the command, with command lines."""
        wanted = f"{VARIABLE}={self.mark}".encode()
        found = {}
        for entry in filter(lambda path: path.name.isdigit(), Path("/proc").iterdir()):
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(entry.name)] = words.decode(errors="replace")
        return found

    def by_role(self) -> dict[str, list[int]]:
        """Processes that can be killed."""
        roles: dict[str, list[int]] = {}
        for pid, words in self.processes().items():
            role = next((r for r, known in ROLES.items() if any(w in words for w in known)), None)
            if role:
                roles.setdefault(role, []).append(pid)
        return roles

    def left_behind(self, patience_s: float) -> list[str]:
        """After so long; empty where nothing is. What is found is ended and removed."""
        deadline = time.monotonic() + patience_s
        while (found := self._look()) and time.monotonic() < deadline + _longer_s(found):
            time.sleep(0.1)
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return found

    def _look(self) -> list[str]:
        living = [f"process {pid}: {words[:80]}" for pid, words in self.processes().items()]
        temporary = self.directory / "tmp"
        sockets = [f"socket {path}" for path in temporary.rglob("*") if _is_socket(path)]
        ours = [f"directory {path}" for path in temporary.glob("maya-*")]
        return [*living, *sockets, *ours, *self._segments()]

    def _segments(self) -> list[str]:
        """New ones that no process has mapped: those of others on this machine are in use."""
        new = {name for name in _shared_memory() if name not in self.shared_before}
        if not new:
            return []
        return [f"{_SEGMENT}{name}" for name in sorted(new - _mapped())]


def _longer_s(found: Sequence[str]) -> float:
    """Nobody knows whose shared memory is that no process uses."""
    return OTHERS_S if all(one.startswith(_SEGMENT) for one in found) else 0.0


def _shared_memory() -> list[str]:
    with contextlib.suppress(OSError):
        return [path.name for path in SHARED_MEMORY.iterdir() if not path.is_dir()]
    return []


def _mapped() -> set[str]:
    """Names of segments that some process has mapped or open."""
    found = set()
    for entry in filter(lambda path: path.name.isdigit(), Path("/proc").iterdir()):
        with contextlib.suppress(OSError):
            for line in (entry / "maps").read_text("utf-8", errors="replace").splitlines():
                if f" {SHARED_MEMORY}/" in line:
                    found.add(line.rpartition(f"{SHARED_MEMORY}/")[2].split(" ")[0])
            for link in (entry / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = str(link.readlink())
                    if target.startswith(f"{SHARED_MEMORY}/"):
                        found.add(target.removeprefix(f"{SHARED_MEMORY}/"))
    return found


def _is_socket(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISSOCK(path.lstat().st_mode)
    return False
