"""Knobs reach the command, the environment and configuration files."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from search_files import search_file, space_of

from maya.errors import MayaError
from maya.recipe_search.space.mapping import check_mapping, launch_of

PLAIN: dict[str, Any] = {"derived": {}, "constraints": []}


def last_launch(directory: Path, **changes: Any) -> Any:
    space = space_of(**(PLAIN | changes))
    check_mapping(space.file, directory)
    return launch_of(space, space.points[-1], directory)


def test_placeholders_take_knobs_constants_derived_and_cluster(tmp_path: Path) -> None:
    launch = last_launch(
        tmp_path,
        command="torchrun --nproc-per-node {per_node} --nnodes={nodes} t.py {tp} {both} {size}",
        knobs={"tp": {"choices": [1, 2]}},
        constants={"size": 3},
        derived={"both": "tp * size"},
    )
    words = ("torchrun", "--nproc-per-node", "8", "--nnodes=2", "t.py", "2", "6", "3")
    assert launch.command == words


def test_flags_are_replaced_added_and_switched(tmp_path: Path) -> None:
    launch = last_launch(
        tmp_path,
        command="python t.py --tp 1 --pp=1",
        knobs={
            "tp": {"choices": [4], "flag": "--tp"},
            "pp": {"choices": [2], "flag": "--pp"},
            "mb": {"choices": [8], "add_flag": "--mb"},
            "sp": {"choices": [True], "switch": "--sp"},
            "off": {"choices": [False], "switch": "--off"},
            "debug": {"choices": [True], "env": "DEBUG"},
        },
    )
    assert launch.command == ("python", "t.py", "--tp", "4", "--pp=2", "--mb", "8", "--sp")
    assert launch.env == {"DEBUG": "true"}


def test_a_knob_that_is_off_leaves_the_command_alone(tmp_path: Path) -> None:
    knob = {"choices": [2], "when": "gpus > 999", "otherwise": 1, "flag": "--tp"}
    launch = last_launch(tmp_path, command="python t.py --tp 7", knobs={"tp": knob})
    assert launch.command == ("python", "t.py", "--tp", "7")


CONFIGS = {
    "c.json": (json.dumps({"zero": {"stage": 1}, "keep": [1, "a"]}), json.loads),
    "c.yaml": ("zero:\n  stage: 1\nkeep: [1, a]\n", yaml.safe_load),
    "c.toml": ('keep = [1, "a"]\n[zero]\nstage = 1\n[[rows]]\nx = "\\""\n', tomllib.loads),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_configuration_files_are_edited_in_a_copy(name: str, tmp_path: Path) -> None:
    text, read = CONFIGS[name]
    (tmp_path / name).write_text(text)
    launch = last_launch(
        tmp_path,
        command=f"python t.py --config={name}",
        knobs={"stage": {"choices": [3], "file": {"path": name, "key": "zero.stage"}}},
    )
    words = launch.placed(tmp_path / "copy")
    assert words[-1] == f"--config={tmp_path}/copy/{name}"
    written = read((tmp_path / "copy" / name).read_text())
    assert written == read(text) | {"zero": {"stage": 3}}
    assert (tmp_path / name).read_text() == text


def refused(tmp_path: Path, knob: dict[str, Any], command: str = "python t.py c.json") -> str:
    with pytest.raises(MayaError) as error:
        check_mapping(search_file(command=command, knobs={"k": knob}, **PLAIN), tmp_path)
    return error.value.message


def test_mappings_that_reach_nothing_are_told(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"zero": {"stage": 1}}')
    one = {"choices": [1, 2]}
    assert "has no flag --tp" in refused(tmp_path, one | {"flag": "--tp"})
    assert "changes nothing" in refused(tmp_path, one)
    assert "{size}" in refused(tmp_path, one, "python t.py {k} {size}")
    edit = {"path": "c.json", "key": "zero.stages"}
    assert "'stages' is not among stage" in refused(tmp_path, one | {"file": edit})
    other = {"path": "d.json", "key": "zero.stage"}
    assert "names the file d.json" in refused(tmp_path, one | {"file": other})
