"""Where things are in a clone."""

from pathlib import Path

from maya.estimate import chain

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
# Published measurements, as Parquet.
DATA = REPOSITORY / "workshop" / "data"
# Fitted parameters are package data of maya.estimate.
PARAMETERS = Path(chain.__file__).resolve().parent / "data"
