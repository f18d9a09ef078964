"""Process groups on the host (gloo) with members that are no process.

torch's own gloo would wait for connections from all members. Where some are virtual, the group
gets a gloo of one member, and the calls that Python code makes on the group are answered here.
"""

from collections.abc import Callable
from typing import Any

from maya_inside import cpu_collectives, gathered, groups, ranks


def activate(dist: Any, c10d: Any) -> None:
    """Replace gloo, and watch the calls on process groups."""
    real = getattr(c10d, "ProcessGroupGloo", None)
    if real is None:
        return
    c10d.ProcessGroupGloo = _gloo_of_one(dist, real)
    if hasattr(dist, "ProcessGroupGloo"):
        dist.ProcessGroupGloo = c10d.ProcessGroupGloo
    for name, answer in cpu_collectives.ANSWERS.items():
        if hasattr(dist.ProcessGroup, name):
            _watch(dist, name, answer, real)


def _gloo_of_one(dist: Any, real: Any) -> Any:
    class ProcessGroupGloo(real):  # type: ignore[misc]
        def __init__(self, store: Any, rank: int, size: int, *rest: Any, **options: Any) -> None:
            members = groups.members_being_made() or ()
            if len(members) == size and ranks.has_virtual(members):
                store, rank, size = dist.HashStore(), 0, 1
            super().__init__(store, rank, size, *rest, **options)

    return ProcessGroupGloo


def _watch(dist: Any, name: str, answer: Callable[..., Any], gloo: Any) -> None:
    real = getattr(dist.ProcessGroup, name)

    def method(group: Any, *arguments: Any, **options: Any) -> Any:
        members = groups.members_of(group)
        if not ranks.has_virtual(members):
            return real(group, *arguments, **options)
        if not _on_host(name, group, arguments, gloo):
            with groups.in_collective(name):
                made = real(group, *arguments, **options)
            if name == "gather":
                gathered.speak_for_virtual(group, arguments[0])
            return made
        return answer(group, *arguments, **options)

    method.__name__ = name
    setattr(dist.ProcessGroup, name, method)


def _on_host(name: str, group: Any, arguments: Any, gloo: Any) -> bool:
    """Whether gloo would have been asked."""
    if name == "monitored_barrier":
        return True
    device = _device(arguments)
    if device is None:  # a barrier without a device: whatever the group's own is
        kinds = [str(kind) for kind in group._device_types]
        device = next((kind for kind in kinds if kind.startswith("cuda")), "cpu")
    import torch

    try:
        return isinstance(group._get_backend(torch.device(device)), gloo)
    except RuntimeError:
        return False  # torch's own complaint must come through


def _device(arguments: Any) -> Any:
    for argument in arguments:
        one = argument
        while isinstance(one, (list, tuple)) and one:
            one = one[0]
        found = getattr(one, "device", None)
        if found is not None:
            return found
    return None
