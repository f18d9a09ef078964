"""Which ranks are launched, and who stands for whom."""

from pathlib import Path

import pytest

from maya.emulator.explain import explain_plan
from maya.emulator.plan import parse_ranks, plan_chosen, plan_from_partners, plan_one
from maya.emulator.structure import Structure, label_ranks
from maya.errors import MayaError
from maya.rundir import RankFacts


def test_one_rank_stands_for_all() -> None:
    plan = plan_one(1024)
    assert plan.launched == (0,)
    assert plan.weights == {0: 1024}
    assert plan.text == "launching 1 of 1,024 ranks: all do the same"


def test_ranks_are_read_as_people_write_them() -> None:
    assert parse_ranks("0, 8,16-18") == (0, 8, 16, 17, 18)
    with pytest.raises(MayaError, match="no rank"):
        parse_ranks("0,x")
    with pytest.raises(MayaError, match="ranks 0 to 7"):
        plan_chosen(8, (0, 8), "as asked")


def test_messages_in_a_group_launch_the_group() -> None:
    plan = plan_from_partners(64, (0,), [(16, (0, 16, 32, 48))])
    assert plan.launched == (0, 16, 32, 48)
    assert plan.text == "launching 4 of 64 ranks: one per pipeline stage"
    assert plan_from_partners(4, (0,), [(1, (0, 1))]).launched == (0, 1)


def test_messages_in_the_whole_job_are_followed_in_equal_steps() -> None:
    assert plan_from_partners(8, (0,), [(2, tuple(range(8)))]).launched == (0, 2, 4, 6)
    assert plan_from_partners(4, (0,), [(1, (0, 1, 2, 3))]).launched == (0, 1, 2, 3)


def test_groups_tell_who_is_alike() -> None:
    # 2 stages x 2 data x 2 tensor ranks; stages are launched as 0 and 4.
    tensor = [(0, 1), (2, 3), (4, 5), (6, 7)]
    data = [(0, 2), (1, 3), (4, 6), (5, 7)]
    stages = [(0, 4), (1, 5), (2, 6), (3, 7)]
    everybody = [tuple(range(8))]
    labels = label_ranks((0, 4), [*everybody, *stages, *tensor, *data])
    assert labels == {0: 0, 1: 0, 2: 0, 3: 0, 4: 4, 5: 4, 6: 4, 7: 4}
    # Interleaved the other way round: stages are neighbours.
    labels = label_ranks((0, 1), [*everybody, *stages, *tensor, *data])
    assert labels == {0: 0, 2: 0, 4: 0, 6: 0, 1: 1, 3: 1, 5: 1, 7: 1}


def test_refining_keeps_what_groups_do_not_tell() -> None:
    plan = plan_chosen(8, (0, 4), "as asked")
    assert Structure((), ()).refine(plan) == plan
    assert Structure(((0, 2, 4, 6), (0, 1)), ()).refine(plan).representative[1] == 0


def test_the_plan_is_explained(tmp_path: Path) -> None:
    (tmp_path / "groups.txt").write_text("0 1 2 3\n0 2\n1 3\n", encoding="ascii")
    about = RankFacts(4, 2, 2, "torchrun", (0, 2), {0: 2, 2: 2}, "one per pipeline stage")
    lines = explain_plan(tmp_path, about)
    assert lines[0] == "torchrun would start 4 ranks: 2 node(s) with 2 each"
    assert lines[1] == "launched: rank 0, 2 (2 of 4): one per pipeline stage"
    assert lines[2] == "rank 0 stands for 2; rank 2 stands for 2"
    assert lines[3] == "groups that the program declared: 2 of 2 ranks, 1 of 4 ranks"
