"""The loop over a pool that answers from a formula: order, memory, budget, resumption."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from search_files import BASE, FormulaPool, metrics, search_file

from maya.errors import MayaError
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.engine import Search, SearchOptions
from maya.recipe_search.trials.jobs import TrialOutcome

BIG: dict[str, Any] = {
    "command": "python train.py {a} {b} {c}",
    "knobs": {
        "a": {"range": [0, 7]},
        "b": {"range": [0, 7], "memory": "rises"},
        "c": {"choices": ["x", "y", "z"]},
    },
    "derived": {},
    "constraints": ["(a + b) % 2 == 0"],
    "trials": 16,
}


def bowl(words: list[str]) -> TrialOutcome:
    a, b, c = int(words[2]), int(words[3]), words[4]
    if b > 5:
        return TrialOutcome("oom")
    step = 100 + (a - 6) ** 2 + 2 * (b - 4) ** 2 + {"x": 2, "y": 0, "z": 9}[c]
    return TrialOutcome("ok", metrics=metrics(step, 1e9 * (b + 1)))


def run(
    directory: Path, pool: FormulaPool, storage: str | None = "sqlite://", **changes: Any
) -> Search:
    options = SearchOptions(output=directory, jobs=pool.size, storage=storage)
    return search(search_file(**(BIG | changes)), options=options, pool=pool)


@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "nsga2", "random", "grid"])
def test_every_sampler_tries_new_feasible_points_only(sampler: str, tmp_path: Path) -> None:
    pool = FormulaPool(2, bowl)
    state = run(tmp_path, pool, sampler=sampler)
    commands = [job.command for job in pool.ran]
    assert len(commands) == len(set(commands)) == 16
    assert all((int(c[2]) + int(c[3])) % 2 == 0 for c in commands)
    assert answer_of(state).best is not None


@pytest.mark.parametrize("seed", range(2))
def test_tpe_finds_the_best_of_a_bowl(seed: int, tmp_path: Path) -> None:
    best = answer_of(run(tmp_path, FormulaPool(2, bowl), seed=seed, trials=40)).best
    assert best is not None
    assert best.outcome.metrics["step_ms"] == 100


FEW: dict[str, Any] = BIG["knobs"] | {"a": {"choices": [0, 2]}}


def test_memory_rules_skip_what_must_fail_and_say_why(tmp_path: Path) -> None:
    pool = FormulaPool(1, bowl)
    knobs = FEW | {"b": {"choices": [0, 6, 8, 10], "memory": "rises"}}
    state = run(tmp_path, pool, sampler="grid", trials=96, knobs=knobs)
    assert len(state.skipped) == 2 * 3 * 2  # 6 implies 8 and 10, for every a and c
    assert all("b (rises, declared)" in reason for reason in state.skipped.values())
    assert len(pool.ran) + len(state.skipped) == len(state.space.points)


def test_directions_are_learnt_from_pairs(tmp_path: Path) -> None:
    knobs = FEW | {"b": {"choices": [0, 2, 6, 8]}}
    state = run(tmp_path, FormulaPool(1, bowl), sampler="grid", trials=96, knobs=knobs)
    assert state.skipped
    assert all("b (rises, learnt from " in reason for reason in state.skipped.values())


def offloaded(words: list[str]) -> TrialOutcome:
    """Offload (b) adds a buffer, and spares much more of what a large batch (a) needs."""
    batch, offload = int(words[2]), int(words[3])
    need = (batch if offload else 2 * batch) + 2 * offload
    return TrialOutcome("ok", metrics=metrics(9, need)) if need <= 10 else TrialOutcome("oom")


def test_nothing_is_learnt_far_from_the_limit(tmp_path: Path) -> None:
    knobs = FEW | {"a": {"choices": [0, 1, 8], "memory": "rises"}, "b": {"choices": [0, 1]}}
    changes: dict[str, Any] = {"knobs": knobs, "constraints": [], "sampler": "grid", "trials": 96}
    state = run(tmp_path, FormulaPool(1, offloaded), **changes)
    assert {d.outcome.status for d in state.done()} == {"ok", "oom"}
    assert not state.skipped


def test_a_knob_that_no_rule_orders_implies_nothing(tmp_path: Path) -> None:
    knobs = FEW | {"b": {"choices": [6, 0, 8], "memory": None}}  # memory falls, then rises
    state = run(tmp_path, FormulaPool(1, bowl), sampler="grid", trials=96, knobs=knobs)
    assert not state.skipped
    assert len(state.done()) == len(state.space.points)


@pytest.mark.parametrize(
    ("sampler", "killed_after"), [("tpe", 1), ("tpe", 11), ("cmaes", 9), ("nsga2", 9)]
)
def test_a_search_that_was_killed_continues_as_if_not(
    sampler: str, killed_after: int, tmp_path: Path
) -> None:
    whole = run(tmp_path / "whole", FormulaPool(2, bowl), sampler=sampler)
    first = FormulaPool(2, bowl, stop_after=killed_after)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", first, storage=None, sampler=sampler)
    second = FormulaPool(2, bowl)
    state = run(tmp_path / "cut", second, storage=None, sampler=sampler)
    assert len(first.ran) + len(second.ran) == 16  # nothing is run or counted twice
    assert [d.point.identity for d in state.done()] == [d.point.identity for d in whole.done()]
    assert answer_of(state).document.ranked[0] == answer_of(whole).document.ranked[0]


def test_results_do_not_depend_on_how_fast_trials_are(tmp_path: Path) -> None:
    def oldest_first(pool: FormulaPool) -> FormulaPool:
        submit = pool.submit
        pool.submit = lambda job: (submit(job), pool.jobs.sort(key=lambda j: -j.number))[0]  # type: ignore[method-assign]
        return pool

    one = run(tmp_path / "1", FormulaPool(3, bowl))
    other = run(tmp_path / "2", oldest_first(FormulaPool(3, bowl)))
    assert [d.point.identity for d in one.done()] == [d.point.identity for d in other.done()]


def test_known_good_recipes_are_tried_first(tmp_path: Path) -> None:
    pool = FormulaPool(1, bowl)
    run(tmp_path, pool, known_good=[{"a": 3, "b": 5, "c": "z"}, {"a": 0, "b": 0}], trials=5)
    assert pool.ran[0].command[2:] == ("3", "5", "z")
    assert pool.ran[1].command[2:4] == ("0", "0")


def test_a_command_that_always_fails_ends_the_search_soon(tmp_path: Path) -> None:
    pool = FormulaPool(2, lambda _: TrialOutcome("failed", message="Traceback: no such module"))
    with pytest.raises(MayaError, match=r"first 3 recipes all failed.*no such module") as error:
        run(tmp_path, pool)
    assert len(pool.ran) == 3
    assert error.value.exit_code == 2


@pytest.mark.parametrize("program", ["no-such-launcher", "bin/no-such-python"])
def test_a_program_that_is_not_there_is_told_before_any_trial(program: str, tmp_path: Path) -> None:
    file = search_file(**(BIG | {"command": f"{program} train.py {{a}} {{b}} {{c}}"}))
    with pytest.raises(MayaError, match=f"command not found: {program}"):
        search(file, options=SearchOptions(output=tmp_path, storage="sqlite://"))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("launcher", ["", "-m torch.distributed.run --nproc-per-node 8"])
def test_a_script_that_is_not_there_is_told_before_any_trial(launcher: str, tmp_path: Path) -> None:
    command = f"{sys.executable} {launcher} tarin.py {{a}} {{b}} {{c}}"
    options = SearchOptions(output=tmp_path, storage="sqlite://")
    with pytest.raises(MayaError, match="script not found: tarin"):
        search(search_file(**(BIG | {"command": command})), options=options)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("url", ["sqlite:////nonexistent/dir/x.db", "nonsense", "foo://bar"])
def test_a_storage_that_cannot_be_opened_is_told_first(url: str, tmp_path: Path) -> None:
    pool = FormulaPool(1, bowl)
    options = SearchOptions(output=tmp_path, storage=url)
    with pytest.raises(MayaError, match="cannot open the storage"):
        search(search_file(**BIG), options=options, pool=pool)
    assert not pool.ran


def test_another_space_does_not_continue_a_study(tmp_path: Path) -> None:
    run(tmp_path, FormulaPool(1, bowl), None, trials=2)
    with pytest.raises(MayaError, match="begun with another space"):
        run(tmp_path, FormulaPool(1, bowl), None, constraints=[])
    with pytest.raises(MayaError, match="begun with another seed"):
        run(tmp_path, FormulaPool(1, bowl), None, seed=5)


def test_dashboards_find_objectives_by_name_and_figures_as_columns(tmp_path: Path) -> None:
    run(tmp_path, FormulaPool(1, bowl), None, trials=2)
    url = f"sqlite:///{tmp_path / 'study.db'}"
    (study,) = optuna.get_all_study_names(url)
    kept = optuna.load_study(study_name=study, storage=url)
    assert kept.metric_names == ["step_time"]
    assert all(trial.user_attrs["step_ms"] > 0 for trial in kept.trials)


def test_more_trials_extend_a_study(tmp_path: Path) -> None:
    run(tmp_path, FormulaPool(2, bowl), None, trials=10)
    pool = FormulaPool(2, bowl)
    state = run(tmp_path, pool, None, trials=15)
    assert (len(pool.ran), len(state.done())) == (5, 15)


def test_limits_exclude_answers_and_clusters(tmp_path: Path) -> None:
    money = {"budget_tokens": 1e9, "tokens_per_step": 1000, "limits": {"hours": 32.0}}
    state = run(tmp_path, FormulaPool(2, bowl), trials=40, **money)
    hours = [d.outcome.metrics["step_ms"] / 3600e3 * 1e6 for d in answer_of(state).ranked]
    assert 0 < len(hours) < len(state.done())
    assert max(hours) <= 32.0
    with pytest.raises(MayaError, match="no cluster keeps the limits"):
        run(tmp_path / "2", FormulaPool(1, bowl), limits={"gpus": 4})


def test_several_objectives_give_a_front(tmp_path: Path) -> None:
    changes = {"objectives": ["step_time", "memory_headroom"], "sampler": "nsga2"}

    def trade(words: list[str]) -> TrialOutcome:
        a = int(words[2])
        found = metrics(100.0 - a) | {"headroom_bytes": 1e9 * (8 - a)}
        return TrialOutcome("ok", metrics=found)

    knobs = BIG["knobs"] | {"b": {"choices": [0, 1]}, "c": {"choices": ["x"]}}
    answer = answer_of(run(tmp_path, FormulaPool(2, trade), trials=96, knobs=knobs, **changes))
    assert {d.point.knobs["a"] for d in answer.front} == set(range(8))


def test_steps_of_different_size_are_compared_by_their_tokens(tmp_path: Path) -> None:
    def larger_is_cheaper(words: list[str]) -> TrialOutcome:
        size = int(words[2]) + 1
        step = 100.0 + 10.0 * size
        found = metrics(step) | {"usd_per_step": step / 1000, "mfu": 5.0 * size / step}
        return TrialOutcome("ok", metrics=found)

    knobs = BIG["knobs"] | {"b": {"choices": [0]}, "c": {"choices": ["x"]}}
    changes = {"tokens_per_step": "1000 * (a + 1)", "objectives": ["usd_per_1b_tokens"]}
    state = run(tmp_path, FormulaPool(2, larger_is_cheaper), trials=96, knobs=knobs, **changes)
    answer = answer_of(state)
    assert [d.point.knobs["a"] for d in answer.front] == [6]  # the shortest step is a = 0
    assert answer.best == answer.front[0]


def test_a_knob_that_was_never_turned_does_not_matter(tmp_path: Path) -> None:
    knobs = BIG["knobs"] | {"c": {"choices": ["x"]}}
    clusters = ["h100:8", "a100:8"]  # the grid begins with the first
    state = run(tmp_path, FormulaPool(2, bowl), sampler="grid", knobs=knobs, clusters=clusters)
    assert {done.point.cluster for done in state.done()} == {"h100:8"}
    importance = answer_of(state).importance
    assert set(importance) <= {"a", "b"}
    assert sum(importance.values()) == pytest.approx(1.0)


def test_equal_within_the_error_is_said(tmp_path: Path) -> None:
    knobs = BIG["knobs"] | {"b": {"choices": [2, 4]}}
    answer = answer_of(run(tmp_path, FormulaPool(2, bowl), trials=96, sampler="grid", knobs=knobs))
    # Intervals of 5 %, of which half is common: 100 to 102.5 ms cannot be told apart.
    steps = [d.outcome.metrics["step_ms"] for d in answer.ranked]
    assert answer.equal_to_best == sum(1 for step in steps if step <= 102.5) > 1


def test_the_file_and_its_mistakes(tmp_path: Path) -> None:
    from maya.recipe_search import read_search_file

    path = tmp_path / "recipe.yaml"
    path.write_text("command: python t.py\nclusters: h100:8\nknob: {}\n")
    with pytest.raises(MayaError, match="line 3: unknown key 'knob'"):
        read_search_file(path)
    with pytest.raises(MayaError, match="cannot read"):
        read_search_file(tmp_path / "none.yaml")
    with pytest.raises(MayaError, match="needs to know how many tokens"):
        run(tmp_path, FormulaPool(1, bowl), objectives=["usd_per_1b_tokens"])


def test_bad_known_good_recipes_are_told(tmp_path: Path) -> None:
    check: Callable[..., Any] = lambda **recipe: run(  # noqa: E731
        tmp_path, FormulaPool(1, bowl), known_good=[recipe]
    )
    with pytest.raises(MayaError, match="'d', which is not a knob"):
        check(d=1)
    with pytest.raises(MayaError, match="breaks a constraint"):
        check(a=0, b=1)


def test_a_part_of_a_step_does_not_win(tmp_path: Path) -> None:
    def cheat(words: list[str]) -> TrialOutcome:
        outcome = bowl(words)
        if outcome.status == "ok" and words[2:] == ["0", "0", "x"]:  # an eighth of the work
            return TrialOutcome("ok", metrics=outcome.metrics | {"step_ms": 13.0, "mfu": 0.5})
        step = outcome.metrics.get("step_ms") or 1.0
        return TrialOutcome(outcome.status, metrics=outcome.metrics | {"mfu": 50.0 / step})

    state = run(tmp_path, FormulaPool(2, cheat), trials=96, sampler="grid", tokens_per_step=100)
    answer = answer_of(state)
    assert answer.best is not None
    assert answer.best.outcome.metrics["step_ms"] == 100
    (message,) = answer.document.failed.values()
    assert "not believed: its step holds 13% of the work" in message


def test_base_file_is_valid() -> None:
    assert search_file().command[0] == BASE["command"].split()[0]
