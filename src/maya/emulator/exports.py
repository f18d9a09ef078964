"""What an emulated library can do, read from the binary itself."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from maya.errors import MayaError


class Support(StrEnum):
    """How a function is answered."""

    IMPLEMENTED = "implemented"  # written by hand
    RECORDED = "recorded"  # generated: its whole problem is recorded
    UNSUPPORTED = "unsupported"  # generated: counted and refused


# Generated bodies stand in ELF sections of their own; docs/emulator.md, "The fakes".
_SECTIONS = {"maya_recorded": Support.RECORDED, "maya_unsupported": Support.UNSUPPORTED}


@dataclass(frozen=True, slots=True)
class Exports:
    """The functions of one library."""

    soname: str
    functions: dict[str, Support]

    def count(self, support: Support) -> int:
        """Functions that are answered in this way."""
        return Counter(self.functions.values())[support]


def read_exports(path: Path) -> Exports:
    """Read the dynamic symbol table."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            return Exports(_soname(elf) or path.name, _functions(elf))
    except (ELFError, OSError) as error:
        raise MayaError(f"cannot read {path}: {error}", hint="`make build` builds it") from error


def _functions(elf: ELFFile) -> dict[str, Support]:
    table = elf.get_section_by_name(".dynsym")
    if not isinstance(table, SymbolTableSection):
        return {}
    names = [section.name for section in elf.iter_sections()]
    found: dict[str, Support] = {}
    for symbol in table.iter_symbols():
        index = symbol["st_shndx"]
        if isinstance(index, int) and symbol["st_info"]["type"] == "STT_FUNC":
            section = names[index] if index < len(names) else ""
            found[symbol.name] = _SECTIONS.get(section, Support.IMPLEMENTED)
    return dict(sorted(found.items()))


def _soname(elf: ELFFile) -> str | None:
    dynamic = elf.get_section_by_name(".dynamic")
    if not isinstance(dynamic, DynamicSection):
        return None
    tags = dynamic.iter_tags("DT_SONAME")
    return next((str(tag.soname) for tag in tags), None)  # type: ignore[attr-defined]
