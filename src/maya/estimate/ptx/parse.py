"""PTX text -> instructions, labels and parameters of one kernel."""

import re
from dataclasses import dataclass, field
from functools import cached_property

Operand = str | tuple[str, ...]  # a register, a number, an address; or a vector of them

_COMMENT = re.compile(r"//[^\n]*")
_LINE_INFO = re.compile(r"^\s*\.(?:loc|file)\b[^\n]*$", re.M)
_LABEL = re.compile(r"\s*([$%\w]+)\s*:(?!:)")
_GUARD = re.compile(r"@(!?)(%?\w+)\s+")
REGISTER = re.compile(r"%?[A-Za-z_$][\w$.]*")
_TYPE_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


@dataclass(frozen=True)
class Instruction:
    """One instruction; `parts` are the pieces of its dotted name."""

    parts: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: str = ""  # a predicate, "" where it always runs
    negated: bool = False
    scope: int = 0  # of names that inline assembly declares

    @cached_property
    def name(self) -> str:
        """The whole dotted name."""
        return ".".join(self.parts)

    @property
    def op(self) -> str:
        """The first piece of the name."""
        return self.parts[0]

    @cached_property
    def writes(self) -> tuple[str, ...]:
        """Registers that it sets."""
        if self.op in _WITHOUT_RESULT or not self.operands:
            return ()
        first = self.operands[0]
        names = first if isinstance(first, tuple) else tuple(first.split("|"))
        return tuple(name for name in names if name != "_")

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Registers and names that it needs, its guard among them."""
        start = 0 if self.op in _WITHOUT_RESULT else 1
        found = [self.guard] if self.guard else []
        for operand in self.operands[start:]:
            for text in operand if isinstance(operand, tuple) else (operand,):
                found += REGISTER.findall(text)
        return tuple(found)


_WITHOUT_RESULT = frozenset(
    (
        "st", "red", "bra", "bar", "barrier", "cp", "ret", "exit", "trap", "fence", "membar",
        "prefetch", "call", "wgmma", "stmatrix", "mbarrier", "griddepcontrol", "setmaxnreg",
        "discard", "brkpt", "pmevent", "nanosleep", "tcgen05",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the kernel and its place in the image."""

    name: str
    offset: int
    size: int
    pointer: bool


@dataclass(slots=True)
class Code:
    """One kernel."""

    name: str
    parameters: dict[str, Parameter]
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[tuple[int, str], int] = field(default_factory=dict)

    def target(self, branch: Instruction) -> int:
        """The instruction that a branch goes to; -1 where it is unknown."""
        label = str(branch.operands[-1]) if branch.operands else ""
        for scope in (branch.scope, 0):
            if (scope, label) in self.labels:
                return self.labels[scope, label]
        return -1


def parse(text: str, name: str) -> Code | None:
    """The kernel of this name, or None where the text has none."""
    text = _LINE_INFO.sub("", _COMMENT.sub("", text))
    head = re.search(rf"\.entry\s+{re.escape(name)}\s*(\(|\.|\{{)", text)
    if not head:
        return None
    body_at = text.find("{", head.start())
    parameters: dict[str, Parameter] = {}
    if head.group(1) == "(":
        close = text.find(")", head.end())
        parameters = _parameters(text[head.end() : close])
        body_at = text.find("{", close)
    if body_at < 0:
        return None
    code = Code(name, parameters)
    _read_body(text, body_at + 1, code)
    return code


def _parameters(text: str) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    end = 0
    for declaration in text.split(","):
        words = declaration.split()
        if len(words) < 3:
            continue
        kind = next((w for w in words if re.fullmatch(r"\.[busf]\d+", w)), ".b32")
        size = _TYPE_BYTES.get(kind[2:], 4)
        name, _, extent = words[-1].partition("[")
        align = size
        if extent:
            size *= int(extent.rstrip("]") or 0)
            place = words.index(".align") if ".align" in words else -1
            align = int(words[place + 1]) if place >= 0 else align
        offset = -(-end // align) * align
        end = offset + size
        found[name] = Parameter(name, offset, size, ".ptr" in words)
    return found


def _read_body(text: str, at: int, code: Code) -> None:
    """Statements end with a semicolon; braces at the start of one open and close scopes."""
    scopes, last = [0], 0
    length = len(text)
    while at < length:
        while at < length and text[at].isspace():
            at += 1
        if at >= length:
            return
        if text[at] == "{":
            last += 1
            scopes.append(last)
            at += 1
        elif text[at] == "}":
            if len(scopes) == 1:
                return
            scopes.pop()
            at += 1
        elif label := _LABEL.match(text, at):
            code.labels[scopes[-1], label.group(1)] = len(code.instructions)
            at = label.end()
        else:
            end = text.find(";", at)
            end = length if end < 0 else end
            _read_statement(text[at:end], scopes[-1], code)
            at = end + 1


def _read_statement(text: str, scope: int, code: Code) -> None:
    text = text.strip()
    if not text or text.startswith("."):
        return
    guard, negated = "", False
    if found := _GUARD.match(text):
        guard, negated = found.group(2), bool(found.group(1))
        text = text[found.end() :]
    name, _, rest = text.partition(" ") if " " in text.split("\t", 1)[0] else text.partition("\t")
    parts = tuple(name.strip().split("."))
    instruction = Instruction(parts, _operands(rest), guard, negated, scope)
    code.instructions.append(instruction)


def _operands(text: str) -> tuple[Operand, ...]:
    found: list[Operand] = []
    depth, start = 0, 0
    for place, char in enumerate(text + ","):
        if char in "{[(":
            depth += 1
        elif char in "}])":
            depth -= 1
        elif char == "," and depth == 0:
            piece = text[start:place].strip()
            start = place + 1
            if piece.startswith("{"):
                found.append(tuple(word.strip() for word in piece.strip("{}").split(",")))
            elif piece:
                found.append(piece)
    return tuple(found)
