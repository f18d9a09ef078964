"""What instructions ask of an SM's pipes, summed over a basic block."""

import re
from dataclasses import dataclass, field

from maya.estimate.ptx import alu
from maya.estimate.ptx.blocks import BasicBlock
from maya.estimate.ptx.parse import Code, Instruction
from maya.estimate.ptx.walk import vector

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_TYPES = {
    "bf16": "bf16", "f16": "fp16", "tf32": "tf32", "e4m3": "fp8", "e5m2": "fp8",
    "s8": "int8", "u8": "int8", "f64": "fp64_tensor",
    "kind::f16": "bf16", "kind::tf32": "tf32", "kind::f8f6f4": "fp8", "kind::i8": "int8",
}  # fmt: skip
_FLOAT = ("add", "sub", "mul", "fma", "mad", "neg", "abs")
_SPECIAL = ("ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh")
# ptxas makes no instruction of these, or one that costs nothing beside others.
_FREE = ("mov", "cvta", "bra", "ret", "fence", "createpolicy", "call", "mapa")
_DIVISION = {"div": 3.0, "rem": 3.0}  # a reciprocal and its refinement


@dataclass(slots=True)
class Operations:
    """Of one thread, but for products (a warp or a group of four) and bulk bytes (a block)."""

    fused: float = 0.0  # floating-point additions and multiplications
    integer: float = 0.0  # and comparisons, selections, conversions
    special: float = 0.0  # exponentials, reciprocals
    accesses: float = 0.0  # loads, stores, shuffles
    shared_bytes: float = 0.0
    barriers: float = 0.0
    bulk_bytes: float = 0.0  # announced to barriers by asynchronous copies of a whole block
    warp_flops: dict[str, float] = field(default_factory=dict)
    group_flops: dict[str, float] = field(default_factory=dict)

    def add(self, other: "Operations", times: float) -> None:
        """Run something so many times more."""
        self.fused += other.fused * times
        self.integer += other.integer * times
        self.special += other.special * times
        self.accesses += other.accesses * times
        self.shared_bytes += other.shared_bytes * times
        self.barriers += other.barriers * times
        self.bulk_bytes += other.bulk_bytes * times
        for mine, theirs in (
            (self.warp_flops, other.warp_flops),
            (self.group_flops, other.group_flops),
        ):
            for kind, flops in theirs.items():
                mine[kind] = mine.get(kind, 0.0) + flops * times


def of_block(code: Code, block: BasicBlock) -> Operations:
    """The sum over a basic block."""
    total = Operations()
    for instruction in code.instructions[block.first : block.last]:
        _count(instruction, total)
    return total


def product_type(parts: tuple[str, ...]) -> str:
    """The key of the peak rate: the type of the operands, which stands behind the result's."""
    found = [_TYPES[part] for part in parts if part in _TYPES]
    return found[-2] if len(found) > 2 else (found[-1] if found else "bf16")


def _count(instruction: Instruction, total: Operations) -> None:
    parts, op = instruction.parts, instruction.op
    if op in ("mma", "wgmma", "wmma"):
        _product(parts, total)
    elif op in _FREE or parts[:2] in (("ld", "param"), ("tcgen05", "mma")):
        return
    elif op in ("bar", "barrier"):
        total.barriers += 1
    elif op == "mbarrier":
        _announce(instruction, total)
    elif op in ("ld", "st", "red", "atom", "ldmatrix", "stmatrix", "shfl", "cp"):
        _access(instruction, total)
    elif op in _SPECIAL:
        total.special += 1
    elif op in _DIVISION:
        total.special += 1
        total.fused += _DIVISION[op] * (1 if alu.FLOATS.intersection(parts) else 4)
    elif op in _FLOAT and alu.FLOATS.intersection(parts):
        total.fused += 1
    else:
        total.integer += 1


def _product(parts: tuple[str, ...], total: Operations) -> None:
    shape = _SHAPE.search(".".join(parts))
    if not shape:
        return  # wgmma.fence and its kin
    m, n, k = (int(word) for word in shape.groups())
    flops, kind = 2.0 * m * n * k, product_type(parts)
    table = total.group_flops if parts[0] == "wgmma" else total.warp_flops
    table[kind] = table.get(kind, 0.0) + flops


def _announce(instruction: Instruction, total: Operations) -> None:
    if "expect_tx" in instruction.parts:
        last = str(instruction.operands[-1])
        total.bulk_bytes += int(last, 0) if last.isdigit() or last.startswith("0x") else 0


def _access(instruction: Instruction, total: Operations) -> None:
    parts = instruction.parts
    total.accesses += 1
    if parts[0] in ("ldmatrix", "stmatrix"):
        total.shared_bytes += 4 * next((int(p[1:]) for p in parts if p in ("x1", "x2", "x4")), 1)
    elif any(part.startswith("shared") for part in parts) and parts[0] in ("ld", "st"):
        total.shared_bytes += vector(parts) * alu.width(parts)[0] // 8
    elif parts[0] == "cp" and len(instruction.operands) > 2:
        size = str(instruction.operands[2])
        total.shared_bytes += int(size, 0) if size[:1].isdigit() else 0
