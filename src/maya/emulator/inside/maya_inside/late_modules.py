"""What a forked run imports that its server had not: the server imports it before the next fork.

Noted when the import begins, because a run may be ended at any time.
"""

import importlib.util
import os
import sys
from typing import Any


def path_of(pid: int) -> str:
    """The file in which a fork of the server notes them: beside the socket that the server was
    started with."""
    return f"{sys.orig_argv[2]}.{pid}"


class _Noting:
    """Stands before the finders that do the work."""

    def __init__(self) -> None:
        self._file = os.open(path_of(os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        os.write(self._file, name.encode() + b"\n")


def note_from_now_on() -> None:
    """In a forked process, before it becomes what it shall be."""
    sys.meta_path.insert(0, _Noting())


def is_installed(name: str) -> bool:
    """Of a package, not the user's own; its parents are imported."""
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # a package may do anything while it is imported
        return False
    return spec is not None and "-packages" in (spec.origin or "")


def hand_on(names: "list[str]") -> None:
    """To a server for the same program that starts later."""
    with open(f"{sys.orig_argv[2]}.late", "a", encoding="utf-8") as file:
        file.write(" ".join(["", *names]))


def handed_on() -> "list[str]":
    """By the server before this one."""
    path = os.environ.get("MAYA_WARM_LATE", "")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(dict.fromkeys(file.read().split()))
