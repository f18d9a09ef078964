"""Headers of the core include no circle, and each can be included alone."""

import re
import subprocess
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from fakes import FLAGS, ROOT

CORE = ROOT / "core"
PLACES = (CORE, CORE / "include")
HEADERS = sorted(CORE.rglob("*.h"))


def _included(source: Path) -> set[Path]:
    names = re.findall(r'^#include "(.+)"', source.read_text("utf-8"), re.MULTILINE)
    found = {place / name for name in names for place in (source.parent, *PLACES)}
    return {path for path in found if path.exists()}


def _check_order(graph: dict[Path, set[Path]]) -> None:
    TopologicalSorter(graph).prepare()


def test_headers_include_no_circle() -> None:
    _check_order({header: _included(header) for header in HEADERS})


def test_a_circle_is_seen() -> None:
    with pytest.raises(CycleError):
        _check_order({Path("a.h"): {Path("b.h")}, Path("b.h"): {Path("a.h")}})


def test_the_step_detector_knows_nothing_of_the_process() -> None:
    outside = {"backward", "process", "held_core"}  # they connect it, or act on threads
    for source in sorted((CORE / "steps").glob("*.*")):
        if source.stem in outside:
            continue
        others = {path.name for path in _included(source) if path.parent.name != "steps"}
        assert others <= {"hash.h"}, f"{source.name} includes {others}"


def test_every_header_can_be_included_alone(tmp_path: Path) -> None:
    for header in HEADERS:
        program = tmp_path / "alone.cpp"
        program.write_text(f'#include "{header}"\n#include "{header}"\n')
        command = [
            "g++",
            *FLAGS,
            "-fsyntax-only",
            *(f"-I{place}" for place in PLACES),
            str(program),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{header}: {done.stderr}"
