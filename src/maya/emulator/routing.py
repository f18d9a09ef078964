"""How tokens are spread over experts where a program reads counts that no kernel made."""

import math
from pathlib import Path

from maya.errors import MayaError

_HINT = "balanced, zipf, zipf:EXPONENT, or a file with one weight for every expert"


def routing_policy(text: str) -> str:
    """The policy as the native core reads it: "balanced", "zipf:S" or "weights:a,b,..."."""
    name, _, exponent = text.partition(":")
    if name == "balanced" and not exponent:
        return "balanced"
    if name == "zipf":
        return f"zipf:{_positive(exponent or '1', text):g}"
    return "weights:" + ",".join(f"{weight:g}" for weight in _read(Path(text)))


def _positive(word: str, text: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise MayaError(f"--routing {text}: {word!r} is not a number of 0 or more", hint=_HINT)
    return value


def _read(path: Path) -> list[float]:
    try:
        words = path.read_text(encoding="utf-8").replace(",", " ").split()
    except (OSError, UnicodeDecodeError) as error:
        raise MayaError(f"--routing {path}: no such policy or file", hint=_HINT) from error
    weights = [_positive(word, str(path)) for word in words]
    if not sum(weights):
        raise MayaError(f"--routing {path}: no weight above 0", hint=_HINT)
    return weights
