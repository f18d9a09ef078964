"""What the libraries that are preloaded into every program show of themselves."""

import os
import re
import subprocess
import sys
from pathlib import Path

from fakes import FLAGS, ROOT

from maya.emulator.native import native_dir


def test_the_core_exports_our_functions_and_nothing_else():
    for library, own in (
        ("libmaya_core.so", r"maya_\w+|_ZNK?4maya\w+|dlopen|InitializeInjectionNvtx2"),
        ("libmaya_engine.so", "maya_(engine_run|demangle)"),
    ):
        names = _exported(native_dir() / library)
        assert names, library
        assert [name for name in names if not re.fullmatch(own, name)] == []


def test_no_other_library_exports_a_name_of_cpp():
    """What they stand in for is C. A weak `std::` symbol would replace the program's own."""
    libraries = sorted(path for path in native_dir().glob("lib*.so*") if _is_shared(path))
    names = {path: _exported(path) for path in libraries if path.name != "libmaya_core.so"}
    assert sum(map(bool, names.values())) > 20  # parts of cuDNN export nothing
    for library, exported in names.items():
        assert [name for name in exported if name.startswith("_Z")] == [], library


def _is_shared(path: Path) -> bool:
    """libcuda.so is a note to the linker, not a library."""
    return not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"


def _exported(library: Path) -> list[str]:
    command = ["nm", "-D", "--defined-only", "--format=posix", str(library)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def test_a_library_with_its_own_operator_new_runs_under_the_core(tmp_path):
    library = tmp_path / "libown_new.so"
    source = str(ROOT / "tests/core/own_new.cpp")
    # -O0 keeps the containers' functions out of line, where another library's could replace them.
    link = ["-shared", "-fPIC", "-static-libstdc++", "-Wl,--exclude-libs,ALL"]
    command = ["g++", *FLAGS, "-O0", *link, source, "-o", str(library)]
    subprocess.run(command, check=True, timeout=120)
    ask = f"import ctypes; print(ctypes.CDLL({str(library)!r}).fill())"
    env = os.environ | {"LD_PRELOAD": str(native_dir() / "libmaya_core.so")}
    done = subprocess.run(
        [sys.executable, "-S", "-c", ask], capture_output=True, text=True, timeout=60, env=env
    )
    assert (done.returncode, done.stdout) == (0, "6000\n"), done.stderr


def test_cudnn_answers_to_its_short_name_and_to_the_names_of_its_parts():
    """XLA and transformer-engine open them so."""
    names = ["libcudnn.so", "libcudnn_graph.so.9", "/opt/nvidia/libcudnn_ops.so.9"]
    ask = f"import ctypes; print([bool(ctypes.CDLL(n).cudnnGetVersion) for n in {names}])"
    assert _preloaded(ask, "libcudnn.so.9") == "[True, True, True]\n"


def test_a_name_without_version_is_the_preloaded_library():
    for version in ("libnvrtc.so.12", "libnvrtc.so.13"):
        ask = (
            "import ctypes; major = ctypes.c_int(); "
            "version = ctypes.CDLL('libnvrtc.so').nvrtcVersion; "
            "version(ctypes.byref(major), ctypes.byref(ctypes.c_int())); print(major.value)"
        )
        assert _preloaded(ask, version) == version[-2:] + "\n"


def _preloaded(ask: str, library: str) -> str:
    """What Python prints with this library preloaded."""
    libraries = [str(native_dir() / name) for name in ("libmaya_core.so", library)]
    env = os.environ | {"LD_PRELOAD": ":".join(libraries)}
    command = [sys.executable, "-S", "-c", ask]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout
