"""Caches reach the user's disk, what the program made does not."""

from pathlib import Path

from maya.emulator.let_through import cache_directories, keep_caches


def _held(tree: Path, place: Path, text: str = "new") -> None:
    held = tree / str(place).lstrip("/")
    held.parent.mkdir(parents=True, exist_ok=True)
    held.write_text(text)


def test_variables_name_the_caches_before_the_home_does(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "HF_HOME": "/models", "TRITON_CACHE_DIR": "/kernels"}
    found = cache_directories(env)
    assert {Path("/kernels"), Path("/models/hub"), tmp_path / ".cache/torch/hub"} <= set(found)
    assert Path("/models/datasets") not in found, "processed by a device that is none"


def test_new_cache_is_moved_to_its_place(tmp_path: Path) -> None:
    tree, cache = tmp_path / "tree", tmp_path / "kernels"
    _held(tree, cache / "a/kernel.cubin")
    keep_caches(tree, {"HOME": str(tmp_path), "TRITON_CACHE_DIR": str(cache)})
    assert (cache / "a/kernel.cubin").read_text() == "new"


def test_modules_compiled_from_the_users_sources_are_kept_and_no_others(tmp_path: Path) -> None:
    tree, project = tmp_path / "tree", tmp_path / "project"
    project.mkdir()
    for name in ("own", "changed"):
        (project / f"{name}.py").write_text("x = 1")
        _held(tree, project / f"__pycache__/{name}.cpython-311.pyc")
    _held(tree, project / "changed.py", "x = 0")
    _held(tree, project / "__pycache__/made.cpython-311.pyc")
    _held(tree, project / "model.pt")
    keep_caches(tree, {"HOME": str(tmp_path)})
    kept = sorted(path.name for path in project.rglob("*.p*"))
    assert kept == ["changed.py", "own.cpython-311.pyc", "own.py"]
