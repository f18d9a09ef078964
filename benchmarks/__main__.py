"""Print every figure with its limit; exit 1 when one is missed."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks import (
    clock,
    compare,
    estimating,
    every_rank,
    files,
    footprint,
    forking,
    gpt3,
    kills,
    ranks,
    recording,
    repeatability,
    replay_traces,
    search,
    search_clock,
    search_live,
    search_loaded,
    simulation,
    startup,
    titan,
    trillion,
    values,
)
from benchmarks.result import Result

Case = Callable[[], Result | None]

CASES: tuple[Case, ...] = (
    recording.training_step,
    recording.launch,
    startup.startup,
    files.files,
    footprint.resident_memory,
    footprint.resnet50,
    simulation.operations_per_second,
    simulation.sixty_four_ranks,
    simulation.every_rank,
    estimating.estimate_known,
    estimating.estimate_new,
    estimating.estimate_walked,
    replay_traces.replay_traces,
    forking.forked_rank,
    ranks.ddp_on_64,
    ranks.fsdp_on_1024,
    search.search_ddp_fsdp,
    search.search_megatron,
    search.search_zero,
    search.search_memory,
    search.search_pruning,
    search_clock.search_trials,
    search_clock.search_warm_start,
    search_live.search_killed,
)

# Minutes each: only where they are named.
LONG_CASES: tuple[Case, ...] = (
    gpt3.gpt3_on_1024,
    gpt3.gpt3_on_2048,
    gpt3.gpt3_on_3072,
    gpt3.gpt3_on_4096,
    gpt3.gpt3_on_6144,
    gpt3.gpt3_on_12288,
    trillion.gpt_1t,
    every_rank.every_rank_12288,
    titan.titan_8b,
    titan.titan_70b,
    titan.titan_405b,
    search_live.search_1920,
    search_loaded.search_loaded,
    footprint.soak,
)


def chosen(names: Sequence[str]) -> list[Case]:
    """The cases of these names, in the order of the lists; without names all but the long ones."""
    known = {case.__name__: case for case in CASES + LONG_CASES}
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}")
    return [case for name, case in known.items() if name in names] if names else list(CASES)


def measure(cases: Sequence[Case]) -> Iterator[Result]:
    """Run one case after the other; those that cannot run here say so themselves."""
    for case in cases:
        print(f"{case.__name__} ...", file=sys.stderr, flush=True)
        if (result := case()) is not None:
            yield result


def main() -> int:
    """Run the cases named on the command line, or all but the long ones."""
    own = {
        "clock": clock.main,
        "repeatability": repeatability.main,
        "values": values.main,
        "kills": kills.main,
        "compare": compare.main,
    }
    if sys.argv[1:] and sys.argv[1] in own:  # with options, and a table of their own
        return own[sys.argv[1]](sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help="benchmarks to run (default: all short ones)")
    results = list(measure(chosen(parser.parse_args().name)))
    table = Table("figure", "measured", "limit", "", "detail")
    for result in results:
        table.add_row(
            result.name,
            f"{result.value:.2f} {result.unit}",
            f"{result.limit:g} {result.unit}",
            "ok" if result.good else "MISSED",
            result.detail,
        )
    Console(width=120).print(table)
    return 0 if all(result.good for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
