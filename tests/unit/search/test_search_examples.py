"""The ready-made files load, and there is something to search in each."""

from pathlib import Path

import pytest
import yaml

from maya.recipe_search.engine import SearchOptions, iterate_commands, prepare

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    [*(ROOT / "examples/search").glob("*.yaml"), *(ROOT / "benchmarks/spaces").glob("*.yaml")]
)
NAMES = {"ddp", "deepspeed", "fsdp", "gpt2", "hf_trainer", "megatron", "torchtitan"}


def test_there_is_one_for_every_framework() -> None:
    assert {path.stem for path in FILES if path.parent.name == "search"} >= NAMES


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_file_loads_and_its_space_is_not_empty(path: Path, tmp_path: Path) -> None:
    state = prepare(path, SearchOptions(output=tmp_path, storage="sqlite://"))
    _, words = next(iterate_commands(state))
    assert len(state.space.points) >= (150 if path.parent.name == "spaces" else 10)
    assert not any("{" in word for word in words)
    script = next((word for word in words if word.endswith(".py")), None)
    directory = path.parent / yaml.safe_load(path.read_text())["directory"]
    assert script is None or (directory / script).exists()


def test_the_megatron_space_has_its_1920_combinations(tmp_path: Path) -> None:
    path = ROOT / "examples/search/megatron.yaml"
    state = prepare(path, SearchOptions(output=tmp_path, storage="sqlite://"))
    assert state.space.combinations == 1920
