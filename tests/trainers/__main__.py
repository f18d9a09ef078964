"""`python tests/trainers`: runs the gallery and writes docs/trainers.md."""

import argparse
import sys
import tempfile
from pathlib import Path

from data import make_data
from outcome import keep, kept
from page import page
from run import Places, run_trainer
from table import HERE, read_table

_PAGE = HERE.parent.parent / "docs" / "trainers.md"


def main() -> int:
    """0 if every row that was asked for came out right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of rows; all where none is given")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "maya-trainers")
    parser.add_argument("--seconds", type=float, default=120.0, help="for one program")
    asked = parser.parse_args()
    table, places = read_table(), Places(asked.work.resolve(), asked.seconds)
    make_data(places.work / "data")
    rows = [row for row in table.trainers if not asked.names or row.name in asked.names]
    wrong = 0
    for row in rows:
        outcome = run_trainer(row, table, places)
        keep(outcome, places.results)
        wrong += not outcome.right
        print("right" if outcome.right else "WRONG", outcome, file=sys.stderr, flush=True)
    before = _PAGE.read_text("utf-8") if _PAGE.exists() else ""
    _PAGE.write_text(page(table, kept(places.results), before), "utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
