"""What the table of the clock calls kept and missed."""

import pytest

from benchmarks.clock import Pair, Timing, own_times, timed_words


def pair(own_ms: float, cpu_s: float) -> Pair:
    without = Timing(10.0, {}, 10.0, "device", 1.0)
    return Pair(
        "lstm",
        without,
        Timing(10.0, {"events": 10.0, "perf_counter": own_ms}, cpu_s, "device", 1.0),
    )


@pytest.mark.parametrize(
    ("own_ms", "cpu_s", "good"),
    [(10.1, 12.0, True), (10.3, 12.0, False), (9.7, 12.0, False), (10.1, 14.0, False)],
)
def test_a_script_is_good_where_its_worse_clock_and_the_cost_are(own_ms, cpu_s, good):
    assert pair(own_ms, cpu_s).good is good


def test_the_timer_runs_the_script_with_its_launcher_and_words():
    words = timed_words(["-m", "launcher", "train.py", "--steps", "1"])
    assert words[:2] == ["-m", "launcher"]
    assert words[2].endswith("own_time.py")
    assert words[3:] == ["train.py", "--steps", "1"]


def test_only_the_timers_own_lines_are_figures():
    assert own_times("epoch 1\nperf_counter 4.5\nevents 4.25\n") == {
        "perf_counter": 4.5,
        "events": 4.25,
    }
