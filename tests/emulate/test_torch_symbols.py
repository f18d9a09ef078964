"""What PyTorch imports from NVIDIA's libraries is exported by the fakes."""

import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = yaml.safe_load((ROOT / "codegen/libraries.yaml").read_text())["libraries"]
UNDEFINED, WEAK = 0, 2
# Found, not imported: importing it would load the libraries under test.
PLACE = "import importlib.util; print(importlib.util.find_spec('torch').origin)"
UNVERSIONED = re.compile(r"p?nccl[A-Z].*|nvml[A-Z].*|cuFile.*|cu[A-Z]\w+|cusparseLt.*|nvshmemx?_.*")


def exported_names() -> Iterator[tuple[str | None, set[str]]]:
    """Version node (None: unversioned) and exports of every generated library."""
    for name, library in LIBRARIES.items():
        for set_name, binary in library["sets"].items():
            script = (ROOT / f"native/gen/{set_name}/{name}.map").read_text()
            yield binary["node"], set(re.findall(r"^    (\w+);$", script, re.MULTILINE))


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """Symbols that a library needs from others, with the version it asks for."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        if elf.get_section_by_name(".gnu.version_r") is None:
            return
        needed = elf.get_section_by_name(".gnu.version_r").iter_versions()
        versions = {aux["vna_other"]: aux.name for _, listed in needed for aux in listed}
        indices = elf.get_section_by_name(".gnu.version").data()
        names = elf.get_section_by_name(".dynstr").data()
        # libtorch_cuda has 10^5 symbols: unpacked by hand this takes a second, not a minute.
        symbols = struct.iter_unpack("<IBBHQQ", elf.get_section_by_name(".dynsym").data())
        for (index,), (name, info, _, section, _, _) in zip(
            struct.iter_unpack("<H", indices), symbols, strict=True
        ):
            if section == UNDEFINED and info >> 4 != WEAK:
                text = names[name : names.index(b"\0", name)].decode()
                yield text, versions.get(index & 0x7FFF)


def torch_imports(python: Path) -> set[tuple[str, str | None]]:
    origin = subprocess.check_output([str(python), "-c", PLACE], text=True, timeout=60).strip()
    libraries = sorted((Path(origin).parent / "lib").glob("*.so*"))
    return {pair for path in libraries for pair in imports(path)}


@pytest.mark.parametrize(
    "build",
    [
        pytest.param("python_cu12", id="cuda12"),
        pytest.param("python_cu13", id="cuda13", marks=pytest.mark.torch13),
    ],
)
def test_every_symbol_that_torch_imports_is_exported(
    build: str, request: pytest.FixtureRequest
) -> None:
    by_node: dict[str | None, set[str]] = {}
    for node, names in exported_names():
        by_node.setdefault(node, set()).update(names)
    wanted = torch_imports(request.getfixturevalue(build))
    missing = {
        (name, node)
        for name, node in wanted
        if (node in by_node if node else UNVERSIONED.fullmatch(name)) and name not in by_node[node]
    }
    assert not missing
    # Guards the test itself: a build that was read wrongly would ask for nothing.
    assert sum(node in by_node and node is not None for _, node in wanted) > 500
