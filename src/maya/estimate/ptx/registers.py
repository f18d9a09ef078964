"""The registers of one thread block, and how operands are read from them."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maya.estimate.ptx import alu
from maya.estimate.ptx.parse import Code, Instruction, Operand
from maya.estimate.ptx.values import NOTHING, TRUE, Value, merge, unsigned, wrap

POINTER = 0x4D41594150545200  # what the recorder writes for a device pointer
REGION_BITS = 42  # pointers are numbered, each with this much room around it
_ADDRESS = re.compile(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?\w+))?\s*\]")
_AXES = "xyz"


@dataclass(slots=True)
class Registers:
    """Of one thread block; a value is a number, or an array with one for each thread."""

    code: Code
    image: bytes
    block: tuple[int, ...]  # threads
    grid: tuple[int, ...]
    place: tuple[int, ...]  # of the block in the grid
    values: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        threads = np.arange(int(np.prod(self.block)), dtype=np.int64)
        wide, high = self.block[0], self.block[1]
        tid = (threads % wide, threads // wide % high, threads // (wide * high))
        for axis, name in enumerate(_AXES):
            self.values[f"%tid.{name}"] = Value(tid[axis] if self.block[axis] > 1 else 0)
            self.values[f"%ntid.{name}"] = Value(self.block[axis])
            self.values[f"%ctaid.{name}"] = Value(self.place[axis])
            self.values[f"%nctaid.{name}"] = Value(self.grid[axis])
        self.values["%laneid"] = Value(threads % 32)
        self.values["%warpid"] = Value(threads // 32)
        self.values["%elected"] = Value(threads % 32 == 0)

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return int(np.prod(self.block))

    def read(self, text: str) -> Value:
        """A register or a number; symbols count from zero."""
        found = self.values.get(text)
        if found is not None:
            return found
        try:
            return Value(int(text, 0))
        except ValueError:
            return NOTHING if text[:1] in "%0123456789-" else Value(0)

    def guard(self, instruction: Instruction) -> Value:
        """Whether the instruction runs, by thread."""
        if not instruction.guard:
            return Value(True)
        value = self.values.get(instruction.guard, TRUE)
        if not instruction.negated:
            return value
        return TRUE if value.known == TRUE.known else Value(np.logical_not(value.number))

    def address(self, text: str) -> Value:
        """`[register + number]`."""
        found = _ADDRESS.match(text)
        if not found:
            return NOTHING
        base = self.read(found.group(1))
        return Value(base.number + int(found.group(2) or "0", 0), base.known)

    def execute(self, instruction: Instruction) -> None:
        """Set what the instruction writes."""
        results = self._results(instruction)
        guard = self.guard(instruction)
        for name, value in zip(instruction.writes, results, strict=False):
            self.values[name] = merge(guard, value, self.values.get(name, NOTHING))

    def forget(self, instruction: Instruction) -> None:
        """What it writes is data."""
        unknown = TRUE if instruction.op == "setp" else NOTHING
        for name in instruction.writes:
            self.values[name] = unknown

    def _results(self, instruction: Instruction) -> list[Value]:
        parts, count = instruction.parts, len(instruction.writes)
        if parts[:2] == ("ld", "param"):
            return [self._parameter(instruction)] * count
        if parts[0] == "elect":
            return [NOTHING, self.values["%elected"]][-count:]
        operands = instruction.operands[1:]
        if parts[0] == "mov" and any(isinstance(x, tuple) for x in instruction.operands):
            return self._packed(instruction)
        inputs = [self.read(text) for text in operands if isinstance(text, str)]
        if parts[0] == "mov" and parts[-1] == "pred":
            return [
                Value(bool(inputs[0].number), inputs[0].known) if _single(inputs[0]) else inputs[0]
            ]
        result = alu.compute(parts, inputs)
        if parts[0] == "setp" and count > 1:
            return [result, TRUE]
        return [result] * count

    def _packed(self, instruction: Instruction) -> list[Value]:
        """mov between a wide register and its halves."""
        target, source = instruction.operands[:2]
        bits = alu.width(instruction.parts)[0]
        if isinstance(source, tuple):
            halves = [self.read(text) for text in source]
            if len(halves) != 2:
                return [NOTHING]
            low, high = (half.number for half in halves)
            known = max(half.known for half in halves)
            return [Value(wrap((high << bits // 2) | unsigned(low, bits // 2), bits), known)]
        value = self.read(source)
        piece = bits // max(1, len(target) if isinstance(target, tuple) else 1)
        count = bits // piece
        return [Value(wrap(value.number >> (piece * i), piece), value.known) for i in range(count)]

    def _parameter(self, instruction: Instruction) -> Value:
        found = _ADDRESS.match(_text(instruction.operands[1]))
        if not found or found.group(1) not in self.code.parameters:
            return NOTHING
        if alu.FLOATS.intersection(instruction.parts):
            return NOTHING
        bits, is_unsigned = alu.width(instruction.parts)
        at = self.code.parameters[found.group(1)].offset + int(found.group(2) or "0", 0)
        raw = self.image[at : at + bits // 8].ljust(bits // 8, b"\0")
        number = int.from_bytes(raw, "little", signed=not is_unsigned)
        if bits == 64 and number == POINTER:
            number = (at // 8 + 1) << REGION_BITS
        return Value(number)


def _text(operand: Operand) -> str:
    return operand if isinstance(operand, str) else operand[0]


def _single(value: Value) -> bool:
    return not isinstance(value.number, np.ndarray)


def active(value: Value) -> Any:
    """Which threads take part: an array, or True or False for all."""
    return value.number if isinstance(value.number, np.ndarray) else bool(value.number)
