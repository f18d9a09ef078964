"""Samples and tokens of a step, from what the program fed to its model."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import DIMENSIONS, FixedDurations, Script

from maya.analyze import Options, predict, summary_of
from maya.analyze.batch import Batch
from maya.hardware import find_cluster
from maya.report.text import summary_lines
from maya.trace import Capture, collect

LOOKUP = "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_illllb"
STEPS = 3
_AUTOGRAD = 2
Piece = tuple[str, ...]


def batch_of(directory: Path, *pieces: Piece) -> Batch:
    """Of steps that do these things, the last of them in every further step."""
    record(directory, *pieces)
    chain = Options(chain=FixedDurations())
    return predict(run_of([_read(directory)]), find_cluster("h100:1"), chain).batch


def _read(directory: Path) -> Capture:
    return collect(directory).captures[0]


def record(directory: Path, *pieces: Piece) -> None:
    script = Script()
    script.define("thread", 23, number=_AUTOGRAD, name="pt_autograd_0")
    made: dict[str, int] = {
        "lookup": script.define("kernel", 1, kernel=LOOKUP, **DIMENSIONS, blob=b"\0" * 65),
        "attention": script.define("cudnn_attention_fwd", 2, b=4, h_q=2, s_q=128, d_qk=64),
        "gemm": script.gemm,
        "backward": script.gemm,
        "kernel": script.kernel,
    }
    for piece in range(STEPS + 2):
        script.call(script.kernel, stream=1)
        if piece:
            script.call(script.boundary, a=piece, cpu_ns=0)
        for word in pieces[min(max(piece - 1, 0), len(pieces) - 1)]:
            number = made.get(word) or made.setdefault(word, _feed(script, word))
            on_device = not word.startswith(("load", "int", "float"))
            thread = _AUTOGRAD if word == "backward" else 1
            script.call(number, stream=int(on_device), thread=thread)
    script.call(script.kernel, stream=1)
    script.call(script.boundary, a=STEPS + 2, cpu_ns=0)
    script.steady(STEPS + 2, STEPS)
    script.save(directory)


def _feed(script: Script, word: str) -> int:
    """`load 1 16 graphs` of loader 1, or `float 16 3 8 8`."""
    kind, *rest = word.split()
    if kind == "copy":
        return script.define("memcpy", 3, bytes=int(rest[0]), direction=1)
    if kind == "load":
        loader, samples, unit = rest
        told = {"loader": int(loader), "samples": int(samples), "unit": unit}
        return script.define("fed_batch", 25, **told)
    sizes = [*map(int, rest)]
    elements = 1
    for size in sizes:
        elements *= size
    first, second, *_ = [*sizes, 1, 1]
    return script.define(
        "fed_tensor",
        25,
        dimensions=len(sizes),
        size_0=first,
        size_1=second,
        elements=elements,
        is_integer=int(kind == "int"),
    )


def test_a_loader_tells_its_samples_whatever_the_model_makes_of_them(tmp_path: Path) -> None:
    piece = ("load 1 16 samples", "float 16 3 64 64", "int 16", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=16)


def test_micro_batches_of_a_loader_add_up(tmp_path: Path) -> None:
    piece = ("load 1 16 samples", "float 16 8", "gemm") * 4
    assert batch_of(tmp_path, piece) == Batch(samples=64)


def test_rows_of_integers_that_are_attended_to_are_text(tmp_path: Path) -> None:
    ids = ("int 8 128", "int 8 128", "int 8")
    piece = ("load 1 8 samples", *ids, "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=8, tokens=1024)


def test_rows_that_hold_inputs_and_labels_are_a_token_longer_than_what_is_read(
    tmp_path: Path,
) -> None:
    piece = ("int 12 129", "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=12, tokens=12 * 128)


def test_text_without_a_loader_is_counted_by_its_copies(tmp_path: Path) -> None:
    piece = ("int 12 128", "int 12 128", "attention", "gemm") * 2
    assert batch_of(tmp_path, piece) == Batch(samples=24, tokens=24 * 128)


def test_tables_of_different_lengths_leave_tokens_unknown(tmp_path: Path) -> None:
    piece = ("load 1 8 samples", "int 8 128", "int 8 64", "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=8)


def test_two_texts_of_one_length_are_not_counted_as_one(tmp_path: Path) -> None:
    """Pairs of sentences, each with its mask; the same sizes could be all of one text."""
    piece = ("load 1 8 samples", *["int 8 128"] * 4, "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=8)


def test_numbers_of_tables_are_not_text(tmp_path: Path) -> None:
    """As in recommendation: looked up, but neither attended to nor predicted."""
    piece = ("load 1 64 samples", "float 64 13", "int 64 26", "lookup", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=64)


def test_a_loader_that_ran_dry_in_the_last_step_counts(tmp_path: Path) -> None:
    """Programs that fetch one batch ahead have none to fetch at the end."""
    step = ("load 1 16 samples", "float 16 8", "gemm")
    assert batch_of(tmp_path, step, step, step, step[1:]) == Batch(samples=16)


def test_the_rest_of_a_data_set_is_no_usual_step(tmp_path: Path) -> None:
    step, rest = ("load 1 16 samples", "gemm"), ("load 1 4 samples", "gemm")
    assert batch_of(tmp_path, step, step, step, rest) == Batch(samples=16)


def test_a_loader_that_fetches_ahead_is_counted_over_the_epoch(tmp_path: Path) -> None:
    load, work = "load 1 16 samples", ("float 16 8", "gemm")
    steps = [(*[load] * count, *work, *work) for count in (2, 3, 2, 1)]
    assert batch_of(tmp_path, *steps) == Batch(samples=32)


def test_an_observation_is_no_batch_where_more_comes_from_the_host_unseen(tmp_path: Path) -> None:
    piece = ("float 1 4", "copy 2048", "gemm")
    assert batch_of(tmp_path, piece) == Batch()


def test_micro_batches_that_are_moved_before_all_work_are_told_apart(tmp_path: Path) -> None:
    moved = ("load 1 8 samples", "int 8 128", "int 8 128")
    piece = (*moved, *moved, "lookup", "attention", "gemm", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=16, tokens=2048)


def test_pairs_of_a_loader_are_samples_although_twice_as_many_rows_are_fed(tmp_path: Path) -> None:
    piece = ("load 1 8 samples", "int 16 128", "int 16 128", "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=8, tokens=2048)


def test_prompts_are_not_the_tokens_of_a_step_that_attends_to_more(tmp_path: Path) -> None:
    piece = ("load 1 8 samples", "int 8 24", "lookup", "attention", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=8)


def test_an_evaluation_between_two_steps_is_not_counted(tmp_path: Path) -> None:
    step = ("load 1 16 samples", "float 16 8", "gemm")
    evaluation = ("load 2 100 samples", "float 100 8", "gemm") * 6
    assert batch_of(tmp_path, (*step, *evaluation), step, step) == Batch(samples=16)


def test_an_evaluation_in_every_step_is_told_by_its_lack_of_a_backward_pass(
    tmp_path: Path,
) -> None:
    step = ("load 1 16 samples", "int 16 128", "lookup", "attention", "gemm", "backward")
    evaluation = ("load 2 16 samples", "int 16 64", "lookup", "attention", "gemm")
    assert batch_of(tmp_path, (*step, *evaluation)) == Batch(samples=16, tokens=2048)


def test_text_is_counted_although_its_loader_is_a_batch_ahead_of_an_evaluation(
    tmp_path: Path,
) -> None:
    """accelerate fetches the next batch before it hands on the one that it has just moved."""
    work = ("lookup", "attention", "gemm", "backward")
    step = ("int 16 128", "load 1 16 samples", *work)
    evaluation = ("load 2 8 samples", "int 8 128", *work[:-1])
    steps = [step, step, (*evaluation * 2, *step)]
    assert batch_of(tmp_path, *steps) == Batch(samples=16, tokens=2048)


def test_batches_that_come_together_are_trained_on_together(tmp_path: Path) -> None:
    step = ("load 1 16 samples", "load 2 8 samples", "float 16 8", "gemm", "backward")
    assert batch_of(tmp_path, step) == Batch(samples=24)


def test_two_batches_ahead_at_the_start_of_an_epoch_are_counted_over_it(tmp_path: Path) -> None:
    load, work = "load 1 16 samples", ("float 16 8", "gemm", "backward")
    evaluation = ("load 2 16 samples", "float 16 8", "gemm")
    ends = [(*evaluation * 5, *[load] * 4, *work * 2), (load, load, *work * 2), (*work * 2,)]
    steps = [(*step, evaluation[0]) if step is ends[2] else step for step in ends]
    assert batch_of(tmp_path, steps[0], *steps) == Batch(samples=32)


def test_loaders_made_anew_in_each_epoch_are_one(tmp_path: Path) -> None:
    steps = [(f"load {loader} 16 samples", "float 16 8", "gemm") for loader in (1, 1, 2, 2, 3)]
    assert batch_of(tmp_path, *steps) == Batch(samples=16)


def test_a_loader_that_hands_on_whole_batches_is_seen_through(tmp_path: Path) -> None:
    piece = ("load 1 1 samples", "float 128 13", "int 26 128", "float 128 1", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=128)


def test_single_pictures_are_samples_of_their_loader(tmp_path: Path) -> None:
    pictures = ("float 3 480 640", "float 7 4", "int 7", "float 3 500 500", "float 2 4", "int 2")
    assert batch_of(tmp_path, ("load 1 2 samples", *pictures, "gemm")) == Batch(samples=2)


def test_feeds_that_differ_from_step_to_step_are_unknown(tmp_path: Path) -> None:
    rollout = ("float 1 4", "gemm") * 3
    assert batch_of(tmp_path, (*rollout, "float 64 4", "gemm")) == Batch()


def test_graphs_are_called_graphs(tmp_path: Path) -> None:
    piece = ("load 1 32 graphs", "float 900 7", "int 2 3000", "int 900", "int 32", "gemm")
    assert batch_of(tmp_path, piece) == Batch(samples=32, unit="graphs")
    options = Options(chain=FixedDurations())
    prediction = predict(run_of([_read(tmp_path)]), find_cluster("h100:1"), options)
    lines = summary_lines(summary_of(prediction, collect(tmp_path)))
    assert any("graphs/s" in line for line in lines)


@pytest.mark.parametrize("small", [("float 1",), ("int 128",), ()])
def test_numbers_that_are_no_batch_say_nothing(tmp_path: Path, small: Sequence[str]) -> None:
    assert batch_of(tmp_path, (*small, "gemm")) == Batch()
