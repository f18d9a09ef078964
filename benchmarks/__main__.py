"""Print every figure with its limit; exit 1 when one is missed."""

import sys
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from benchmarks import (
    estimating,
    footprint,
    gpt3,
    ranks,
    recording,
    replay_traces,
    search,
    search_clock,
    search_live,
    simulation,
    startup,
)
from benchmarks.result import Result

CASES: tuple[Callable[[], Result | None], ...] = (
    recording.training_step,
    recording.launch,
    startup.startup,
    footprint.resident_memory,
    footprint.resnet50,
    simulation.operations_per_second,
    simulation.sixty_four_ranks,
    simulation.every_rank,
    estimating.estimate_known,
    replay_traces.replay_traces,
    ranks.ddp_on_64,
    ranks.fsdp_on_1024,
    search.search_ddp_fsdp,
    search.search_megatron,
    search.search_zero,
    search_clock.search_trials,
    search_clock.search_warm_start,
    search_live.search_killed,
)

# Minutes each: only where they are named.
LONG_CASES: tuple[Callable[[], Result | None], ...] = (
    gpt3.gpt3_on_1024,
    gpt3.gpt3_on_2048,
    gpt3.gpt3_on_3072,
    gpt3.gpt3_on_4096,
    gpt3.gpt3_on_6144,
    gpt3.gpt3_on_12288,
    search_live.search_1920,
)


def main() -> int:
    """Run the cases named on the command line, or all but the long ones."""
    wanted = set(sys.argv[1:])
    named = [case for case in CASES + LONG_CASES if case.__name__ in wanted]
    cases = named if wanted else list(CASES)
    results = [result for case in cases if (result := case()) is not None]
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
