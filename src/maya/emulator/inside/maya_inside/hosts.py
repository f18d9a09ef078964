"""Ranks of different nodes must not believe that they are on one machine."""

import os
import platform
import socket
from typing import Any


def _is_ours(name: object) -> bool:
    return isinstance(name, str) and name.startswith("maya-node-")


def activate() -> None:
    """Give this process the name of its node, and let such names be found."""
    node = os.environ.get("GROUP_RANK", "0")
    if os.environ.get("GROUP_WORLD_SIZE", "1") == "1":
        return
    name = f"maya-node-{node}"
    socket.gethostname = lambda: name
    platform.node = lambda: name
    by_name, info = socket.gethostbyname, socket.getaddrinfo

    def gethostbyname(host: str) -> str:
        return "127.0.0.1" if _is_ours(host) else by_name(host)

    def getaddrinfo(host: Any, *rest: Any, **options: Any) -> Any:
        return info("127.0.0.1" if _is_ours(host) else host, *rest, **options)

    socket.gethostbyname = gethostbyname
    socket.getaddrinfo = getaddrinfo
