"""Which of Inductor's candidates is compiled where none can be timed."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

INSIDE = Path(__file__).resolve().parents[2] / "src/maya/emulator/inside"


@pytest.fixture
def inductor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(INSIDE))
    loaded = set(sys.modules)
    from maya_inside import inductor as module

    yield module
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def candidate(**sides: int) -> Any:
    return SimpleNamespace(kwargs=sides)


class Heuristics:
    """As much of torch._inductor.runtime.triton_heuristics as is needed."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def cached_autotune(self, size_hints: Any, configs: list[Any], **options: Any) -> None:
        self.seen.append({"blocks": [config.kwargs for config in configs], **options})


@pytest.mark.parametrize(("row", "chosen"), [(512, 1), (64, 8), (16, 32), (2, 128)])
def test_short_rows_share_a_block(inductor: Any, row: int, chosen: int) -> None:
    configs = [candidate(XBLOCK=rows) for rows in (1, 8, 32, 128)]
    assert inductor.likely(configs, row).kwargs == {"XBLOCK": chosen}


def test_blocks_that_are_long_either_way_are_preferred(inductor: Any) -> None:
    tiles = [(32, 32), (64, 64), (256, 16), (1024, 1)]
    configs = [candidate(XBLOCK=x, YBLOCK=y) for x, y in tiles]
    assert inductor.likely(configs, None) is configs[1]
    lines = [candidate(XBLOCK=1024), candidate(XBLOCK=512)]
    assert inductor.likely(lines, None) is lines[0]


def test_rows_are_those_of_reductions_that_keep_them_whole(inductor: Any) -> None:
    hints = {"x": 4096, "r0_": 64, "r1_": 2}
    assert inductor.row_elements(hints, "PERSISTENT_REDUCTION") == 128
    assert inductor.row_elements([4096, 64], "PERSISTENT_REDUCTION") == 64
    assert inductor.row_elements(hints, "REDUCTION") is None


def test_one_candidate_is_left_but_for_those_that_a_user_wrote(inductor: Any) -> None:
    module = Heuristics()
    inductor.activate(module)
    configs = [candidate(XBLOCK=1), candidate(XBLOCK=8)]
    meta = {"coordinate_descent_tuning": True}
    for kind in ("POINTWISE", "PERSISTENT_REDUCTION", "USER_AUTOTUNE"):
        kept = {"heuristic_type": SimpleNamespace(name=kind), "inductor_meta": meta}
        module.cached_autotune({"x": 64, "r0_": 512}, configs=configs, **kept)
    left = [[block["XBLOCK"] for block in call["blocks"]] for call in module.seen]
    assert left == [[8], [1], [1, 8]]
    searches = [call["inductor_meta"]["coordinate_descent_tuning"] for call in module.seen]
    assert searches == [False, False, True]
