"""One line that tells a problem apart from others of the same operation."""

from collections.abc import Iterable, Mapping

from maya.trace.capture import Definition
from maya.trace.format import Kind

# cudaDataType_t
DATA_TYPES = {
    0: "fp32",
    1: "fp64",
    2: "fp16",
    3: "int8",
    8: "uint8",
    10: "int32",
    14: "bf16",
    28: "fp8e4m3",
    29: "fp8e5m2",
    33: "fp4e2m1",
}
_BATCH = ("batchcount", "batch_count", "batch")
_TYPES = ("atype", "a_type", "type_a", "atype_", "btype", "b_type", "ctype", "c_type", "type")
_SHOWN = 8


def problem(definition: Definition) -> str:
    """The sizes of a call, as short as they can be told."""
    if definition.kind == Kind.KERNEL:
        return f"grid {dimensions(definition, 'grid')} block {dimensions(definition, 'block')}"
    fields = definition.fields
    lower = {name.lower(): value for name, value in fields.items()}
    if all(name in lower for name in ("m", "n", "k")):
        return _gemm(lower)
    return _plain(fields.items())


def dimensions(definition: Definition, prefix: str) -> str:
    """128x1x1"""
    return "x".join(str(definition.number(f"{prefix}_{axis}")) for axis in "xyz")


def _gemm(fields: Mapping[str, int | str]) -> str:
    parts = [f"m={fields['m']} n={fields['n']} k={fields['k']}"]
    batch = next((fields[name] for name in _BATCH if name in fields), 1)
    if batch not in (0, 1):
        parts.append(f"batch={batch}")
    types = [_type_name(fields[name]) for name in _TYPES if name in fields]
    if types:
        parts.append("/".join(dict.fromkeys(types)))
    return " ".join(parts)


def _type_name(value: int | str) -> str:
    return DATA_TYPES.get(value, str(value)) if isinstance(value, int) else value


def _plain(items: Iterable[tuple[str, int | str]]) -> str:
    shown = [f"{name}={value}" for name, value in items]
    return " ".join(shown[:_SHOWN]) + (" ..." if len(shown) > _SHOWN else "")
