"""The lint that keeps kernel names, offsets and run files at one place sees a second one."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("one_home", ROOT / "tests/lint/one_home.py")
assert _SPEC
assert _SPEC.loader
one_home = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(one_home)


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
        ("src/maya/report/a.py", 'path = directory / "summary.json"', "rundir"),
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
    assert [where.split(".")[0].split("/")[0] for _, where in one_home.second_homes()][:1] == [home]


def test_comments_and_docstrings_may_name_what_they_explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "src/maya/estimate/kernels"
    directory.mkdir(parents=True)
    (directory / "a.py").write_text('"""As vectorized_gather_kernel does."""\n# 216 bytes\n')
    monkeypatch.setattr(one_home, "ROOT", tmp_path)
    monkeypatch.setattr(one_home, "file_names", set)
    assert not list(one_home.second_homes())
