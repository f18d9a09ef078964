"""python -m workshop.pictures: record the runs that are not there yet, and draw what they show."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from maya.errors import MayaError
from maya.rundir import names
from workshop.pictures.rows import PICTURES, RUNS, TERMINAL, Picture, Recorded
from workshop.pictures.terminal import draw_terminal, printed_in_terminal

_HERE, _ROOT = Path(__file__).parent, Path(__file__).parents[2]
_PLACE, _DOCS = _ROOT / "build/pictures", _ROOT / "docs"


def main() -> None:
    """Pictures of what stands in build/pictures already are drawn anew from it."""
    _PLACE.mkdir(parents=True, exist_ok=True)
    for script in (_ROOT / "examples").glob("*.py"):
        shutil.copy(script, _PLACE)
    for name, recorded in RUNS.items():
        if not (_PLACE / name).is_dir():
            _record(name, recorded)
        subprocess.run(_maya("report", name, "--html", "-q"), cwd=_PLACE, check=True)
    draw_terminal((_PLACE / f"{TERMINAL}.txt").read_text("utf-8"), _DOCS / "terminal.svg", "maya")
    tools = _drawing_tools()
    for picture in PICTURES:
        _draw(picture, tools)


def _record(name: str, recorded: Recorded) -> None:
    venv = ".venv-frameworks" if recorded.frameworks else ".venv"
    path = f"{_ROOT / venv / 'bin'}:{os.environ['PATH']}"
    options = ["--cluster", recorded.cluster, "-o", name, "--"]
    command = _maya("run", *options, *shlex.split(recorded.command))
    text = printed_in_terminal(command, _PLACE, {**os.environ, "PATH": path})
    text = text.replace(f"{_PLACE}/", "")  # as from the directory where it ran
    shown = shlex.join(["maya", *command[3:]])
    (_PLACE / f"{name}.txt").write_text(f"$ {shown}\n{text}", encoding="utf-8")


def _maya(*words: str) -> list[str]:
    return [sys.executable, "-m", "maya", *words]


def _drawing_tools() -> Path:
    tools = _PLACE / "tools"
    tools.mkdir(exist_ok=True)
    shutil.copy(_HERE / "draw.js", tools)
    install = ["npm", "install", "--silent", "--prefix", str(tools), "playwright-core@1.56.1"]
    subprocess.run(install, check=True, capture_output=True)
    return tools


def _draw(picture: Picture, tools: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise MayaError("pictures are drawn by Chromium", hint="apt install chromium")
    page, file = _PLACE / picture.run / names.PAGE, _DOCS / picture.file
    words = [chromium, str(page), str(file), picture.scheme, picture.first, picture.last]
    subprocess.run(["node", str(tools / "draw.js"), *words], check=True)


if __name__ == "__main__":
    main()
