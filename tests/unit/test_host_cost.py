"""Neither CPU times nor which calls wait for which depend on how busy the machine was."""

from dataclasses import replace

import numpy as np
import pytest

from maya.simulator.host_cost import issue_after, usual_ns
from maya.simulator.places import places_of
from maya.simulator.rows import Rows

MAIN, BACKWARD = 1, 2


def rows(*calls: tuple[int, int, int]) -> Rows:
    """Calls of 10 ns: thread, start, CPU time since the thread's last call."""
    thread, start, cpu = (np.array(column, np.int64) for column in zip(*calls, strict=True))
    zeros = np.zeros(len(calls), np.int64)
    return Rows(
        definition=zeros,
        thread=thread,
        stream=zeros,
        start_ns=start,
        cpu_ns=cpu,
        call_ns=zeros + 10,
        a=zeros,
        b=zeros,
        event=np.arange(len(calls)),
    )


@pytest.mark.parametrize("slow", [1, 5])
@pytest.mark.parametrize("before_waiting", [10, 200])
def test_a_thread_that_waited_depends_on_all_that_the_other_did(
    slow: int, before_waiting: int
) -> None:
    # The main thread computes, waits for three calls of the other, computes, and calls again.
    asked = 100 + before_waiting
    made = rows(
        (MAIN, 0, 0),
        (MAIN, 90 * slow, 80),
        (BACKWARD, asked + 50 * slow, 20),
        (BACKWARD, asked + 100 * slow, 30),
        (BACKWARD, asked + 150 * slow, 30),
        (MAIN, asked + 200 * slow + 30, before_waiting + 20),
    )
    assert issue_after(made).tolist()[-1] == 4


def test_a_thread_that_computed_meanwhile_does_not_wait() -> None:
    made = rows(
        (MAIN, 0, 0),
        (BACKWARD, 100, 20),
        (BACKWARD, 300, 180),
        (MAIN, 500, 490),  # since its last call, without a rest
    )
    assert issue_after(made).tolist()[-1] == 0


STEPS, CALLS, USUAL_NS, REAL_WORK_NS = 8, 20, 10_000, 5_000_000


def steps_of_calls(times_ns: dict[tuple[int, int], int]) -> Rows:
    """Steps of the same calls, all different; `times_ns` replaces some, by step and call."""
    cpu = np.full((STEPS, CALLS), USUAL_NS)
    for place, time_ns in times_ns.items():
        cpu[place] = time_ns
    made = rows(*((MAIN, 100_000 * i, int(time)) for i, time in enumerate(cpu.ravel())))
    return replace(made, definition=np.tile(np.arange(1, CALLS + 1), STEPS))


def last_step_ns(made: Rows, kinds: dict[int, int] | None = None) -> int:
    """`kinds`: definitions that are the same call with other arguments; the others differ."""
    kind = np.arange(made.definition.max() + 1)
    for definition, same in (kinds or {}).items():
        kind[definition] = same
    nobody = np.zeros(len(made), bool)
    usual = usual_ns(made.cpu_ns, places_of(made, kind), kind[made.definition], nobody)
    return int(usual[-CALLS:].sum())


def test_one_preempted_interval_does_not_move_the_step() -> None:
    assert last_step_ns(steps_of_calls({(STEPS - 1, 7): 86_000_000})) == CALLS * USUAL_NS


def test_warm_up_does_not_move_the_step() -> None:
    slow = {(step, call): 4 * USUAL_NS for step in range(3) for call in range(CALLS)}
    assert last_step_ns(steps_of_calls(slow)) == CALLS * USUAL_NS


def test_real_work_of_every_step_stays() -> None:
    work = {(step, 7): REAL_WORK_NS for step in range(STEPS)}
    assert last_step_ns(steps_of_calls(work)) == (CALLS - 1) * USUAL_NS + REAL_WORK_NS


def test_the_same_two_calls_elsewhere_in_the_step_are_another_place() -> None:
    made = steps_of_calls({(step, 12): REAL_WORK_NS for step in range(STEPS)})
    definition = made.definition.copy()
    definition[definition == 3], definition[definition == 4] = 12, 13  # as before the work
    same = replace(made, definition=definition)
    assert last_step_ns(same) == (CALLS - 1) * USUAL_NS + REAL_WORK_NS


def test_a_call_with_another_argument_in_every_step_is_the_same_place() -> None:
    made = steps_of_calls({(STEPS - 1, call): 3 * USUAL_NS for call in range(5, 9)})
    definition = made.definition.copy()
    rates = {100 + step: 7 for step in range(STEPS)}  # call 7 with the learning rate of each step
    definition[definition == 7] = list(rates)
    assert last_step_ns(replace(made, definition=definition), rates) == CALLS * USUAL_NS
    assert last_step_ns(replace(made, definition=definition)) > CALLS * USUAL_NS


def test_passes_that_nobody_disturbed_count_where_there_are_enough() -> None:
    cpu = np.array([30, 31, 32, 12, 11, 10, 50, 51, 20, 21], np.int64)
    place = np.array([1, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    held = np.array([False, False, False, True, True, True, False, False, True, True])
    usual = usual_ns(cpu, place, place, held)
    assert usual[place == 1].tolist() == [10] * 6
    assert usual[place == 2].tolist() == [20] * 4  # too few: all count
