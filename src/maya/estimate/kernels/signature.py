"""What the demangled name of a kernel tells: base name, template arguments, element types."""

import re
from dataclasses import dataclass
from functools import cache

from maya.trace.names import demangle, short_name

TYPE_BYTES = {
    "double": 8,
    "long": 8,
    "unsigned long": 8,
    "unsigned long long": 8,
    "float": 4,
    "int": 4,
    "unsigned int": 4,
    "c10::BFloat16": 2,
    "c10::Half": 2,
    "__nv_bfloat16": 2,
    "__half": 2,
    "cutlass::bfloat16_t": 2,
    "cutlass::half_t": 2,
    "short": 2,
    "bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "c10::Float8_e4m3fn": 1,
    "c10::Float8_e5m2": 1,
    "c10::complex<float>": 8,
    "c10::complex<double>": 16,
}
_TYPE = re.compile(
    "|".join(rf"(?<![\w:]){re.escape(name)}(?![\w:])" for name in sorted(TYPE_BYTES, key=len)[::-1])
)
_POINTERS = re.compile(r"(?:std::array|at::detail::Array)<char\*, (\d+)(?:ul)?>")
_OPAQUE = re.compile(r"OpaqueType<(\d+)u?>")
_LAMBDA = re.compile(r"\{lambda\(([^()]*)\)#\d+\}")


@dataclass(frozen=True, slots=True)
class Signature:
    """A kernel's name, read once."""

    name: str  # demangled
    base: str  # without namespaces, templates and arguments
    template: tuple[str, ...]  # top-level template arguments of the base name

    def has(self, *words: str) -> bool:
        """Whether any of these words is in the name."""
        return any(word in self.name for word in words)

    @property
    def operand_count(self) -> int:
        """Operands of PyTorch's elementwise kernels, 0 where the name does not tell."""
        found = _POINTERS.search(self.name)
        return int(found.group(1)) if found else 0


@cache
def signature(mangled: str) -> Signature:
    """Read the name of a kernel."""
    name = demangle(mangled)
    base = short_name(mangled).partition("<")[0]
    return Signature(name, base, template_arguments(name, base))


def template_arguments(name: str, base: str) -> tuple[str, ...]:
    """`f<a, b<c, d> >(e)` with base f -> (a, b<c, d>)."""
    start = name.find(base + "<")
    if start < 0:
        return ()
    at = start + len(base) + 1
    depth, word, words = 0, at, []
    for place in range(at, len(name)):
        char = name[place]
        if char in "<({[":
            depth += 1
        elif char in ">)}]":
            if depth == 0:
                words.append(name[word:place].strip())
                break
            depth -= 1
        elif char == "," and depth == 0:
            words.append(name[word:place].strip())
            word = place + 1
    return tuple(words)


def element_sizes(text: str) -> list[int]:
    """Sizes of the element types that stand in a text, in order."""
    opaque = [int(size) for size in _OPAQUE.findall(text)]
    return opaque or [TYPE_BYTES[found] for found in _TYPE.findall(text)]


def lambda_sizes(text: str) -> list[int]:
    """Sizes of the arguments of the innermost lambda: the operands that a functor reads."""
    for arguments in reversed(_LAMBDA.findall(text)):
        sizes = [TYPE_BYTES[found] for found in _TYPE.findall(arguments)]
        if sizes:
            return sizes
    return []


def without_lambda_arguments(text: str) -> str:
    """The name without the types of what its lambdas take."""
    return _LAMBDA.sub("{lambda}", text)
