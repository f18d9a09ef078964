"""Where things are in a clone."""

from pathlib import Path

import maya.estimate

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
# Fitted parameters are package data of maya.estimate.
PARAMETERS = Path(maya.estimate.__file__).resolve().parent / "data"
