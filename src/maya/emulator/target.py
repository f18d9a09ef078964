"""What kind of program a command is, and which CUDA version it wants; nothing is started here
but the target's own interpreter, once, to ask it where torch is."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from maya.emulator.native import cuda_major_of
from maya.errors import MayaError

DEFAULT_CUDA_MAJOR = 12
_PYTHON = re.compile(r"(python|pypy)(\d+(\.\d+)?)?")
OPTIONS_WITH_VALUE = {"-W", "-X", "--check-hash-based-pycs"}  # of the interpreter
_NOT_A_SCRIPT = {"-c", "-m", "-", "-V", "-VV", "--version", "-h", "--help"}
_INSTALL_TORCH = "install a CUDA build, for example `pip install torch` from the default index"
_ASK = """
import importlib.util, json, pathlib
spec = importlib.util.find_spec("torch")
path = pathlib.Path(spec.origin).with_name("version.py") if spec and spec.origin else None
text = path.read_text() if path and path.exists() else None
majors = [m for m in (12, 13) if importlib.util.find_spec(f"jax_cuda{m}_plugin")]
print(json.dumps({"torch": bool(spec), "version": text, "jax": majors}))
"""


@dataclass(frozen=True, slots=True)
class Target:
    """A command made ready to run."""

    argv: tuple[str, ...]
    cuda_major: int
    interpreter: str | None = None
    torch_version: str | None = None


@dataclass(frozen=True, slots=True)
class Torch:
    """The torch that an interpreter would import."""

    version: str
    cuda: str | None

    @property
    def cuda_major(self) -> int | None:
        """12 for '12.8'; None for a build without CUDA."""
        return int(self.cuda.split(".")[0]) if self.cuda else None


def resolve(command: list[str], *, check_torch: bool = True) -> Target:
    """Find the program, refuse what cannot work, and choose the CUDA version."""
    program = find_program(command)
    interpreter = find_interpreter(program)
    argv = (program, *command[1:])
    if interpreter is None:
        return Target(argv, _elf_cuda_major(program))
    check_script(command)
    torch = find_torch(interpreter)
    major = torch.cuda_major if torch else None
    if major is None:
        major = find_jax_plugin(interpreter)
    if check_torch and major is None:
        require_cuda_torch(torch, interpreter)
    version = torch.version if torch else None
    return Target(argv, major or DEFAULT_CUDA_MAJOR, interpreter, version)


def find_program(command: list[str]) -> str:
    """The file that the first word names, as a shell would find it."""
    if not command:
        raise MayaError("no command given", hint="maya emulate --gpu h100 -- python train.py")
    program = shutil.which(command[0])
    if program is None:
        hint = "check the spelling and that the right environment is active"
        if command[0].endswith(".py") and Path(command[0]).exists():
            hint = f"put the interpreter in front: python {command[0]}"
        raise MayaError(f"command not found: {command[0]}", hint=hint)
    return program


def find_interpreter(program: str) -> str | None:
    """The Python that will run this program: itself, or the one its first line names."""
    if _PYTHON.fullmatch(Path(program).name):
        return program
    with Path(program).open("rb") as file:
        first = file.readline(512).decode("utf-8", "replace").strip()
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if words and words[0].endswith("sh"):  # pip's form for long paths: #!/bin/sh, then exec
        sibling = Path(program).with_name("python")
        return str(sibling) if sibling.exists() else None
    if not words or not _PYTHON.fullmatch(Path(words[0]).name):
        return None
    return shutil.which(words[0])


_MOST_ASKED = 3


def find_torch(interpreter: str) -> Torch | None:
    """The torch of this interpreter, found without importing it."""
    answer = _answer_of(interpreter)
    return parse_torch_version(answer["version"] or "") if answer["torch"] else None


def find_jax_plugin(interpreter: str) -> int | None:
    """The CUDA version of JAX's plugin; None where there is none."""
    return next(iter(_answer_of(interpreter).get("jax", ())), None)


def _answer_of(interpreter: str) -> dict[str, Any]:
    """What it has depends on where it looks, too."""
    return _answer(interpreter, os.environ.get("PYTHONPATH"))


@cache
def _answer(interpreter: str, _python_path: str | None) -> dict[str, Any]:
    try:
        answers = (_ask(interpreter) for _ in range(_MOST_ASKED))
        asked = next(filter(lambda asked: asked.returncode >= 0, answers), None)
        answer: dict[str, Any] = json.loads(asked.stdout if asked else "")
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise MayaError(
            f"{interpreter} does not work: {error}", hint="try to run it by itself"
        ) from error
    return answer


def _ask(interpreter: str) -> "subprocess.CompletedProcess[str]":
    """Whoever kills it says nothing about the interpreter: then it is asked again."""
    # A preload meant for the user's program must not slow or upset this question.
    env = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return subprocess.run(
        [interpreter, "-c", _ASK],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=env,
    )


def parse_torch_version(text: str) -> Torch:
    """Read torch/version.py without running it."""
    version = re.search(r"^__version__\s*=\s*['\"]([^'\"]+)", text, re.MULTILINE)
    cuda = re.search(r"^cuda\s*(?::[^=]*)?=\s*['\"]([^'\"]+)", text, re.MULTILINE)
    return Torch(version.group(1) if version else "unknown", cuda.group(1) if cuda else None)


def require_cuda_torch(torch: Torch | None, interpreter: str) -> None:
    """Say at once what would otherwise fail minutes later inside the script."""
    if torch is None:
        raise MayaError(
            f"{interpreter} has no torch",
            hint=f"activate the environment of your program, or {_INSTALL_TORCH}; `maya emulate "
            "--no-torch-check` records a program that does not use torch",
        )
    if torch.cuda is None:
        raise MayaError(
            f"torch {torch.version} of {interpreter} is a build without CUDA",
            hint=f"{_INSTALL_TORCH} (--no-deps is fine: nothing of NVIDIA's is needed)",
        )


def check_script(command: Sequence[str]) -> None:
    """`python [options] script`: the script must exist. Other commands are not judged."""
    if not command or not _PYTHON.fullmatch(Path(command[0]).name):
        return
    words = iter(command[1:])
    for word in words:
        if word in _NOT_A_SCRIPT or word.startswith(("-c", "-m")):
            return
        if word in OPTIONS_WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            if not Path(word).exists():
                raise MayaError(
                    f"script not found: {word}", hint=f"the current directory is {Path.cwd()}"
                )
            return


def _elf_cuda_major(program: str) -> int:
    """The CUDA version in a binary's list of needed libraries."""
    try:
        with Path(program).open("rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            if not isinstance(dynamic, DynamicSection):
                return DEFAULT_CUDA_MAJOR
            needed = [str(tag.needed) for tag in dynamic.iter_tags("DT_NEEDED")]  # type: ignore[attr-defined]
    except (ELFError, OSError):
        return DEFAULT_CUDA_MAJOR
    majors = [major for name in needed if (major := cuda_major_of(name))]
    return majors[0] if majors else DEFAULT_CUDA_MAJOR
