"""Virtual environments that share the base environment's PyTorch, without any NVIDIA package."""

import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

_SHARED = ("torch", "triton")
_STAMP = "requirements.txt"


def make_environment(directory: Path, requirements: Sequence[str]) -> Path:
    """Its interpreter. Made anew where the requirements changed."""
    python, stamp = directory / "bin/python", directory / _STAMP
    wanted = "\n".join(requirements)
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return python
    venv.create(directory, clear=True, with_pip=True)
    _share_base(_packages_of(python))
    _install(python, directory, requirements)
    stamp.write_text(wanted, "utf-8")
    return python


def _packages_of(python: Path) -> Path:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([python, "-c", ask], text=True).strip())


def _share_base(packages: Path) -> None:
    # More than one directory where the base itself shares the packages of another.
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "base.pth").write_text("\n".join(shared) + "\n", "utf-8")
    # pip would fetch what an installed package requires; this one's NVIDIA packages are not wanted.
    torch = metadata.distribution("torch")
    own = packages / f"torch-{torch.version}.dist-info"
    own.mkdir()
    lines = (torch.read_text("METADATA") or "").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("Requires-Dist: nvidia")]
    (own / "METADATA").write_text("".join(kept), "utf-8")
    (own / "INSTALLER").write_text("maya-trainers\n", "utf-8")
    (own / "RECORD").write_text("", "utf-8")


def _install(python: Path, directory: Path, requirements: Sequence[str]) -> None:
    if not requirements:
        return
    constraints = directory / "constraints.txt"
    fixed = [f"{name}=={metadata.version(name)}\n" for name in _SHARED]
    constraints.write_text("".join(fixed), "utf-8")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", constraints, *requirements], check=True, stdout=sys.stderr)
