"""Pipeline stages that are not launched, because what they do follows from others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pipeline_captures import pipeline
from run_facts import run_of, write_facts
from training_capture import FixedDurations

from maya.analyze import Options, Prediction, predict, summary_of
from maya.emulator.plan import plan_all, plan_stages, with_derived
from maya.emulator.stages import is_chain, worth_it
from maya.emulator.structure import Structure
from maya.hardware import find_cluster
from maya.rundir import RankFacts, StageFacts
from maya.simulator.stages.derive import Stages, UnequalStagesError
from maya.simulator.stages.loops import fold, unfold
from maya.simulator.stages.reader import StageReader
from maya.simulator.stages.words import Alphabet, Word
from maya.simulator.steps import find_windows
from maya.trace import Capture

CHAIN = tuple(range(12))
FACTS = StageFacts(CHAIN, CHAIN[1:-1])
MICRO_BATCHES = 20


def word(text: str, detail: str = "") -> Word:
    letters = np.frombuffer(text.encode(), np.uint8).astype(np.uint64)
    in_detail = np.array([letter in detail for letter in text], np.bool_)
    return Word(letters, np.arange(len(text) + 1), np.zeros(len(text), np.bool_), in_detail)


def launched_of(captures: list[Capture], facts: StageFacts) -> list[Capture]:
    return [captures[rank] for rank in facts.needed]


def ranks_of(facts: StageFacts) -> RankFacts:
    stand = dict.fromkeys((*facts.needed, *facts.derived), 1)
    return RankFacts(len(facts.chain), 2, 8, "torchrun", facts.needed, stand, "", stages=facts)


def predicted(captures: list[Capture], facts: StageFacts | None) -> Prediction:
    directory = captures[0].path.parent
    write_facts(directory, ranks=ranks_of(facts) if facts else None)
    run = run_of(captures)
    if facts is None:
        run = replace(run, facts=None)
    options = Options(chain=FixedDurations())
    return predict(run, find_cluster("h100:8x2"), options)


def test_a_word_is_folded_into_loops_and_written_with_other_numbers_of_turns() -> None:
    loops = fold(word("xababababcdcdy"))
    assert [(len(loop.body), loop.count) for loop in loops] == [(1, 1), (2, 4), (2, 2), (1, 1)]
    places = unfold(loops, [1, 2, 3, 1])
    assert "".join("xababababcdcdy"[at] for at in places) == "xababcdcdcdy"


def test_letters_in_detail_are_folded_by_themselves() -> None:
    loops = fold(word("abab" + "pqr" * 20 + "abab", detail="pqr"))
    assert [(len(loop.body), loop.count) for loop in loops] == [(2, 2), (3, 20), (2, 2)]


def test_two_neighbours_and_a_witness_at_each_end_are_launched() -> None:
    assert FACTS.needed == (0, 1, 5, 6, 10, 11)
    assert FACTS.derived == (2, 3, 4, 7, 8, 9)


def test_a_stage_unlike_the_others_is_launched_too() -> None:
    facts = StageFacts(CHAIN, (1, 2, 3, 4, 5, 6, 7, 9, 10))
    assert 8 in facts.needed
    assert facts.neighbours == (5, 6)


def test_no_two_neighbours_alike_means_that_all_are_launched() -> None:
    assert not worth_it(StageFacts(CHAIN, (1, 3, 5, 7, 9)))
    assert worth_it(FACTS)


def test_derived_stages_predict_what_all_predict(tmp_path: Path) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES)
    whole = predicted(captures, None)
    few = predicted(launched_of(captures, FACTS), FACTS)
    assert few.step_ns == whole.step_ns
    assert len(few.job.captures) == len(CHAIN)
    assert len(few.memory) == len(FACTS.needed)
    assert few.flops == whole.flops


def test_the_summary_says_how_many_stages_follow(tmp_path: Path) -> None:
    captures = launched_of(pipeline(tmp_path, len(CHAIN), MICRO_BATCHES), FACTS)
    prediction = predicted(captures, FACTS)
    notes = summary_of(prediction, run_of(captures)).notes
    assert any(note.startswith("6 of 12 pipeline stages were not launched") for note in notes)


def test_a_derived_stage_asks_for_what_the_launched_one_does(tmp_path: Path) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES)
    alphabet = Alphabet()
    for made in Stages(launched_of(captures, FACTS), FACTS).derived():
        own = captures[made.header.rank]
        windows = find_windows([made, own])
        one, other = (
            alphabet.spell(capture, window.begin, window.end)
            for capture, window in zip((made, own), windows, strict=True)
        )
        assert np.array_equal(one.letters, other.letters)
        assert np.all(np.diff(made.events["start_ns"].astype(np.int64)) >= 0)


def test_every_wait_of_a_derived_stage_is_for_a_record_before_it(tmp_path: Path) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES)
    for made in Stages(launched_of(captures, FACTS), FACTS).derived():
        recorded = set()
        for event in made.events.tolist():
            operation = made.definition(event[0]).op
            if operation == "record":
                assert event[6:] not in recorded
                recorded.add(event[6:])
            if operation == "wait":
                assert event[6:] in recorded


def test_stages_that_follow_from_each_other_are_confirmed(tmp_path: Path) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES)
    assert StageReader().confirmed(captures[0].path.parent, FACTS)


@pytest.mark.parametrize("larger", [1, 10])
def test_a_witness_that_does_something_else_is_noticed(tmp_path: Path, larger: int) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES, larger)
    with pytest.raises(UnequalStagesError):
        Stages(launched_of(captures, FACTS), FACTS).confirm()
    assert not StageReader().confirmed(tmp_path, FACTS)


def test_neighbours_that_differ_are_noticed(tmp_path: Path) -> None:
    captures = pipeline(tmp_path, len(CHAIN), MICRO_BATCHES, larger=5)
    with pytest.raises(UnequalStagesError):
        Stages(launched_of(captures, FACTS), FACTS).derived()


def test_the_first_micro_batch_tells_who_is_alike(tmp_path: Path) -> None:
    pipeline(tmp_path, len(CHAIN), MICRO_BATCHES, larger=4)
    reader = StageReader()
    assert reader.have_begun(tmp_path, CHAIN)
    assert reader.alike(tmp_path, CHAIN) == tuple(r for r in CHAIN[1:-1] if r != 4)


def test_stages_of_a_job_with_replicas_stand_for_their_own() -> None:
    stages = StageFacts(tuple(range(0, 48, 4)), tuple(range(4, 44, 4)))
    plan = plan_stages(plan_all(48), stages)
    assert plan.launched == stages.needed
    whole = with_derived(plan, stages)
    assert whole.launched == stages.needed
    assert whole.recorded == stages.chain
    assert whole.representative[9] == 8


def test_only_a_chain_of_enough_stages_is_tried() -> None:
    alone = Structure((), ((1, CHAIN),))
    assert is_chain(CHAIN, alone, {})
    assert not is_chain(CHAIN[:8], Structure((), ((1, CHAIN[:8]),)), {})
    assert is_chain(CHAIN[:8], Structure((), ((1, CHAIN[:8]),)), {"MAYA_EQUAL_STAGES": "8"})
    assert not is_chain(CHAIN, alone, {"MAYA_EQUAL_STAGES": "0"})
    assert not is_chain((0, 1, *CHAIN[4:]), alone, {})
