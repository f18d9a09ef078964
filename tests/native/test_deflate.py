"""Texts that the core compresses are read by zlib, byte for byte."""

import random
import subprocess
import zlib
from pathlib import Path

import pytest
from fakes import FLAGS, ROOT

PTX = "".join(
    f"\tld.global.b32 {{ %r{n} }}, [ %rd{n % 7} + {16 * n} ];\n"
    f"\tadd.f32 %f{n + 1}, %f{n}, 0f{n:08X};\n"
    for n in range(4000)
).encode()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("deflate") / "deflate"
    sources = [ROOT / "tests/core/deflate_stdin.cpp", ROOT / "core/deflate.cpp"]
    command = ["g++", *FLAGS, "-fsanitize=address,undefined", *map(str, sources), "-o", str(out)]
    subprocess.run(command, check=True, timeout=120)
    return out


def _unpacked(program: Path, text: bytes) -> tuple[bytes, int]:
    packed = subprocess.run([program], input=text, capture_output=True, check=True).stdout
    reader = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    unpacked = reader.decompress(packed) + reader.flush()
    assert reader.eof
    assert not reader.unused_data
    return unpacked, len(packed)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"a",
        b"abcabc",
        b"\0" * 100_000,
        bytes(range(256)) * 40,
        *(b"x" * n for n in range(1, 20)),
        *(b"x" * n for n in range(255, 264)),
        b"0123456789"
        + random.Random(1).randbytes(32_758)
        + b"0123456789",  # just within the window
        b"0123456789" + random.Random(1).randbytes(32_759) + b"0123456789",  # just beyond
        *(random.Random(n).randbytes(997) * 3 + b"end" for n in range(8)),
    ],
    ids=lambda text: str(len(text)),
)
def test_zlib_gives_the_text_back(program: Path, text: bytes) -> None:
    assert _unpacked(program, text)[0] == text


def test_assembly_shrinks_to_less_than_a_third(program: Path) -> None:
    unpacked, size = _unpacked(program, PTX)
    assert unpacked == PTX
    assert size < len(PTX) / 3
