"""The fat binary parser against real encoders, a real assembler, and damaged input.

Everything runs in one program built with the address and undefined-behaviour sanitizers, so
"passes" includes "touched no byte it should not have".
"""

import json
import random
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lz4.block as lz4_block
import pytest
import triton
import zstandard

ROOT = Path(__file__).resolve().parents[2] / "native"
SOURCES = [*sorted((ROOT / "core/fatbin").rglob("*.cpp")), ROOT / "tests/fatbin/fatbin_dump.cpp"]
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fno-exceptions"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

LZ4, ZSTD = 4, 5
FLAG_LZ4, FLAG_ZSTD, FLAG_EXACT, FLAG_FAMILY = 0x2000, 0x8000, 0x100000, 0x200000

PTX = """
// a comment with a brace {
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[308] = {1, 2, 3};
.const .align 8 .b8 coefficients[20];
.visible .global .align 4 .u32 counter, total;
.extern .global .align 4 .u32 elsewhere;

.visible .entry plain(
    .param .u64 .ptr .global .align 16 plain_0, .param .u32 plain_1, .param .u8 plain_2,
    .param .f64 plain_3, .param .align 4 .b8 plain_4[136], .param .align 64 .b8 plain_5[128])
{
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;
    .shared .align 4 .b8 tile[400];
    ld.param.u64 %rd1, [plain_0]; cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [plain_1];
    { .reg .b32 %inner; mov.u32 %inner, tile; st.shared.u32 [%inner], %r1; } // }
    ld.shared.u32 %r2, [tile+4]; st.global.u32 [%rd2], %r2;
    ret;
}
.entry bounded(.param .u64 bounded_0) .maxntid 32, 4, 1 .minnctapersm 2 { ret; }
.entry required(.param .b16 r0, .param .b32 r1) .reqntid 96 { ret; }
.entry clustered() .explicitcluster .reqnctapercluster 2, 2, 1 { ret; }
.entry ranked(.param .b8 r0) .maxclusterrank 8 { ret; }
"""


def plain_params(device):
    """The last is aligned in the constant bank, where parameters begin at 0x160, 0x210, 0x380."""
    last = 160 if device < 90 else 176 if device < 100 else 192
    return [[0, 8], [8, 4], [12, 1], [16, 8], [24, 136], [last, 128]]


@pytest.fixture(scope="session")
def dump(tmp_path_factory):
    """The test program, as a function from arguments to (exit code, output)."""
    out = tmp_path_factory.mktemp("fatbin")

    def compile_one(job):
        number, source = job
        target = out / f"{number}.o"
        # Optimizing what is not run often costs more than it saves.
        level = "-O1" if "zstd" in source.parts or source.stem == "lz4" else "-O0"
        command = [
            "g++",
            level,
            *FLAGS,
            *SANITIZE,
            f"-I{ROOT}/core/include",
            "-c",
            source,
            "-o",
            target,
        ]
        subprocess.run(command, check=True)
        return target

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, enumerate(SOURCES)))
    subprocess.run(["g++", *SANITIZE, *objects, "-o", out / "dump"], check=True)

    def run(*args):
        done = subprocess.run([out / "dump", *map(str, args)], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout

    return run


def facts(dump, path, sm, mode="facts"):
    code, out = dump(mode, path, sm)
    found = json.loads(out)
    assert (code == 1) == ("error" in found)
    return found


def kernels(found):
    return {kernel["name"]: kernel for kernel in found["kernels"]}


def plain_inputs():
    """Random, constant, text-like and code-like data, around the limits of both formats."""
    rng = random.Random(1)
    words = [rng.randbytes(rng.randint(2, 9)) for _ in range(300)]
    instruction = [rng.randbytes(16) for _ in range(40)]
    for size in (0, 1, 2, 5, 12, 13, 64, 255, 1000, 5000, 70_000, 131_072, 131_073, 400_000):
        yield rng.randbytes(size)
        yield bytes(size)
        yield b"".join(rng.choices(words, k=size // 2 + 1))[:size]
        code = (
            bytes([*rng.choice(instruction)[:12], *rng.randbytes(4)]) for _ in range(size // 16)
        )
        yield b"".join(code)
    yield b"".join(rng.choices(words, k=400_000))[: 2 << 20]
    yield bytes(range(3)) * 700_000  # short offsets, long matches


def zstd_pack(data, level, **options):
    return zstandard.ZstdCompressor(level=level, **options).compress(data)


def cases():
    for number, data in enumerate(plain_inputs()):
        yield LZ4, lz4_block.compress(data, store_size=False), data
        if len(data) <= 5000:
            levels = range(1, 23)
        else:
            levels = (-5, 1, 3, 5 + number % 10, 19) if len(data) <= 400_000 else (1, 12)
        for level in levels:
            yield ZSTD, zstd_pack(data, level), data
        hard = lz4_block.compress(data, "high_compression", compression=12, store_size=False)
        yield LZ4, hard, data
        options = {"write_checksum": True, "write_content_size": False}
        yield ZSTD, zstd_pack(data, 3, **options), data
    text = b"the same words, " * 50
    skippable = struct.pack("<II", 0x184D2A53, 5) + b"12345"
    two = zstd_pack(text, 3) + skippable + zstd_pack(text[::-1], 19)
    yield ZSTD, two, text + text[::-1]
    # Blocks written by hand: raw "ab", 1,000 times "c", then an empty raw one.
    blocks = [(2 << 3 | 0, b"ab"), (1000 << 3 | 2, b"c"), (0 << 3 | 1, b"")]
    body = b"".join(struct.pack("<I", header)[:3] + data for header, data in blocks)
    yield ZSTD, b"\x28\xb5\x2f\xfd\x00\x58" + body, b"ab" + b"c" * 1000


@pytest.fixture(scope="session")
def everything():
    return list(cases())


def write_cases(path, chosen):
    with path.open("wb") as file:
        for codec, packed, plain in chosen:
            file.write(struct.pack("<III", codec, len(packed), len(plain)) + packed + plain)
    return path


def test_decoders_undo_what_real_encoders_do(dump, tmp_path, everything):
    code, out = dump("decode", write_cases(tmp_path / "cases", everything))
    assert (code, out) == (0, f"{len(everything)} cases\n")


def test_decoders_reject_wrong_sizes(dump, tmp_path):
    data = b"some words, some words, some other words" * 20
    for codec, packed in (
        (LZ4, lz4_block.compress(data, store_size=False)),
        (ZSTD, zstd_pack(data, 9)),
    ):
        for plain in (data[:-1], data + b"x", b""):
            assert dump("decode", write_cases(tmp_path / "case", [(codec, packed, plain)]))[0] == 1


def test_decoders_survive_damage(dump, tmp_path, everything):
    small = [case for case in everything if 0 < len(case[1]) < 6000]
    chosen = random.Random(2).sample(small, 100)
    large = [case for case in everything if 60_000 < len(case[1]) < 90_000][:4]
    assert dump("corrupt", write_cases(tmp_path / "small", chosen), 3, 80)[0] == 0
    assert dump("corrupt", write_cases(tmp_path / "large", large), 4, 10)[0] == 0


def check_module(found, from_ptx):
    by_name = kernels(found)
    assert set(by_name) == {"plain", "bounded", "required", "clustered", "ranked"}
    assert by_name["plain"]["params"] == plain_params(90)
    assert by_name["plain"]["param_bytes"] == 304
    assert by_name["plain"]["static_shared"] == 400
    assert by_name["required"]["params"] == [[0, 2], [4, 4]]
    assert by_name["clustered"]["params"] == []
    bounds = {name: (k["max_threads"], k["required_threads"]) for name, k in by_name.items()}
    assert bounds["plain"] == (1024, False)
    assert bounds["bounded"] == (128, False)
    assert bounds["required"] == (96, True)
    assert by_name["clustered"]["cluster"] == [2, 2, 1]
    assert by_name["plain"]["cluster"] == [0, 0, 0]
    assert by_name["ranked"]["max_cluster_rank"] == 8
    assert {(k["sm"], k["constant"], k["from_ptx"]) for k in by_name.values()} == {
        (90, 20, from_ptx)
    }


VARIABLES = {
    "table": (308, False),
    "coefficients": (20, True),
    "counter": (4, False),
    "total": (4, False),
}


def test_ptx_gives_parameters_and_bounds_but_no_registers(dump, tmp_path):
    path = tmp_path / "module.ptx"
    path.write_text(PTX)
    for mode in ("facts", "facts-unsized"):
        found = facts(dump, path, 90, mode)
        check_module(found, from_ptx=True)
        assert {k["registers"] for k in found["kernels"]} == {-1}
        assert {g["name"]: (g["size"], g["constant"]) for g in found["globals"]} == VARIABLES
    assert facts(dump, path, 100)["kernels"]
    assert "architecture" in facts(dump, path, 80)["error"]


def find_ptxas():
    return Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"


@pytest.fixture(scope="session")
def assembled(tmp_path_factory):
    """A cubin per architecture, and what ptxas said of its kernels' registers."""
    out = tmp_path_factory.mktemp("cubin")
    (out / "module.ptx").write_text(PTX)
    (out / "old.ptx").write_text(
        re.sub(r"\.entry (clustered|ranked).*", "", PTX.replace("sm_90", "sm_80"))
    )
    result = {}
    for arch in ("sm_80", "sm_86", "sm_90", "sm_90a", "sm_100"):
        source = out / ("old.ptx" if arch < "sm_9" and arch != "sm_100" else "module.ptx")
        command = [find_ptxas(), "-v", f"-arch={arch}", source, "-o", out / arch]
        log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        pattern = r"entry function '(\w+)'.*?Used (\d+) registers"
        registers = {name: int(n) for name, n in re.findall(pattern, log, re.DOTALL)}
        result[arch] = (out / arch, registers)
    return result


def test_cubin_gives_what_ptxas_reported(dump, assembled):
    path, registers = assembled["sm_90"]
    for mode in ("facts", "facts-unsized"):
        found = facts(dump, path, 90, mode)
        check_module(found, from_ptx=False)
        assert {k["name"]: k["registers"] for k in found["kernels"]} == registers
    # ptxas also gives a place to variables that are declared only.
    variables = {g["name"]: (g["size"], g["constant"]) for g in found["globals"]}
    assert variables == {**VARIABLES, "elsewhere": (4, False)}


def test_cubin_of_another_generation_is_refused(dump, assembled):
    assert kernels(facts(dump, assembled["sm_80"][0], 86))["plain"]["sm"] == 80
    assert kernels(facts(dump, assembled["sm_80"][0], 80))["plain"]["static_shared"] == 400
    for arch, device in (("sm_80", 90), ("sm_86", 80), ("sm_90", 100), ("sm_100", 90)):
        assert "architecture" in facts(dump, assembled[arch][0], device)["error"]


def fatbin(*entries):
    """A fat binary of (kind, sm, flags, contents); flags choose the compression."""
    body = b""
    for kind, sm, flags, contents in entries:
        packed, plain_size = contents, 0
        if flags & FLAG_LZ4:
            packed, plain_size = lz4_block.compress(contents, store_size=False), len(contents)
        elif flags & FLAG_ZSTD:
            packed, plain_size = zstd_pack(contents, 19), len(contents)
        padded = packed + bytes(-len(packed) % 8)
        sizes = (64, len(padded), len(packed) if plain_size else 0, 0)
        head = struct.pack("<HHIQII", kind, 0x101, *sizes)
        head += struct.pack("<HHIIIQQQ", 8, 1, sm, 0, 0, flags | 0x11, 0, plain_size)
        body += head + padded
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


@pytest.mark.parametrize("flags", [0, FLAG_LZ4, FLAG_ZSTD])
def test_fatbin_entries_are_chosen_as_the_driver_does(dump, tmp_path, assembled, flags):
    binary = {arch: path.read_bytes() for arch, (path, _) in assembled.items()}
    ptx = PTX.replace("sm_90", "sm_86").replace("8.0", "7.8")
    ptx = re.sub(r"\.entry (clustered|ranked).*", "", ptx).encode()
    path = tmp_path / "all.fatbin"
    path.write_bytes(
        fatbin(
            (1, 86, flags, ptx),
            (2, 80, flags, binary["sm_80"]),
            (2, 86, flags, binary["sm_86"]),
            (2, 90, flags | FLAG_EXACT, binary["sm_90a"]),
            (64, 90, flags, b"something new"),
        )
    )
    expected = {80: (80, False), 86: (86, False), 89: (86, False), 90: (90, False), 100: (86, True)}
    for device, answer in expected.items():
        for mode in ("facts", "facts-unsized"):
            kernel = kernels(facts(dump, path, device, mode))["plain"]
            assert (kernel["sm"], kernel["from_ptx"]) == answer
            assert kernel["params"] == plain_params(device)
    assert "no image" in facts(dump, path, 75)["error"]


def test_specific_code_is_preferred_where_it_runs(dump, tmp_path):
    def module(name, sm):
        return f".version 8.0\n.target sm_{sm}\n.entry {name}() {{ ret; }}".encode()

    path = tmp_path / "ptx.fatbin"
    path.write_bytes(
        fatbin(
            (1, 100, 0, module("generic", 100)),
            (1, 100, FLAG_FAMILY, module("family", "100f")),
            (1, 100, FLAG_EXACT, module("exact", "100a")),
        )
    )
    for device, name in ((100, "exact"), (103, "family"), (120, "generic")):
        assert list(kernels(facts(dump, path, device))) == [name]
    scopes = [entry["scope"] for entry in json.loads(dump("list", path)[1])]
    assert scopes == ["generic", "family", "exact"]


def test_modules_survive_damage(dump, tmp_path, assembled):
    cubin = assembled["sm_90"][0].read_bytes()
    images = {
        "ptx": PTX.encode(),
        "cubin": cubin,
        "fatbin": fatbin((2, 80, 0, cubin), (2, 90, FLAG_ZSTD, cubin)),
        "fatbin-lz4": fatbin((1, 80, FLAG_LZ4, PTX.encode())),
    }
    for name, image in images.items():
        (tmp_path / name).write_bytes(image)
        assert dump("corrupt-module", tmp_path / name, 90, 5, 1000)[0] == 0


@pytest.mark.parametrize(
    "image", [b"x", b"\x7fELF", b"\x50\xed\x55\xba", b"\xb1\x43\x62\x46", bytes(64)]
)
def test_what_is_no_module_is_an_error(dump, tmp_path, image):
    (tmp_path / "image").write_bytes(image)
    assert facts(dump, tmp_path / "image", 90)["error"]


def test_cubin_that_reads_one_section_again_and_again_is_refused(dump, tmp_path):
    image = (ROOT.parent / "fuzz/corpus/module/cubin").read_bytes()
    table, count = struct.unpack_from("<Q", image, 40)[0], struct.unpack_from("<H", image, 60)[0]
    info = image[table + 6 * 64 : table + 7 * 64]  # .nv.info.k
    path = tmp_path / "overlapping"
    path.write_bytes(image[:60] + struct.pack("<H", count + 200) + image[62:] + info * 200)
    assert "lie over each other" in facts(dump, path, 90)["error"]
    path.write_bytes(image)
    assert kernels(facts(dump, path, 90))["k"]["registers"] == 32
