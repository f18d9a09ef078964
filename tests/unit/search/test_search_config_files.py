"""Configuration files of the user's program, which a search edits."""

from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.recipe_search.space.config_files import read_config

_LEVELS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.yaml", f"a0: &a0 [x]\n{_LEVELS}", "counting aliases in full"),
        ("c.yaml", "[1, 2]", "holds no keys"),
        ("c.yaml", "", "holds no keys"),
        ("c.json", "[" * 100_000, "cannot read"),
        ("c.toml", "a = ", "cannot read"),
        ("c.ini", "a = 1", "is none of"),
    ],
    ids=["aliases", "list", "empty", "nested", "broken", "unknown"],
)
def test_a_file_that_cannot_be_edited_is_refused_by_name(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(MayaError, match=message) as refused:
        read_config(path)
    assert name in str(refused.value)
