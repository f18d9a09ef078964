"""The long run of the fuzzer: its turns and its table."""

from fuzz.campaign import Turn, executions_told, next_target, table


def test_executions_are_read_off_what_libfuzzer_prints() -> None:
    whole = "#2\tINITED cov: 3\n#4096\tpulse  cov: 9\nDone 5000 runs in 61 second(s)\n"
    broken = "#2\tINITED cov: 3\n#4096\tpulse  cov: 9\n==7== ERROR: libFuzzer: timeout\n"
    assert (executions_told(whole), executions_told(broken), executions_told("")) == (5000, 4096, 0)


def test_the_reader_that_had_least_time_is_next() -> None:
    turns = [Turn("a", 10, 5.0, ""), Turn("b", 9000, 1.0, ""), Turn("b", 9000, 1.0, "")]
    assert next_target(["a", "b"], turns) == "b"
    assert next_target(["a", "b", "c"], turns) == "c"


def test_the_table_sums_turns_and_counts_findings() -> None:
    turns = [Turn("b", 900, 1.2, ""), Turn("a", 10, 5.0, "#1 ..."), Turn("b", 200, 1.0, "")]
    assert table(turns).splitlines()[2:] == [
        "| `a` | 10 | 5 s | 1 |",
        "| `b` | 1,100 | 2 s | 0 |",
        "| all | 1,110 | 7 s | 1 |",
    ]
