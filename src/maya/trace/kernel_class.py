"""What a piece of device work is called, and what it does, in a word."""

from functools import cache

from maya.families import table
from maya.trace import Definition
from maya.trace.format import COPY_DIRECTIONS, Kind
from maya.trace.names import short_name

# Part of a name, in lower case; the first that fits.
_LIBRARY = (
    ("attn", "attention"),
    ("sdpa", "attention"),
    ("conv", "convolution"),
    ("gemm", "matmul"),
    ("matmul", "matmul"),
    ("norm", "normalisation"),
    ("rnn", "recurrent"),
    ("fft", "fft"),
)
_KINDS: dict[int, str] = {
    Kind.COPY: "copy",
    Kind.MEMSET: "copy",
    Kind.COLLECTIVE: "communication",
    Kind.HOST_CALL: "host",
}


def kernel_class(definition: Definition) -> str:
    """The class that its name tells; `other` where it does not."""
    match definition.kind:
        case Kind.KERNEL:
            told = definition.family.kernel_class
            name = short_name(definition.text("kernel")).lower()
            return told or _by_name(name, table().class_words)
        case Kind.LIBRARY:
            return _by_name(definition.op.lower(), _LIBRARY)
        case kind:
            return _KINDS.get(kind, "other")


def name_of(definition: Definition) -> str:
    """What a person would call it."""
    match definition.kind:
        case Kind.KERNEL:
            return short_name(definition.text("kernel"))
        case Kind.COPY:
            return f"copy {COPY_DIRECTIONS.get(definition.number('direction'), 'other')}"
        case Kind.HOST_CALL:
            return "host callback"
        case _:
            return definition.op


@cache
def _by_name(name: str, table: tuple[tuple[str, str], ...]) -> str:
    return next((kind for part, kind in table if part in name), "other")
