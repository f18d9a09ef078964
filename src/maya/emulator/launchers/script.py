"""The words by which a launcher starts its script in every rank."""

from maya.emulator.launchers.launch import LOCAL_RANK
from maya.emulator.launchers.options import Parsed
from maya.emulator.target import find_program


def script_argv(python: str, parsed: Parsed) -> tuple[str, ...]:
    """A script, a module, or a program that is not Python's."""
    if "no-python" in parsed.options:
        return (find_program(parsed.rest), *parsed.rest[1:])
    if "module" in parsed.options:
        return (python, "-u", "-m", *parsed.rest)
    return (python, "-u", *parsed.rest)


def with_local_rank(argv: tuple[str, ...], parsed: Parsed, option: str) -> tuple[str, ...]:
    """The launcher tells the script its local rank; the script's own words come behind it."""
    at = len(argv) - len(parsed.rest) + 1
    return (*argv[:at], f"{option}={LOCAL_RANK}", *argv[at:])
