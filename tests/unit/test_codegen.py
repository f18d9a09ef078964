"""The generator, on a small library whose header is written here: no network, no NVIDIA package."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the generator is a development tool and is not installed

from codegen import emit, families, fetch  # noqa: E402
from codegen.__main__ import differences, stale, write  # noqa: E402
from codegen.abi import Kind  # noqa: E402
from codegen.config import Config, load, matches  # noqa: E402
from codegen.forms import signature  # noqa: E402
from codegen.parse import Exports, Function, ParseError, parse  # noqa: E402

HEADER = """
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "other.h"
typedef struct toyContext* toyHandle_t;
typedef enum { TOY_OK = 0, TOY_NOT_SUPPORTED = 7 } toyStatus_t;
typedef enum { TOY_N, TOY_T } toyOp_t;
typedef unsigned long long toyDevicePtr;
typedef void (*toyCallback)(void* data);
typedef struct __attribute__((aligned(8))) { float x, y; } toyComplex;
struct toyPlace { int kind; union { int id; void* address; }; size_t extent[2]; };
#ifdef TOY_PER_THREAD
#define toyWait toyWait_ptsz
#endif
toyStatus_t toyCreate(toyHandle_t* handle);
toyStatus_t toyGemm(toyHandle_t handle, toyOp_t transa, int m, size_t n, const float* alpha,
                    const float* const A[], double beta, int* info);
toyStatus_t toyGemm_bufferSize(toyHandle_t handle, int m, int n, int computeType, size_t* workBytes,
                               size_t* workBytesOnHost);
toyStatus_t toyWait(const toyHandle_t* handles, toyCallback callback, toyCallback* all);
toyStatus_t toyPlaceAt(struct toyPlace where, toyDevicePtr address, const toyOp_t* ops);
toyComplex toyDot(toyComplex alpha);
const char* toyName(const char** names, const int64_t* sizes);
ssize_t toyRead(void);
void toyReset(void);
static inline int toyInline(void) { return 0; }
"""

CONFIG = {
    "packages": {"cu12": {"toy-package": "1.0"}},
    "libraries": {
        "cublas": {
            "sets": {"cu12": {"soname": "libtoy.so.1", "node": "libtoy.so.1"}},
            "status": "TOY_NOT_SUPPORTED",
            "parses": [{"headers": ["toy.h"]}],
            "recorded": {"handle": "toyHandle_t", "include": ["toyGemm.*"]},
            "host_outputs": [{"match": "toyGemm", "parameter": "info"}],
            "workspace": [{"match": ".*_bufferSize", "elements": "m * n"}],
        }
    },
}


@pytest.fixture(scope="module")
def include_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("include")
    (directory / "toy.h").write_text(HEADER)
    (directory / "other.h").write_text("int otherLibrary(void);\n")
    return directory


@pytest.fixture(scope="module")
def exports(include_dir: Path) -> Exports:
    return parse(["toy.h"], [include_dir])


@pytest.fixture(scope="module")
def config() -> Config:
    return Config.model_validate(CONFIG)


@pytest.fixture(scope="module")
def table(exports: Exports) -> emit.Table:
    return emit.Table("cu12", "cublas", exports, ("toy-package==1.0",))


def test_only_what_the_header_declares_and_does_not_define_is_exported(exports: Exports) -> None:
    assert "toyGemm" in exports.functions
    assert "toyInline" not in exports.functions
    assert "otherLibrary" not in exports.functions


@pytest.mark.parametrize(
    ("name", "prototype"),
    [
        ("toyCreate", "int toyCreate(void** handle)"),
        (
            "toyGemm",
            "int toyGemm(void* handle, int transa, int m, size_t n, const float* alpha, "
            "const void* const* A, double beta, int* info)",
        ),
        ("toyWait", "int toyWait(void* const* handles, void* callback, void** all)"),
        (
            "toyPlaceAt",
            "int toyPlaceAt(maya_abi_toyPlace where, unsigned long long address, const int* ops)",
        ),
        ("toyName", "const char* toyName(const char** names, const int64_t* sizes)"),
        ("toyDot", "maya_abi_toyComplex toyDot(maya_abi_toyComplex alpha)"),
    ],
)
def test_types_are_reduced_to_the_abi(exports: Exports, name: str, prototype: str) -> None:
    assert signature(exports.functions[name]) == prototype


def test_structs_by_value_keep_their_layout(exports: Exports, tmp_path: Path) -> None:
    definitions = "".join(exports.structs.definitions.values())
    checks = """
    static_assert(sizeof(maya_abi_toyPlace) == sizeof(toyPlace), "size");
    static_assert(offsetof(maya_abi_toyPlace, extent) == offsetof(toyPlace, extent), "offset");
    static_assert(alignof(maya_abi_toyComplex) == alignof(toyComplex), "alignment");
    """
    (tmp_path / "other.h").write_text("")
    compile_text(HEADER + definitions + checks, tmp_path)


def test_each_macro_variant_adds_its_names(include_dir: Path, exports: Exports) -> None:
    union = Exports()
    union.add_older(exports)
    union.add_older(parse(["toy.h"], [include_dir], macros=["TOY_PER_THREAD"]))
    assert {"toyWait", "toyWait_ptsz"} <= union.functions.keys()


def test_a_name_with_two_signatures_is_refused(exports: Exports) -> None:
    other = Exports()
    changed = Function("toyReset", exports.functions["toyCreate"].result, ())
    other.functions["toyReset"] = changed
    with pytest.raises(ParseError, match="toyReset"):
        other.add_older(exports)


def test_a_header_that_does_not_compile_is_refused(include_dir: Path) -> None:
    with pytest.raises(ParseError, match=r"absent\.h"):
        parse(["absent.h"], [include_dir])


def test_compute_calls_record_every_integer_by_its_name(config: Config, table: emit.Table) -> None:
    text = emit.forms(config, table)["toyGemm"].text
    assert 'fields[] = {"transa", "m", "n"};' in text
    assert "maya::Library::cublas, handle, {transa, m, static_cast<int64_t>(n)});" in text
    assert "if (info) *info = 0;" in text


def test_workspace_queries_answer_device_and_host(config: Config, table: emit.Table) -> None:
    form = emit.forms(config, table)["toyGemm_bufferSize"]
    assert form.kind == "workspace"
    assert "answer(workBytes, (int64_t{m} * int64_t{n}) * maya::gen::element_bytes" in form.text
    assert "answer(workBytesOnHost, 0)" in form.text


def test_a_workspace_rule_may_only_use_arguments(table: emit.Table) -> None:
    library = CONFIG["libraries"]["cublas"]  # type: ignore[index]
    rule = {"match": ".*_bufferSize", "elements": "m * rows"}
    wrong = {**CONFIG, "libraries": {"cublas": {**library, "workspace": [rule]}}}
    with pytest.raises(ValueError, match="rows"):
        emit.forms(Config.model_validate(wrong), table)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("toyCreate", "return maya::unsupported(call, 7);"),
        ("toyRead", "return -maya::unsupported(call, 7);"),
        ("toyReset", "maya::unsupported(call, 7);\n}"),
        ("toyName", "maya::unsupported(call, 7);\n  return {};"),
    ],
)
def test_unsupported_calls_answer_as_their_result_type_can(
    config: Config, table: emit.Table, name: str, answer: str
) -> None:
    form = emit.forms(config, table)[name]
    assert form.kind == "unsupported"
    assert answer in form.text


def test_generated_code_compiles_without_warnings(
    config: Config, table: emit.Table, tmp_path: Path
) -> None:
    bodies = emit.forms(config, table)
    assert Counter(form.kind for form in bodies.values())["unsupported"] == len(bodies) - 2
    files = {
        "cu12/cublas.h": emit.header(table),
        "cu12/cublas.cpp": emit.source(config, table, bodies),
        "abi_structs.h": emit.abi_structs([table], table.sources),
        "workspace.h": emit.WORKSPACE_H,
    }
    write(files, tmp_path)
    compile_text((tmp_path / "cu12/cublas.cpp").read_text(), tmp_path / "cu12")


def test_version_script_names_the_node_and_every_function(
    config: Config, table: emit.Table
) -> None:
    script = emit.version_script(config, table)
    assert "libtoy.so.1 {\n  global:\n" in script
    assert all(f"    {name};\n" in script for name in table.exports.functions)


def test_check_finds_changed_missing_and_stale_files(tmp_path: Path) -> None:
    write({"a": "1", "b/c": "2"}, tmp_path)
    assert differences({"a": "1", "b/c": "3", "d": "4"}, tmp_path) == ["b/c", "d"]
    assert stale({"a": "1"}, tmp_path) == ["b/c"]


def test_a_wheel_is_read_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fetch, "CHUNK_BYTES", 64)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("toy/lib/libtoy.so.1", b"\0" * 100_000)
        archive.writestr("toy/include/sub/toy.h", HEADER)
        archive.writestr("toy/include/cub/cub.h", "")
    served = Counter[str]()
    with fetch.open_wheel(FakeSession(content.getvalue(), served), "memory:toy.whl") as wheel:
        fetch._extract(wheel, tmp_path)
    assert [path.name for path in tmp_path.rglob("*.h")] == ["toy.h"]
    assert (tmp_path / "sub/toy.h").read_text() == HEADER
    assert served["bytes"] < 10_000


def test_every_rule_of_the_real_configuration_is_a_pattern_and_libraries_are_distinct() -> None:
    real = load()
    sonames = [b.soname for library in real.libraries.values() for b in library.sets.values()]
    assert len(sonames) == len(set(sonames))
    assert all(matches([rule.match], "") in (True, False) for rule in _rules(real))


def test_kinds_separate_what_can_be_recorded(exports: Exports) -> None:
    kinds = [parameter.type.kind for parameter in exports.functions["toyGemm"].parameters]
    expected = [Kind.pointer, Kind.integer, Kind.integer, Kind.integer]
    assert kinds == [*expected, Kind.pointer, Kind.pointer, Kind.floating, Kind.pointer]


def _rules(config: Config) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(match=rule.match)
        for library in config.libraries.values()
        for rule in [*library.workspace, *library.host_outputs]
    ]


class FakeSession:
    """Serves byte ranges of one file, and counts them."""

    def __init__(self, content: bytes, served: Counter[str]) -> None:
        self.content, self.served = content, served

    def get(self, url: str, headers: dict[str, str]) -> SimpleNamespace:
        first, _, last = headers["Range"].removeprefix("bytes=").partition("-")
        part = self.content[int(first) : int(last) + 1] if first else self.content[-int(last) :]
        self.served["bytes"] += len(part)
        size = {"Content-Range": f"bytes */{len(self.content)}"}
        return SimpleNamespace(status_code=206, headers=size, content=part)


def compile_text(text: str, directory: Path) -> None:
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"]
    command += [f"-I{ROOT / 'native/core/include'}", f"-I{directory}", "-"]
    result = subprocess.run(command, input=text, text=True, capture_output=True, cwd=directory)
    assert result.returncode == 0, result.stderr


def test_the_recorders_families_are_those_of_the_table() -> None:
    for path, text in families.files().items():
        assert (ROOT / "native/gen" / path).read_text() == text


def test_a_pattern_with_more_words_than_the_recorder_holds_is_refused() -> None:
    row = "families: [{name: a, with: [a, b, c, d, e]}]\noptimizer_words: []"
    with pytest.raises(ValueError, match="more than 4 words"):
        families.generate(row)
