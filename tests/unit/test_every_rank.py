"""Every rank simulated: noise, slow nodes, and groups of ranks that were not launched."""

from pathlib import Path

import pytest
from run_facts import run_of, stand_ins, write_facts
from training_capture import FixedDurations, Script, training

from maya.analyze import Options, Prediction, predict, summary_of
from maya.cli.slow_nodes import slow_nodes
from maya.errors import MayaError
from maya.hardware import find_cluster
from maya.prediction import prediction_options
from maya.report import summary_lines
from maya.simulator import memory_need
from maya.simulator.counterparts import Counterparts
from maya.simulator.variation import Spread, Variation
from maya.trace import Capture
from maya.trace.roles import Roles, read_roles


def describe(directory: Path, representative: list[int], groups: list[list[int]]) -> None:
    write_facts(directory, ranks=stand_ins(representative))
    (directory / "representatives.txt").write_text(" ".join(map(str, representative)) + "\n")
    lines = [" ".join(map(str, group)) for group in groups]
    (directory / "groups.txt").write_text("\n".join(lines) + "\n")


def data_parallel(directory: Path, world: int) -> list[Capture]:
    """Rank 0 stands for all."""
    describe(directory, [0] * world, [list(range(world))])
    return [training(directory, world=world)]


def stages(directory: Path) -> list[Capture]:
    """Two stages of two replicas: ranks 0, 1 send to 2, 3; replicas are reduced."""
    groups = [[0, 1, 2, 3], [0, 1], [2, 3], [0, 2], [1, 3]]
    describe(directory, [0, 0, 2, 2], groups)
    captures = []
    for rank, op in ((0, "ncclSend"), (2, "ncclRecv")):
        script = Script(rank=rank, world=4)
        place, replicas = rank // 2, f"{rank},{rank + 1}"
        script.call(script.define("comm", 21, comm=1, rank=place, nranks=2, members="0,2"), a=70)
        script.call(
            script.define("comm", 21, comm=2, rank=0, nranks=2, members=replicas), a=80 + rank
        )
        fields = {"count": 1 << 20, "datatype": 7, "nranks": 2}
        message = script.define(op, 12, comm=1, peer=1 - place, rank=place, **fields)
        reduction = script.define("ncclAllReduce", 12, comm=2, rank=0, **fields)
        for piece in range(1, 7):
            script.call(script.gemm, stream=1)
            script.call(message, stream=1)
            script.call(script.kernel, stream=1)
            script.call(reduction, stream=1)
            script.call(script.boundary, a=piece, cpu_ns=0)
        script.steady(6, 4)
        captures.append(script.save(directory))
    return captures


def predicted(captures: list[Capture], cluster: str, variation: Variation) -> Prediction:
    options = Options(chain=FixedDurations(), variation=variation)
    return predict(run_of(captures), find_cluster(cluster), options)


def spread_of(captures: list[Capture], cluster: str, variation: Variation) -> Spread:
    spread = predicted(captures, cluster, variation).spread
    assert spread is not None
    return spread


@pytest.mark.parametrize("cluster", ["h100:8", "h100:4x2"])
def test_ranks_without_noise_take_what_one_of_them_takes(tmp_path: Path, cluster: str) -> None:
    prediction = predicted(data_parallel(tmp_path, 8), cluster, Variation())
    assert prediction.spread is not None
    assert prediction.spread.ranks == 8
    assert sum(prediction.spread.steps_ns) / 3 == prediction.step_ns
    assert len(prediction.spread.steps_ns) == 3


def test_stages_without_noise_take_what_their_representatives_take(tmp_path: Path) -> None:
    prediction = predicted(stages(tmp_path), "h100:2x2", Variation())
    assert prediction.spread is not None
    assert sum(prediction.spread.steps_ns) / prediction.steps == prediction.step_ns


def test_launched_ranks_are_simulated_the_same(tmp_path: Path) -> None:
    captures = [training(tmp_path, rank=rank, world=2) for rank in range(2)]
    prediction = predicted(captures, "h100:2", Variation())
    assert prediction.spread is not None
    assert sum(prediction.spread.steps_ns) / 3 == prediction.step_ns


def test_slow_node_slows_all_that_wait_for_it(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 8)
    even = spread_of(captures, "h100:4x2", Variation())
    slow = spread_of(captures, "h100:4x2", Variation(slow_nodes=((1, 2.0),)))
    both = spread_of(captures, "h100:4x2", Variation(slow_nodes=((0, 2.0), (1, 2.0))))
    assert slow.median_ns > even.median_ns * 1.3
    assert slow.steps_ns == both.steps_ns


def test_slow_stage_slows_the_other(tmp_path: Path) -> None:
    captures = stages(tmp_path)
    even = spread_of(captures, "h100:2x2", Variation())
    slow = spread_of(captures, "h100:2x2", Variation(slow_nodes=((1, 3.0),)))
    assert slow.median_ns > even.median_ns * 1.5


def test_noise_costs_time_because_ranks_wait_for_the_last(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 8)
    even = spread_of(captures, "h100:8", Variation())
    noisy = spread_of(captures, "h100:8", Variation(jitter=0.1, trials=20))
    assert noisy.median_ns > even.median_ns
    assert noisy.p95_ns >= noisy.median_ns
    assert len(noisy.steps_ns) == 60
    assert min(noisy.steps_ns) != max(noisy.steps_ns)


def test_same_seed_gives_the_same_steps(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 4)
    first, again, other = (
        spread_of(captures, "h100:4", Variation(jitter=0.05, seed=seed, trials=3))
        for seed in (7, 7, 8)
    )
    assert first.steps_ns == again.steps_ns
    assert first.steps_ns != other.steps_ns


def test_noise_is_unbiased(tmp_path: Path) -> None:
    alone = spread_of(data_parallel(tmp_path, 1), "h100:1", Variation(jitter=0.1, trials=300))
    quiet = spread_of([training(tmp_path)], "h100:1", Variation())
    mean = sum(alone.steps_ns) / len(alone.steps_ns)
    assert mean == pytest.approx(quiet.median_ns, rel=0.01)


def test_p95_is_what_95_percent_do_not_exceed() -> None:
    assert Spread(Variation(), 1, tuple(range(1, 101))).p95_ns == 95
    assert Spread(Variation(), 1, (5,)).p95_ns == 5


def test_summary_says_what_was_varied(tmp_path: Path) -> None:
    captures = data_parallel(tmp_path, 8)
    variation = Variation(jitter=0.02, slow_nodes=((1, 1.5),), seed=3, trials=2)
    prediction = predicted(captures, "h100:4x2", variation)
    summary = summary_of(prediction, run_of(captures))
    every = summary.every_rank
    assert every is not None
    assert summary.step is not None
    assert (every.ranks, every.seed, every.trials, every.samples) == (8, 3, 2, 6)
    assert every.slow_nodes == {"1": 1.5}
    assert every.p95_ms >= every.median_ms > summary.step.time_ms
    assert every.slowdown == pytest.approx(every.median_ms / summary.step.time_ms - 1)
    (line,) = [line for line in summary_lines(summary) if line.startswith("every rank")]
    assert "jitter 2.0%, node 1 1.5x slower; 8 ranks, 6 steps" in line


def test_groups_of_other_ranks_are_those_at_the_same_place() -> None:
    # Two stages (0-3, 4-7) of tensor pairs and data pairs; the world first.
    groups = [
        tuple(range(8)),
        *((0, 1), (2, 3), (4, 5), (6, 7)),
        *((0, 2), (1, 3), (4, 6), (5, 7)),
        *((0, 4), (1, 5), (2, 6), (3, 7)),
    ]
    found = Counterparts(Roles((0, 0, 0, 0, 4, 4, 4, 4), tuple(groups)))

    def other(group: tuple[int, ...], representative: int, rank: int) -> tuple[int, ...]:
        return found.groups[found.of(group, representative, rank)]

    assert other((0, 1), 0, 1) == (0, 1)
    assert other((0, 1), 0, 3) == (2, 3)
    assert other((0, 2), 0, 3) == (1, 3)
    assert other((0, 4), 0, 3) == (3, 7)
    assert other((0, 4), 4, 7) == (3, 7)
    assert other(tuple(range(8)), 4, 7) == tuple(range(8))


def test_pair_within_a_group_keeps_its_places() -> None:
    found = Counterparts(Roles((0, 0, 2, 2, 4, 4), ((0, 2, 4), (1, 3, 5))))
    assert found.groups[found.of((2, 4), 2, 3)] == (3, 5)


def test_groups_that_cannot_be_known_are_refused() -> None:
    found = Counterparts(Roles((0, 0), ()))
    with pytest.raises(MayaError, match="groups of rank 1 are not known"):
        found.of((0,), 0, 1)


def test_run_that_does_not_say_who_is_like_whom_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        MayaError, match="does not say which launched rank each of the 4 ranks is like"
    ):
        read_roles(tmp_path, 4, (0,))
    (tmp_path / "representatives.txt").write_text("0 0 zero\n")
    with pytest.raises(MayaError, match="cannot read"):
        read_roles(tmp_path, 4, (0,))


def test_options_ask_for_every_rank() -> None:
    assert prediction_options().variation is None
    assert prediction_options(every_rank=True).variation == Variation()
    told = prediction_options(slow_node=slow_nodes(["3=1.2"]), seed=1, trials=2)
    assert told.variation == Variation(0.0, ((3, 1.2),), 1, 2)


@pytest.mark.parametrize("text", ["", "3", "=1.2", "a=1", "3=0", "3=-1", "-1=2", "3=nan"])
def test_bad_slow_node_is_refused(text: str) -> None:
    with pytest.raises(MayaError, match="is no NODE=FACTOR"):
        slow_nodes([text])


def test_slow_node_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match=r"no node 2 to be slow: h100:4x2 has nodes 0 to 1"):
        spread_of(data_parallel(tmp_path, 8), "h100:4x2", Variation(slow_nodes=((2, 2.0),)))


def test_ranks_that_do_not_fit_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captures = data_parallel(tmp_path, 8)
    monkeypatch.setattr(memory_need, "available_bytes", lambda: 1000)
    with pytest.raises(MayaError, match="each of 8 ranks takes up to"):
        spread_of(captures, "h100:8", Variation())
    monkeypatch.setattr(memory_need, "available_bytes", lambda: None)  # nobody can tell
    assert spread_of(captures, "h100:8", Variation()).ranks == 8
