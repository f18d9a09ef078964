"""`python -m codegen`: write native/gen, or with --check tell whether it is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codegen.config import load
from codegen.generate import Generated, generate

TARGET = Path(__file__).resolve().parent.parent / "native" / "gen"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="codegen", description=__doc__)
    parser.add_argument("--only", metavar="LIBRARIES", help="comma-separated; write these alone")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if files differ")
    return parser.parse_args()


def _selected(files: dict[str, str], only: str | None) -> dict[str, str]:
    """Files of the chosen libraries; those that all libraries share are always included."""
    if only is None:
        return files
    names = set(only.split(","))
    return {p: text for p, text in files.items() if "/" not in p or Path(p).stem in names}


def differences(files: dict[str, str], target: Path) -> list[str]:
    """Paths whose text on disk is not what would be generated."""
    return sorted(
        path
        for path, text in files.items()
        if not (target / path).is_file() or (target / path).read_text() != text
    )


def stale(files: dict[str, str], target: Path) -> list[str]:
    """Paths on disk that nothing generates any more."""
    present = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    return sorted(present - files.keys())


def write(files: dict[str, str], target: Path) -> None:
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)


def _print_counts(generated: Generated) -> None:
    titles = f"{'recorded':>10}{'workspace':>11}{'unsupported':>13}"
    print(f"{'set':8}{'library':12}{'exports':>8}{titles}")
    for (set_name, library), kinds in sorted(generated.counts.items()):
        cells = f"{kinds['recorded']:10}{kinds['workspace']:11}{kinds['unsupported']:13}"
        print(f"{set_name:8}{library:12}{kinds.total():8}{cells}")


def main() -> int:
    arguments = _arguments()
    generated = generate(load())
    files = _selected(generated.files, arguments.only)
    if arguments.check:
        changed = differences(files, TARGET)
        changed += [] if arguments.only else stale(files, TARGET)
        for path in changed:
            print(f"native/gen/{path} is not what the headers give; run `make gen`")
        return 1 if changed else 0
    write(files, TARGET)
    if not arguments.only:
        for path in stale(files, TARGET):
            (TARGET / path).unlink()
    _print_counts(generated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
