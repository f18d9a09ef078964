"""Basic blocks of a kernel, and which instructions decide where it goes and what it touches."""

from dataclasses import dataclass, field

from maya.estimate.ptx.alu import FLOATS
from maya.estimate.ptx.parse import REGISTER, Code, Instruction

_ENDS = ("bra", "ret", "exit", "trap")
_DATA = ("ld", "atom", "ldmatrix", "mma", "wmma", "call", "mbarrier")


@dataclass(slots=True)
class BasicBlock:
    """Instructions that run one after the other."""

    first: int
    last: int
    branch: Instruction | None = None  # the jump at its end
    target: int = -1  # block that the jump goes to
    traps: bool = False  # ends in a failed assertion
    waits: bool = False  # on an asynchronous copy
    control: list[int] = field(default_factory=list)  # what later jumps depend on
    wanted: list[int] = field(default_factory=list)  # that, addresses, and the accesses


def is_global_access(instruction: Instruction) -> bool:
    """Whether it touches device memory."""
    parts = instruction.parts
    if parts[0] == "cp":
        return "async" in parts and "global" in parts
    return parts[0] in ("ld", "st", "red", "atom") and "global" in parts


def is_descriptor_product(instruction: Instruction) -> bool:
    """Blackwell's matrix product, whose shape stands in a register."""
    return instruction.parts[:2] == ("tcgen05", "mma")


def split(code: Code) -> list[BasicBlock]:
    """Blocks in the order of the text."""
    starts = {0, *code.labels.values()}
    starts |= {i + 1 for i, x in enumerate(code.instructions) if x.op in _ENDS}
    edges = sorted(start for start in starts if start < len(code.instructions))
    blocks = [
        BasicBlock(first, last)
        for first, last in zip(edges, [*edges[1:], len(code.instructions)], strict=True)
    ]
    number = {block.first: index for index, block in enumerate(blocks)}
    for block in blocks:
        inside = code.instructions[block.first : block.last]
        if inside and inside[-1].op in _ENDS:
            block.branch = inside[-1]
            block.target = number.get(code.target(inside[-1]), -1)
        block.traps = any(x.op == "trap" or "assertfail" in str(x.operands) for x in inside)
        block.waits = any(x.op == "mbarrier" for x in inside)
    _follow_traps(blocks)
    _mark(code, blocks)
    return blocks


def _follow_traps(blocks: list[BasicBlock]) -> None:
    """A block that only jumps on to a failed assertion fails as well."""
    for block in blocks:
        jumps = block.branch is not None and block.branch.op == "bra" and not block.branch.guard
        if jumps and block.last - block.first == 1 and 0 <= block.target < len(blocks):
            block.traps |= blocks[block.target].traps


def _mark(code: Code, blocks: list[BasicBlock]) -> None:
    jumps = {x.guard for x in code.instructions if x.op in _ENDS and x.guard}
    control = _closure(code, jumps)
    touched = {name for x in code.instructions for name in _decides(x)}
    wanted = _closure(code, jumps | touched)
    for block in blocks:
        for index in range(block.first, block.last):
            instruction = code.instructions[index]
            written = instruction.writes
            access = is_global_access(instruction) or is_descriptor_product(instruction)
            if any(name in control for name in written):
                block.control.append(index)
            if access or any(name in wanted for name in written):
                block.wanted.append(index)


def _decides(instruction: Instruction) -> list[str]:
    """What an access or a product depends on, beside the data that it moves."""
    operands, names = instruction.operands, [instruction.guard] if instruction.guard else []
    if is_descriptor_product(instruction):
        return [*names, *instruction.reads]
    if not is_global_access(instruction):
        return []
    places = operands[:1] if instruction.op in ("st", "red") else operands[1:2]
    if instruction.op == "cp":
        places = operands[1:4:2]
    return names + [name for text in places for name in REGISTER.findall(str(text))]


def is_opaque(instruction: Instruction) -> bool:
    """Whether its result is data, which nobody knows, whatever it is made of."""
    if instruction.parts[:2] == ("ld", "param"):
        return False
    return instruction.op in _DATA or bool(FLOATS.intersection(instruction.parts))


def _closure(code: Code, names: set[str]) -> set[str]:
    """All registers that these depend on, whatever the order of instructions."""
    sources: dict[str, set[str]] = {}
    for instruction in code.instructions:
        if is_opaque(instruction):
            continue
        for name in instruction.writes:
            sources.setdefault(name, set()).update(instruction.reads)
    found, rest = set(names), list(names)
    while rest:
        for name in sources.get(rest.pop(), ()):
            if name not in found:
                found.add(name)
                rest.append(name)
    return found
