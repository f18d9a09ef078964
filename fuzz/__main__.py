"""python -m fuzz TARGET [libFuzzer's options]: a coverage-guided run.

Targets in Python need atheris, those in C++ clang. New inputs go to build/fuzz/TARGET, findings to
the current directory. Inputs that taught something are copied to fuzz/corpus/TARGET by hand, where
`make test` replays them.
"""

import os
import sys
from pathlib import Path
from types import ModuleType

from fuzz.json_mutator import mutate
from fuzz.native_targets import NATIVE_TARGETS, build_fuzzer

_ROOT = Path(__file__).parent
_BUILD = Path("build/fuzz")
_LIMITS = ("-timeout=10", "-rss_limit_mb=1024", "-max_len=65536")


def main() -> None:
    """Run one target until its options end it."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m fuzz TARGET [options]; fuzz/corpus has a directory for each")
    name, options = sys.argv[1], sys.argv[2:]
    found = _BUILD / name
    found.mkdir(parents=True, exist_ok=True)
    arguments = [*_LIMITS, *options, str(found), str(_ROOT / "corpus" / name)]
    run = _fuzz_native if name in NATIVE_TARGETS else _fuzz_python
    run(name, arguments)


def _fuzz_native(name: str, arguments: list[str]) -> None:
    program = build_fuzzer(name, _BUILD / "programs")
    os.execv(program, [str(program), *arguments])


def _fuzz_python(name: str, arguments: list[str]) -> None:
    import atheris

    # The finder of an editable installation brings a loader of its own, which atheris cannot
    # instrument. Everything is found in PYTHONPATH without it.
    sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in type(one).__module__]
    with atheris.instrument_imports(include=["maya"]):
        from fuzz.targets import JSON_TARGETS, TARGETS, replay

    if not any(isinstance(part, ModuleType) for part in _constants_of_a_reader()):
        sys.exit("atheris has not instrumented maya: nothing would tell which inputs are new")

    seeds = [path.read_bytes() for path in sorted((_ROOT / "corpus" / name).iterdir())]

    def by_values(data: bytes, most: int, seed: int) -> bytes:
        return mutate(data, most, seed, atheris.Mutate, seeds)

    atheris.Setup(
        [sys.argv[0], *arguments],
        lambda data: replay(TARGETS[name], data),
        custom_mutator=by_values if name in JSON_TARGETS else None,
    )
    atheris.Fuzz()


def _constants_of_a_reader() -> tuple[object, ...]:
    """Instrumented code holds the module that it reports to."""
    from maya.trace import collect

    return collect.__code__.co_consts


if __name__ == "__main__":
    main()
