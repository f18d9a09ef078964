"""Which candidate under triton.autotune is built where none can be timed."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

INSIDE = Path(__file__).resolve().parents[2] / "src/maya/emulator/inside"


@pytest.fixture
def autotune(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(INSIDE))
    loaded = set(sys.modules)
    from maya_inside import autotune as module

    yield module
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def candidate(warps: int = 4, stages: int = 3, **sides: int) -> Any:
    return SimpleNamespace(kwargs=sides, num_warps=warps, num_stages=stages)


class Autotuner:
    """As much of Triton's as is needed: it knows what the device has room for."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.built: list[int] = []

    def prune_configs(self, configs: list[Any]) -> list[Any]:
        return configs

    def _bench(self, config: Any) -> list[float]:
        if config.kwargs["BLOCK"] > self.room:
            return [math.inf] * 3
        return self.do_bench(lambda: self.built.append(config.kwargs["BLOCK"]), quantiles=(0.5,))

    def do_bench(self, call: Any, quantiles: Any) -> list[float]:
        raise AssertionError("times of no device are taken")

    def tune(self, configs: list[Any]) -> Any:
        times = {id(config): self._bench(config=config) for config in self.prune_configs(configs)}
        return min(configs, key=lambda config: times[id(config)])


@pytest.mark.parametrize(("room", "built"), [(4096, 1024), (512, 512)])
def test_the_likeliest_that_the_device_has_room_for_is_built(
    autotune: Any, room: int, built: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Autotuner, "_bench", Autotuner._bench)
    monkeypatch.setattr(Autotuner, "prune_configs", Autotuner.prune_configs)
    autotune.activate(SimpleNamespace(Autotuner=Autotuner))
    tuner = Autotuner(room)
    for _ in range(2):  # another key is tuned anew
        chosen = tuner.tune([candidate(BLOCK=size) for size in (128, 512, 1024, 4096)])
        assert chosen.kwargs["BLOCK"] == built
    assert tuner.built == [built, built]


def test_products_take_square_tiles_and_warps_to_match(autotune: Any) -> None:
    tiles = [(64, 32), (64, 256), (128, 128), (256, 256)]
    configs = [
        candidate(warps, BLOCK_M=m, BLOCK_N=n, BLOCK_K=32, GROUP_M=8)
        for m, n in tiles
        for warps in (1, 2, 8)
    ]
    best = autotune.by_likelihood(configs)[0]
    assert best.num_warps == 8
    assert best.kwargs["BLOCK_M"] * best.kwargs["BLOCK_N"] == 128 * 128


def test_without_blocks_to_choose_four_warps_and_three_stages_are_usual(autotune: Any) -> None:
    configs = [candidate(warps, stages) for warps in (1, 4, 16) for stages in (1, 3, 5)]
    best = autotune.by_likelihood(configs)[0]
    assert (best.num_warps, best.num_stages) == (4, 3)
