"""--routing: what a person types and what the native core reads."""

from pathlib import Path

import pytest

from maya.emulator.routing import routing_policy
from maya.errors import MayaError


@pytest.mark.parametrize(
    ("typed", "read"),
    [("balanced", "balanced"), ("zipf", "zipf:1"), ("zipf:0.5", "zipf:0.5")],
)
def test_named_policies(typed: str, read: str) -> None:
    assert routing_policy(typed) == read


def test_a_file_gives_a_weight_for_every_expert(tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    file.write_text("3, 1\n2 0.5\n")
    assert routing_policy(str(file)) == "weights:3,1,2,0.5"


@pytest.mark.parametrize("text", ["zipf:x", "zipf:-1", "zipf:inf", "even", "balanced:2"])
def test_an_unknown_policy_is_refused_with_the_choices(text: str) -> None:
    with pytest.raises(MayaError, match="--routing") as caught:
        routing_policy(text)
    assert "balanced" in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["0 0", "", "1 two", "nan"])
def test_a_file_without_usable_weights_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    file.write_text(text)
    with pytest.raises(MayaError, match="--routing"):
        routing_policy(str(file))
