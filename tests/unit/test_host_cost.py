"""Which calls of other threads a call waits for does not depend on how busy the machine was."""

import numpy as np
import pytest

from maya.simulate.host_cost import issue_after
from maya.simulate.rows import Rows

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
