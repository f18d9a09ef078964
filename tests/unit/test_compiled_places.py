"""Compiled kernels keep the module and line of the operators that they were made of."""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

INSIDE = Path(__file__).parents[2] / "src/maya/emulator/inside"
LAYER = "L['self']._modules['layers']._modules['0']"


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(INSIDE))
    from maya_inside import compiled_places

    return compiled_places


def _node(module: str, line: int, *, key: str = "nn_module_stack", note: str = "") -> Any:
    trace = f'  File "/home/me/model.py", line {line}, in forward\n    x = f(x)\n'
    trace += '  File "/opt/lib/site-packages/torch/nn/functional.py", line 9, in gelu\n' + note
    stack = {"1": ("L['self']", object), "2": (module, object)} if module else {}
    return SimpleNamespace(op="call_function", meta={key: stack, "stack_trace": trace})


def _comment(places: ModuleType, nodes: list[Any]) -> str:
    def metadata(schedule: Any, wrapper: Any) -> tuple[str, str]:
        return "# Source Nodes: [gelu]", "# details"

    utils = SimpleNamespace(get_kernel_metadata=metadata, aggregate_origins=lambda nodes: nodes)
    places.activate(utils)
    first, details = utils.get_kernel_metadata(nodes, None)
    assert first.startswith("# Source Nodes: [gelu]")
    assert details == "# details"
    assert "\n" not in first
    return str(first)


def _read(places: ModuleType, directory: Path, comment: str, launch: int = 4) -> Any:
    code = directory / "torchinductor" / "code.py"
    code.parent.mkdir()
    code.write_text(
        f"def call(args):\n    buf0 = empty_strided_cuda((1,))\n    {comment}\n    f.run(buf0)\n"
    )
    return places.place_at(str(code), launch)


def test_a_launch_has_the_place_that_inductors_nodes_know(
    places: ModuleType, tmp_path: Path
) -> None:
    comment = _comment(places, [_node(f"{LAYER}.norm", 12)])
    found = _read(places, tmp_path, comment)
    assert found == ("layers.0.norm", "/home/me/model.py:12 (forward)")


def test_an_allocation_belongs_to_the_launch_behind_it(places: ModuleType, tmp_path: Path) -> None:
    comment = _comment(places, [_node(f"{LAYER}.norm", 12)])
    assert _read(places, tmp_path, comment, launch=2).module == "layers.0.norm"


def test_fused_kernels_name_every_module_the_greatest_part_first(
    places: ModuleType, tmp_path: Path
) -> None:
    nodes = [_node(f"{LAYER}.norm", 12), _node(f"{LAYER}.up", 13), _node(f"{LAYER}.up", 13)]
    found = _read(places, tmp_path, _comment(places, nodes))
    assert found == ("layers.0.up + layers.0.norm", "/home/me/model.py:13 (forward)")


def test_backward_work_has_the_module_of_its_forward(places: ModuleType, tmp_path: Path) -> None:
    node = _node("L['self'].head", 20, key="fwd_nn_module_stack")
    assert _read(places, tmp_path, _comment(places, [node])).module == "head"


def test_sums_of_gradients_do_not_add_a_module(places: ModuleType, tmp_path: Path) -> None:
    added = _node("L['self'].head", 20, note="Gradient addition node due to multiple use\n")
    comment = _comment(places, [added, _node(f"{LAYER}.norm", 12)])
    assert _read(places, tmp_path, comment).module == "layers.0.norm"


def test_code_without_such_comments_tells_nothing(places: ModuleType, tmp_path: Path) -> None:
    assert _read(places, tmp_path, "# Source Nodes: [gelu]") is None
    assert places.place_at("/home/me/model.py", 3) is None
