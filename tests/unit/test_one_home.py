"""The lint that keeps kernel names, offsets and run files at one place sees a second one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lint"))
import one_home


def test_every_fact_has_one_home() -> None:
    assert one_home.main() == 0


@pytest.mark.parametrize(
    ("place", "line", "home"),
    [
        (
            "native/core/kernels/a.cpp",
            'if (has("vectorized_gather_kernelI")) return 1;',
            "families",
        ),
        (
            "src/maya/estimate/kernels/a.py",
            'x = name.startswith("cunn_SoftMaxForward")',
            "families",
        ),
        ("native/core/kernels/a.cpp", 'contains(name, "gpu_kernel_impl_nocast<")', "families"),
        ("native/core/kernels/a.cpp", 'behind(name, "NonZeroOp")', "families"),
        ("native/core/kernels/a.cpp", 'if (name == "MulFunctor") return 1;', "operations"),
        ("native/core/kernels/a.h", "constexpr size_t kInfo = 216;", "layouts"),
        ("src/maya/estimate/kernels/a.py", "info = 416 if wide else 216", "layouts"),
        ("src/maya/estimate/kernels/a.py", "window = image.i32(388)", "layouts"),
        ("src/maya/estimate/kernels/a.py", "columns = image.i32(24)", "arguments"),
        ("workshop/fit/a.py", "rows, columns = Image(work.blob).words(40, 2)", "arguments"),
        ("src/maya/report/a.py", 'path = directory / "summary.json"', "rundir"),
        ("benchmarks/a.py", 'path = directory / "summary.json"', "rundir"),
        ("src/maya/report/a.py", 'path = directory / "stop"', "rundir"),
        ("native/files/a.cpp", 'open(directory, "summary.json");', "rundir"),
        ("workshop/validate/a.py", 'x = name.startswith("cunn_SoftMaxForward")', "families"),
        ("native/cublas/a.cpp", 'contains(name, "gpu_kernel_impl_nocast<")', "families"),
    ],
)
def test_a_second_home_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, line: str, home: str
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(f"{line}\n")
    monkeypatch.setattr(one_home, "ROOT", tmp_path)
    monkeypatch.setattr(one_home, "file_names", lambda: {"summary.json"})
    monkeypatch.setattr(one_home, "all_file_names", lambda: {"summary.json", "stop"})
    assert [where.split(".")[0].split("/")[0] for _, where in one_home.second_homes()][:1] == [home]


def test_comments_and_docstrings_may_name_what_they_explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "src/maya/estimate/kernels"
    directory.mkdir(parents=True)
    (directory / "a.py").write_text('"""As vectorized_gather_kernel does."""\n# 216 bytes\n')
    monkeypatch.setattr(one_home, "ROOT", tmp_path)
    monkeypatch.setattr(one_home, "file_names", set)
    monkeypatch.setattr(one_home, "all_file_names", set)
    assert not list(one_home.second_homes())
