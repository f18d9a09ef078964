"""Notes on values that no kernel computed here, and on what Maya took them to be."""

from maya.trace import CallCounts
from maya.trace.summary import Table
from maya.units import counted as counted_as


def notes_of_values(counted: CallCounts, routing: str) -> list[str]:
    """One sentence each; `routing` is the policy that the run was recorded with."""
    return [
        *_decisions(counted.value_choices),
        *_reads(counted.value_reads),
        *_routed_tokens(counted.value_policies, routing),
        *_norms(counted.norms),
        *_masks(counted.masks),
    ]


def _decisions(choices: Table) -> list[str]:
    if not choices:
        return []
    site, count = max(choices.items(), key=lambda row: row[1].calls)
    others = f", as at {counted_as(len(choices) - 1, 'other line')}" if len(choices) > 1 else ""
    return [
        f"the script decided how to go on by a value that only a GPU would compute: at "
        f"{site or '?'} Maya gave it {count.example} ({_times(count.calls)}){others}. On a GPU "
        "it may decide otherwise"
    ]


def _reads(reads: Table) -> list[str]:
    if not (number := _calls(reads)):
        return []
    example = next(iter(reads.values())).example
    return [
        f"the script read {_values(number)} that kernels would have computed, and Maya gave it "
        f"likely ones (first at {_first_site(reads)}: {example})"
    ]


def _routed_tokens(answers: Table, routing: str) -> list[str]:
    if not (number := _calls(answers)):
        return []
    return [
        f"the script asked {_times(number)} which experts its tokens go to, and Maya answered by "
        f"the policy {routing!r}; --routing chooses another (first at {_first_site(answers)})"
    ]


def _norms(norms: Table) -> list[str]:
    if not (number := _calls(norms)):
        return []
    return [
        f"the script read {_values(number)} that depend on a norm. No kernel computes it here, "
        f"so Maya assumed 2 (first at {_first_site(norms)}): clipping at less than "
        "2 scales the gradients, clipping at more does not"
    ]


def _masks(masks: Table) -> list[str]:
    if not (number := _calls(masks)):
        return []
    return [
        f"{counted_as(number, 'mask')} could not be computed here, and Maya assumed that half "
        f"of each is set (first at {_first_site(masks)}). The real masks may select "
        "more or less work"
    ]


def _calls(table: Table) -> int:
    return sum(count.calls for count in table.values())


def _first_site(table: Table) -> str:
    return next(iter(table)) or "?"


def _values(number: int) -> str:
    return counted_as(number, "value")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
