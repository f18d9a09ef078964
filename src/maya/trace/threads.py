"""Which threads of a process compute gradients."""

from maya.trace.capture import Capture
from maya.trace.format import Kind

_AUTOGRAD = "pt_autograd"


def autograd_threads(capture: Capture) -> list[int]:
    """By the name that PyTorch gives them from 2.6 on."""
    return [number for number, name in _named(capture).items() if name.startswith(_AUTOGRAD)]


def backward_threads(capture: Capture) -> list[int]:
    """Autograd's own; where they have no name, all but the first."""
    named = _named(capture)
    return autograd_threads(capture) or [number for number in named if number != min(named)]


def _named(capture: Capture) -> dict[int, str]:
    threads = (d for d in capture.definitions() if d.kind == Kind.THREAD)
    return {d.number("number"): d.text("name") for d in threads}
