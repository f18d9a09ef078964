"""Why these ranks were launched, in words."""

from collections.abc import Sequence
from pathlib import Path

from maya.emulator.structure import read_structure
from maya.rundir import RankFacts, RunDirectory

_SHOWN = 12


def explain_plan(run_dir: Path, about: RankFacts) -> list[str]:
    """Lines for people, from run.json's `ranks` and what the ranks left in the run directory."""
    launched, world = about.launched, about.world_size
    lines = [
        f"{about.launcher} would start {world:,} ranks: {about.nodes:,} node(s) with "
        f"{about.per_node} each",
        f"launched: {_ranks(launched)} ({len(launched):,} of {world:,}): {about.reason}",
    ]
    if len(launched) < world:
        shown = [f"rank {rank} stands for {about.weight(rank):,}" for rank in launched[:_SHOWN]]
        lines.append("; ".join(shown) + ("; ..." if len(launched) > _SHOWN else ""))
    lines += _groups(run_dir)
    if len(launched) == 1 < world:
        lines.append("rank 0 sent no message to another rank, so all are taken to do the same")
    elif len(launched) < world:
        lines.append("ranks that exchange messages are launched; members of other groups are alike")
    lines.append("`--all-ranks` launches every rank, `--ranks 0,8` those you name")
    return lines


def _groups(run_dir: Path) -> list[str]:
    sizes: dict[int, int] = {}
    for group in read_structure(RunDirectory(run_dir)).groups:
        sizes[len(group)] = sizes.get(len(group), 0) + 1
    parts = [f"{count:,} of {size:,} ranks" for size, count in sorted(sizes.items())]
    return [f"groups that the program declared: {', '.join(parts)}"] if parts else []


def _ranks(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:_SHOWN]))
    return f"rank {shown}" + (", ..." if len(ranks) > _SHOWN else "")
