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
# ncclDataType_t, with the size of an element
NCCL_TYPES = {
    0: ("int8", 1),
    1: ("uint8", 1),
    2: ("int32", 4),
    3: ("uint32", 4),
    4: ("int64", 8),
    5: ("uint64", 8),
    6: ("fp16", 2),
    7: ("fp32", 4),
    8: ("fp64", 8),
    9: ("bf16", 2),
    10: ("fp8e4m3", 1),
    11: ("fp8e5m2", 1),
}
_BATCH = ("batchcount", "batch_count", "batch")
_TYPES = ("atype", "a_type", "btype", "b_type", "ctype", "c_type")
_SHOWN = 8


def problem(definition: Definition) -> str:
    """The sizes of a call, as short as they can be told."""
    if definition.kind == Kind.KERNEL:
        return f"grid {dimensions(definition, 'grid')} block {dimensions(definition, 'block')}"
    if definition.kind == Kind.COLLECTIVE:
        return _collective(definition)
    fields = definition.fields
    lower = {name.lower(): value for name, value in fields.items()}
    if all(name in lower for name in ("m", "n", "k")):
        return _gemm(lower)
    return _plain(fields.items())


def dimensions(definition: Definition, prefix: str) -> str:
    """128x1x1"""
    return "x".join(str(definition.number(f"{prefix}_{axis}")) for axis in "xyz")


def collective_bytes(definition: Definition) -> int:
    """The size of the buffer that the count of a collective describes."""
    _, size = NCCL_TYPES.get(definition.number("datatype", -1), ("?", 1))
    return max(0, definition.number("count")) * size


def _collective(definition: Definition) -> str:
    number = definition.number
    name, _ = NCCL_TYPES.get(number("datatype", -1), ("?", 1))
    peer = f" peer={number('peer')}" if "peer" in definition.fields else ""
    return f"count={number('count')} {name}{peer} ranks={number('nranks')} comm={number('comm')}"


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
