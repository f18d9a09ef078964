"""Tells the program's own code from that of frameworks and from code that Inductor wrote."""

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
_GENERATED = ("torchinductor", os.environ.get("TORCHINDUCTOR_CACHE_DIR") or "torchinductor")
_FRAMEWORK = ("/torch/", "/site-packages/", *_GENERATED, _HERE)


def is_generated(filename: str) -> bool:
    """Whether Inductor wrote it."""
    return any(part in filename for part in _GENERATED)


def is_own(filename: str) -> bool:
    """Whether it is the program's."""
    return not filename.startswith("<") and not any(part in filename for part in _FRAMEWORK)
