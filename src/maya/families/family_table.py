"""`families.yaml` as typed data, and which of its rows a kernel belongs to."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from maya.families.name import demangle, function_name

ANY = "*"
EITHER = "|"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which names a family covers."""

    kernel: str = ANY  # the function's own name; a star at its end: begins with
    present: tuple[str, ...] = ()  # each stands in the demangled name; `a|b`: either does
    absent: tuple[str, ...] = ()

    def fits(self, function: str, name: str) -> bool:
        """Whether the pattern covers a function of this own name and demangled name."""
        begins = self.kernel.endswith(ANY)
        stem = self.kernel.removesuffix(ANY)
        if not (function.startswith(stem) if begins else function == stem):
            return False
        if any(word in name for word in self.absent):
            return False
        return all(any(word in name for word in words.split(EITHER)) for words in self.present)


@dataclass(frozen=True, slots=True)
class Family:
    """One row: what its kernels are and what they do."""

    name: str
    pattern: Pattern = Pattern()
    reader: str = "none"
    access: str = "writes"
    values: str = "none"
    update: str = "none"
    typed_by: str = ""
    kernel_class: str = ""
    cost: str = ""  # the cost function; empty: nothing is known of its sizes
    uncertainty: float = 1.0
    passes: int = 0  # how often an element is touched
    traits: frozenset[str] = frozenset()

    @property
    def is_backward(self) -> bool:
        """Whether its kernels compute gradients of what a sister family computes."""
        return "backward" in self.traits

    def has(self, trait: str) -> bool:
        """Whether the row names this trait."""
        return trait in self.traits


UNKNOWN = Family("")


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """The whole file."""

    families: tuple[Family, ...]
    optimizer_words: tuple[str, ...]
    class_words: tuple[tuple[str, str], ...]
    scalar_operations: dict[str, float] = field(hash=False)
    result_bytes: dict[str, int] = field(hash=False)
    fitted_operations: dict[str, str] = field(hash=False)
    multiplied_powers: str
    carriers: tuple[str, ...]


@cache
def table() -> FamilyTable:
    """Read once."""
    text = files("maya.families").joinpath("families.yaml").read_text()
    data: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return FamilyTable(
        families=tuple(_family(row) for row in data.pop("families")),
        optimizer_words=tuple(data.pop("optimizer_words")),
        carriers=tuple(data.pop("carriers")),
        class_words=tuple((word, name) for word, name in data.pop("class_words")),
        **data,
    )


@cache
def family_of(kernel: str) -> Family:
    """The family of a mangled or plain name; UNKNOWN where no row fits."""
    function, name = function_name(kernel), demangle(kernel)
    rows = (row for row in table().families if row.pattern.fits(function, name))
    return next(rows, UNKNOWN)


def find_family(name: str) -> Family | None:
    """By its own name, as a capture gives it; none for a row of another version's table."""
    return _by_name().get(name)


@cache
def _by_name() -> dict[str, Family]:
    return {family.name: family for family in (UNKNOWN, *table().families)}


def _family(row: dict[str, Any]) -> Family:
    values = dict(row)
    pattern = Pattern(
        values.pop("kernel", ANY),
        tuple(values.pop("with", ())),
        tuple(values.pop("without", ())),
    )
    kernel_class = values.pop("class", "")
    traits = frozenset(values.pop("traits", ()))
    return Family(pattern=pattern, kernel_class=kernel_class, traits=traits, **values)
