"""The readers that are written in C++. Each is a program: a file of fuzz/native and its subject."""

import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_HERE = _ROOT / "fuzz" / "native"
_NATIVE = _ROOT / "native"
_FATBIN = "core/fatbin/**/*.cpp"
_SOURCES: dict[str, tuple[str, ...]] = {
    "module": (_FATBIN,),
    "unpack": ("core/fatbin/lz4.cpp", "core/fatbin/zstd/*.cpp"),
    "names": (
        *("core/kernels/names.cpp", "core/kernels/printed_size.cpp"),
        "core/kernels/family.cpp",
    ),
    "source": ("nvrtc/source.cpp", "nvrtc/types.cpp"),
}
NATIVE_TARGETS = tuple(_SOURCES)
_CHECKS = "address,undefined"
_FLAGS = ("-std=c++17", "-fno-exceptions", "-fno-sanitize-recover=all")


def build_fuzzer(name: str, directory: Path) -> Path:
    """The target under libFuzzer, which only clang has."""
    return _build(name, directory, "clang++", ["-O1", "-g", f"-fsanitize=fuzzer,{_CHECKS}"], [])


def build_replay(name: str, directory: Path) -> Path:
    """The target as a program that reads the files it is given, by any compiler."""
    return _build(name, directory, "g++", [f"-fsanitize={_CHECKS}"], [_HERE / "replay.cpp"])


def _build(name: str, directory: Path, compiler: str, flags: list[str], driver: list[Path]) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / name
    tested = [path for part in _SOURCES[name] for path in sorted(_NATIVE.glob(part))]
    includes = [f"-I{_NATIVE / part}" for part in ("", "core", "core/include")]
    files = map(str, (_HERE / f"{name}.cpp", *driver, *tested))
    options = [*_FLAGS, *flags, *includes]
    subprocess.run([compiler, *options, *files, "-o", str(program)], check=True)
    return program
