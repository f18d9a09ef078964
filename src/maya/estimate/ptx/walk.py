"""Walks one thread block through a kernel: how often each part runs, and what it touches.

Only what decides jumps, addresses and masks is computed. Loops run for a few turns in full; after
that only their counters are kept up, and traffic repeats itself.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maya.estimate.ptx import alu
from maya.estimate.ptx.blocks import (
    BasicBlock,
    is_descriptor_product,
    is_global_access,
    is_opaque,
)
from maya.estimate.ptx.parse import Code, Instruction
from maya.estimate.ptx.registers import Registers, active
from maya.estimate.ptx.traffic import OUTSIDE, Ledger
from maya.estimate.ptx.values import BOUND, UNKNOWN, Value

FULL_TURNS = 3  # the first holds what came before the loop, two more tell the step
MOST_STEPS = 100_000
_PRODUCT_DEPTH = {"kind::f16": 16, "kind::tf32": 8, "kind::i8": 32, "kind::f8f6f4": 32}


@dataclass(slots=True)
class RunningLoop:
    """A loop that is being run."""

    first: int
    last: int
    turns: int = 0


@dataclass(slots=True)
class Walk:
    """What came out."""

    counts: list[float]  # runs of each block
    ledger: Ledger
    bounded: set[tuple[int, int]] = field(default_factory=set)  # loops whose end is data
    guessed: bool = False  # a jump depended on data
    cut: bool = False  # walked too long
    products: dict[int, float] = field(default_factory=dict)  # flops, by instruction


class Walker:
    """One thread block."""

    def __init__(self, code: Code, blocks: list[BasicBlock], registers: Registers) -> None:
        self.code, self.blocks, self.registers = code, blocks, registers
        self.walk = Walk([0.0] * len(blocks), Ledger())
        self.loops: list[RunningLoop] = []

    def run(self) -> Walk:
        """From the first instruction to the end."""
        at, steps = 0, 0
        while 0 <= at < len(self.blocks):
            steps += 1
            if steps > MOST_STEPS:
                self.walk.cut = True
                break
            at = self._step(at)
        self.walk.ledger.close(OUTSIDE)
        return self.walk

    def _step(self, at: int) -> int:
        block = self.blocks[at]
        self.walk.counts[at] += 1
        fast = any(loop.turns > FULL_TURNS for loop in self.loops)
        instructions = self.code.instructions
        for index in block.control if fast else block.wanted:
            instruction = instructions[index]
            if not fast and is_global_access(instruction):
                self._access(instruction)
            elif is_descriptor_product(instruction):
                self._product(index, instruction)
            if is_opaque(instruction):
                self.registers.forget(instruction)
            elif instruction.writes:
                self.registers.execute(instruction)
        target = self._next(at, block)
        if target <= at and target >= 0:
            self._turn(target, at, fast)
        while self.loops and not self.loops[-1].first <= target <= self.loops[-1].last:
            left = self.loops.pop()
            if fast:  # the last turn ended without a jump back
                self.walk.ledger.repeat(left.first)
        return target

    def _turn(self, first: int, last: int, fast: bool) -> None:
        """A jump back."""
        while self.loops and self.loops[-1].first != first and self.loops[-1].last <= last:
            self.loops.pop()
        if not self.loops or self.loops[-1].first != first:
            self.loops.append(RunningLoop(first, last))
        self.loops[-1].turns += 1
        if fast:
            self.walk.ledger.repeat(first)
        else:
            self.walk.ledger.close(first)

    def _next(self, at: int, block: BasicBlock) -> int:
        branch = block.branch
        if branch is None:
            return at + 1
        end = block.target if branch.op == "bra" else len(self.blocks)
        if not branch.guard:
            return end
        guard = self.registers.guard(branch)
        return end if self._taken(at, block, end, guard) else at + 1

    def _taken(self, at: int, block: BasicBlock, end: int, guard: Value) -> bool:
        back = 0 <= end <= at
        if guard.known == UNKNOWN:
            self.walk.guessed |= back and not block.waits
            # A test of data that skips code: other threads run it, so the block pays for it.
            return not back and at + 1 < len(self.blocks) and self.blocks[at + 1].traps
        if back and guard.known == BOUND:
            self.walk.bounded.add((end, at))
        if isinstance(guard.number, np.ndarray):
            return bool(guard.number.any() if back else guard.number.all())
        return bool(guard.number)

    def _access(self, instruction: Instruction) -> None:
        parts, operands = instruction.parts, instruction.operands
        takes_part = active(self.registers.guard(instruction))
        if parts[0] == "cp":
            self._asynchronous(instruction, takes_part)
            return
        writes = parts[0] in ("st", "red")
        place = str(operands[0] if writes else operands[1])
        address = self.registers.address(place)
        size = vector(parts) * alu.width(parts)[0] // 8
        ledger = self.walk.ledger
        ledger.touch(address, takes_part, size, writes=writes, waits=True)
        if parts[0] in ("red", "atom"):  # read as well as written
            ledger.touch(address, takes_part, size, writes=not writes, waits=False)

    def _asynchronous(self, instruction: Instruction, takes_part: Any) -> None:
        operands = instruction.operands
        if "bulk" in instruction.parts or len(operands) < 3:
            self.walk.guessed |= "prefetch" not in instruction.parts
            return
        size = int(self.registers.read(str(operands[2])).number)
        if len(operands) > 3:  # bytes to be read, none where masked
            given = self.registers.read(str(operands[3]))
            if given.known != UNKNOWN:
                takes_part = np.asarray(given.number) * np.asarray(takes_part) > 0
        if isinstance(takes_part, np.ndarray) and not takes_part.ndim:
            takes_part = bool(takes_part)
        address = self.registers.address(str(operands[1]))
        self.walk.ledger.touch(address, takes_part, size, writes=False, waits=False)

    def _product(self, index: int, instruction: Instruction) -> None:
        """The instruction descriptor holds n / 8 from bit 17 and m / 16 from bit 24."""
        kind = next((p for p in instruction.parts if p.startswith("kind::")), "")
        for operand in instruction.operands[2:]:
            value = self.registers.read(str(operand))
            if isinstance(value.number, int) and value.known == 0 and value.number > 1 << 17:
                n, m = (value.number >> 17 & 63) * 8, (value.number >> 24 & 31) * 16
                self.walk.products[index] = 2.0 * m * n * _PRODUCT_DEPTH.get(kind, 16)
                return


def vector(parts: tuple[str, ...]) -> int:
    """Elements of a vector access."""
    return next((int(part[1:]) for part in parts if part in ("v2", "v4", "v8")), 1)
