"""The hosts and GPUs that `deepspeed` would use: its host file, --include and --exclude."""

import re
from collections.abc import Mapping
from pathlib import Path

from maya.errors import MayaError

_LOCAL = "localhost"


def read_hostfile(path: Path) -> dict[str, int]:
    """GPUs of each host, from lines of `name slots=N`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise MayaError(f"cannot read {path}: {error.strerror}", hint="check --hostfile") from error
    found = [m for line in lines if (m := re.match(r"\s*([^#\s]\S*)\s+slots=(\d+)", line))]
    hosts = {match.group(1): int(match.group(2)) for match in found}
    if not hosts or len(set(hosts.values())) > 1:
        raise MayaError(f"{path} must give every host the same number of slots")
    return hosts


def active_slots(options: Mapping[str, str], gpus: int) -> list[list[int]]:
    """Numbers of the GPUs used, host by host; without a host file there is this one with `gpus`."""
    if "include" in options and "exclude" in options:
        raise MayaError("deepspeed: --include and --exclude cannot be used together")
    hosts = read_hostfile(Path(options["hostfile"])) if "hostfile" in options else {_LOCAL: gpus}
    everything = {host: list(range(count)) for host, count in hosts.items()}
    if "include" in options:
        used = _chosen(options["include"], everything)
    else:
        left_out = _chosen(options["exclude"], everything)
        used = {
            host: [slot for slot in slots if slot not in left_out.get(host, [])]
            for host, slots in everything.items()
        }
    found = [used[host] for host in everything if used.get(host)]
    if not found or len({len(slots) for slots in found}) > 1:
        raise MayaError(
            "deepspeed: --include and --exclude must leave as many GPUs on every host",
            hint="hosts with no GPU left are not used",
        )
    return found


def _chosen(text: str, everything: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """`worker-0@worker-1:0,2`: a host alone means all its GPUs."""
    chosen: dict[str, list[int]] = {}
    for part in text.split("@"):
        host, colon, slots = part.strip().partition(":")
        if host not in everything:
            raise MayaError(
                f"deepspeed: host {host!r} is not one of {', '.join(everything)}",
                hint="name hosts of --hostfile; without one there is only localhost",
            )
        words = slots.split(",") if colon else []
        wanted = [int(word) for word in words if word.isdigit()]
        if len(wanted) != len(words) or not set(wanted) <= set(everything[host]):
            raise MayaError(f"deepspeed: {part!r} names GPUs that {host} does not have")
        chosen[host] = sorted(set(wanted)) if colon else everything[host]
    return chosen
