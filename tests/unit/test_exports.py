"""What `maya capabilities` and `maya doctor` read from a library, on a library made here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maya.emulator.exports import Support, read_exports
from maya.errors import MayaError

SOURCE = """
#define IN(s) __attribute__((weak, section(s)))
int cudaRuntimeGetVersion(int* version) { *version = 12080; return 0; }
IN("maya_recorded") int cublasRecorded(void) { return 0; }
IN("maya_unsupported") int cublasMissing(void) { return 15; }
static int hidden(void) { return 1; }
int cudaUse(void) { return hidden(); }
int data = 3;
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory like maya/_native with a core and one library."""
    directory = tmp_path_factory.mktemp("native")
    source = directory / "fake.c"
    source.write_text(SOURCE)
    for name in ("libmaya_core.so", "libcudart.so.12"):
        subprocess.run(
            ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", directory / name, source],
            check=True,
        )
    return directory


def maya(native: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"MAYA_NATIVE_DIR": str(native), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "maya", *words], capture_output=True, text=True, env=env
    )


def test_support_follows_the_section_of_the_function(native: Path) -> None:
    exports = read_exports(native / "libcudart.so.12")
    assert exports.soname == "libcudart.so.12"
    assert exports.functions["cudaRuntimeGetVersion"] is Support.IMPLEMENTED
    assert exports.functions["cublasRecorded"] is Support.RECORDED
    assert exports.functions["cublasMissing"] is Support.UNSUPPORTED
    assert not {"hidden", "data"} & exports.functions.keys()


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "libx.so.1").write_text("text")
    with pytest.raises(MayaError, match="cannot read"):
        read_exports(tmp_path / "libx.so.1")


def test_capabilities_lists_functions(native: Path) -> None:
    done = maya(native, "capabilities", "cudart")
    assert done.returncode == 0
    assert "recorded     cublasRecorded" in done.stdout
    assert maya(native, "capabilities", "nothing").returncode == 1


def test_doctor_loads_every_library_and_reports_what_is_wrong(native: Path) -> None:
    done = maya(native, "doctor", "--python", "/bin/false")
    assert done.returncode == 1
    line = next(line for line in done.stdout.splitlines() if "libcudart" in line)
    assert line.split() == ["libcudart.so.12", "yes", "12080", "4", "2", "1", "1"]
    assert "wrong: torch" in done.stdout
    assert "all fine" not in done.stdout


def test_missing_libraries_say_how_to_build_them(tmp_path: Path) -> None:
    done = maya(tmp_path, "doctor")
    assert done.returncode == 1
    assert "not built" in done.stderr
    assert "make build" in done.stderr
