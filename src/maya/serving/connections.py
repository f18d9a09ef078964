"""Who is connected to a server, from /proc: a client on another clock waits for one that stands."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_ESTABLISHED = "01"
_CLOCK = b"MAYA_CLOCK="


class Outsider(NamedTuple):
    """A process that talks to the server, and has not joined its clock."""

    process: int
    command: str


def outsiders(port: int, clock: Path) -> Iterator[Outsider]:
    """Those of this user, without ourselves."""
    sockets = _sockets_to(port)
    for place in Path("/proc").glob("[0-9]*") if sockets else ():
        process = int(place.name)
        if process == os.getpid() or not sockets & _sockets_of(place):
            continue
        with suppress(OSError):
            if _CLOCK + os.fsencode(clock) not in (place / "environ").read_bytes().split(b"\0"):
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                yield Outsider(process, words.decode(errors="replace").strip())


def _sockets_to(port: int) -> set[str]:
    """The clients' ends, as they are called in the directory of a process's files."""
    wanted = f"{port:04X}"
    found = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", table).read_text("ascii").splitlines()[1:]:
                _, _, remote, state, *rest = line.split()
                if state == _ESTABLISHED and remote.rpartition(":")[2] == wanted:
                    found.add(f"socket:[{rest[5]}]")
    return found


def _sockets_of(process: Path) -> set[str]:
    links = set()
    with suppress(OSError):
        for file in (process / "fd").iterdir():
            with suppress(OSError):
                links.add(str(file.readlink()))
    return links
