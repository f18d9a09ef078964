"""Where the arguments of a kernel stand, as far as the types in its name tell."""

import re
from dataclasses import dataclass
from functools import cache

from maya.estimate.kernels.image import Image
from maya.estimate.kernels.signature import TYPE_BYTES

_ACCESSOR = re.compile(r"at::GenericPackedTensorAccessor<(.+?)(?: const)?, (\d+)ul, .*, (\w+)>$")
_INFO = re.compile(r"at::cuda::detail::TensorInfo<(.+?)(?: const)?, ([\w ]+)>$")
_MOST_DIMS = 25  # of TensorInfo


@dataclass(frozen=True, slots=True)
class DescribedTensor:
    """An argument that holds a tensor's address and sizes."""

    element_bytes: int
    offset: int
    dims: int  # 0: stands behind the strides
    index_bytes: int

    def elements(self, image: Image) -> int:
        """The product of its sizes; 0 where it makes no sense."""
        read = image.i64 if self.index_bytes == 8 else image.i32
        dims = self.dims or image.i32(self.offset + 8 + 2 * _MOST_DIMS * self.index_bytes)
        product = 1 if 0 < dims <= _MOST_DIMS else 0
        for place in range(min(dims, _MOST_DIMS)):
            product *= max(0, read(self.offset + 8 + place * self.index_bytes))
        return product


@cache
def described_tensors(name: str) -> tuple[DescribedTensor, ...]:
    """Of a demangled name; those before the first argument of unknown size."""
    found, at = [], 0
    for kind in _parameters(name):
        size, alignment, tensor = _layout(kind)
        if not size:
            break
        at = -(-at // alignment) * alignment
        if tensor:
            bytes_, dims, index = tensor
            found.append(DescribedTensor(bytes_, at, dims, index))
        at += size
    return tuple(found)


def _layout(kind: str) -> tuple[int, int, tuple[int, int, int] | None]:
    """Size, alignment, and what a tensor's description holds; nothing of an unknown type."""
    plain = kind.removesuffix(" const")
    if plain.endswith(("*", "&")):
        return 8, 8, None
    if plain in TYPE_BYTES:
        return TYPE_BYTES[plain], TYPE_BYTES[plain], None
    if found := _ACCESSOR.match(plain):
        dims, index = int(found[2]), TYPE_BYTES.get(found[3], 8)
        return 8 + 2 * dims * index, 8, (TYPE_BYTES.get(found[1], 4), dims, index)
    if found := _INFO.match(plain):
        index = TYPE_BYTES.get(found[2], 4)
        size = 8 + 2 * _MOST_DIMS * index + 4
        return -(-size // 8) * 8, 8, (TYPE_BYTES.get(found[1], 4), 0, index)
    return 0, 1, None


def _parameters(name: str) -> list[str]:
    """Types between the last parentheses that nothing encloses."""
    depth, word, words = 0, "", list[str]()
    for char in name[_opening(name) + 1 : name.rfind(")")]:
        depth += (char in "<({") - (char in ">)}")
        if char == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += char
    return [*words, word.strip()] if word.strip() else words


def _opening(name: str) -> int:
    depth = 0
    for place in range(name.rfind(")"), -1, -1):
        depth += (name[place] == ")") - (name[place] == "(")
        if depth == 0:
            return place
    return -1
