"""Every class of kernel has a colour that no other has: a legend must tell them apart."""

import re
from pathlib import Path

import maya.page
from maya.families import table

ASSETS = Path(maya.page.__file__).parent / "assets"


def test_every_class_has_a_colour_of_its_own() -> None:
    text = (ASSETS / "format.js").read_text("utf-8").partition("COLOURS = {")[2].partition("}")[0]
    colours = dict(re.findall(r'"([^"]+)": "(#[0-9a-f]{6})"', text))
    classes = {row.kernel_class for row in table().families if row.kernel_class}
    assert classes
    assert classes <= colours.keys()
    assert len(set(colours.values())) == len(colours)
