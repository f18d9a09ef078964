"""Dockerfile and development container, as far as they can be held to each other without Docker."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _stages() -> dict[str, str]:
    """Name -> its lines; the last one has none."""
    parts = re.split(r"^FROM ", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].partition(" AS ")[2]: part for part in parts}


def test_the_development_container_compiles_nothing_before_it_opens() -> None:
    told = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text("utf-8"))
    stage = _stages()[told["build"]["target"]]
    assert "g++" in stage
    assert "COPY" not in stage


def test_the_image_has_the_pytorch_of_the_tests() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    versions = re.search(r"^TORCH := (.+)$", makefile, flags=re.MULTILINE)
    assert versions is not None
    assert versions[1] in _stages()[""]
